import { describe, expect, it } from 'vitest';
import { readFeed } from '../../src/adapters/documents/feed.ts';
import { Problem } from '../../src/domain/problems.ts';

const read = (xml: string) => readFeed({ bytes: Buffer.from(xml) });
const rss = (items: string, title = 'Notices'): string =>
  `<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom"><channel><title>${title}</title><link>https://h.example</link><description>d</description><language>en-gb</language>${items}</channel></rss>`;

describe('feeds', () => {
  it('reads RSS with the fullest text of each entry', () => {
    const content = read(
      rss(`<item><title>Crane &amp;amp; quay</title><link>https://h.example/1</link><guid isPermaLink="false">h-1</guid><pubDate>Mon, 04 May 2026 07:30:00 GMT</pubDate>
        <description>The crane is out of service until 29 May.</description>
        <content:encoded><![CDATA[<p>The <b>crane</b> is out of service until 29 May, since its ring is worn.</p><ul><li>Book the mobile one.</li></ul>]]></content:encoded></item>
        <item><title>No id</title><description>&amp;lt;p&amp;gt;Escaped twice &amp;amp;amp; read&amp;lt;/p&amp;gt;</description></item>
        <item><description>A message of an author who writes no titles.</description></item>`),
    );
    expect(content).toMatchObject({ contentType: 'news', title: 'Notices', language: 'en', isFeed: true });
    expect(content.blocks).toEqual([
      {
        kind: 'entry',
        key: 'h-1',
        title: 'Crane & quay',
        text: 'The crane is out of service until 29 May, since its ring is worn.\n\n- Book the mobile one.',
        at: '2026-05-04T07:30:00.000Z',
        uri: 'https://h.example/1',
      },
      { kind: 'entry', key: 'No id', title: 'No id', text: 'Escaped twice & read' },
      expect.objectContaining({ title: 'A message of an author who writes no titles.' }),
    ]);
  });

  it('reads the releases of Atom, with a summary that says something else', () => {
    const content =
      read(`<feed xmlns="http://www.w3.org/2005/Atom"><title>Kite releases</title><id>f</id><updated>2026-04-20T10:00:00Z</updated>
      <entry><title>Kite 4.1.1 (security)</title><id>tag:4.1.1</id><updated>2026-03-02T18:30:00Z</updated><link href="https://k.example/4.1.1"/><summary>Closes a hole in the admin page.</summary>
        <content type="html">&lt;p&gt;A crafted name could read &lt;code&gt;/etc&lt;/code&gt;.&lt;/p&gt;&lt;pre&gt;kite --fix&lt;/pre&gt;</content></entry>
      <entry><title>Kite 4.1</title><id>tag:4.1</id><updated>2026-02-02T18:30:00Z</updated><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Uses List&lt;T&gt;.</p></div></content></entry></feed>`);
    expect(content).toMatchObject({
      contentType: 'release_notes',
      title: 'Kite releases',
      occurredAt: '2026-04-20T10:00:00.000Z',
    });
    expect(content.blocks).toMatchObject([
      {
        key: 'tag:4.1.1',
        text: 'Closes a hole in the admin page.\n\nA crafted name could read /etc.\n\n```\nkite --fix\n```',
        at: '2026-03-02T18:30:00.000Z',
      },
      { key: 'tag:4.1', text: 'Uses List<T>.' },
    ]);
  });

  it('names a preprint alike in each version, with its authors and DOI', () => {
    const paper = (version: number, type: string): string =>
      rss(
        `<item><title>Sparse gates</title><link>https://p.example/abs/2605.01017</link><guid isPermaLink="false">oai:p.example:2605.01017v${version}</guid><description>Abstract: We study gates.</description>
        <dc:creator>A. Example, B. Sample</dc:creator><category>cs.QX</category><arxiv:announce_type>${type}</arxiv:announce_type><arxiv:DOI>10.5555/px.2605.01017</arxiv:DOI></item>`,
        'cs.QX updates',
      );
    const content = read(paper(1, 'new'));
    expect(content.contentType).toBe('academic_paper');
    expect(content.blocks).toEqual([
      {
        kind: 'entry',
        key: 'oai:p.example:2605.01017',
        title: 'Sparse gates',
        text: 'Abstract: We study gates.\n\nAuthors: A. Example, B. Sample\nDOI: 10.5555/px.2605.01017\nCategories: cs.QX\nAnnounce type: new',
        uri: 'https://p.example/abs/2605.01017',
      },
    ]);
    expect(read(paper(2, 'replace')).blocks).toMatchObject([
      { key: 'oai:p.example:2605.01017', text: expect.stringContaining('Announce type: replace') },
    ]);
  });

  it('reads RDF', () => {
    const content =
      read(`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="x"><title>Bees</title><link>l</link></channel>
      <item rdf:about="https://b.example/1"><title>Honey</title><link>https://b.example/1</link><description>Sold &amp; gone.</description><dc:creator>Ann</dc:creator><dc:date>2026-01-02T00:00:00+01:00</dc:date></item></rdf:RDF>`);
    expect(content).toMatchObject({
      title: 'Bees',
      blocks: [
        { key: 'https://b.example/1', text: 'Sold & gone.\n\nAuthors: Ann', at: '2026-01-01T23:00:00.000Z' },
      ],
    });
  });

  it('refuses a feed whose end is missing, and reads one that a server appended something to', () => {
    const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>Ropes</title><entry><id>1</id><title>Tar</title></entry></feed>`;
    expect(read(`${atom}<script>track()</script>`).blocks).toMatchObject([{ title: 'Tar' }]);
    for (const end of [30, 62, 70, 100, atom.length - 3])
      expect(() => read(atom.slice(0, end)), atom.slice(0, end)).toThrow(Problem);
  });

  it('tells entries with the same id apart, and keeps a feed without entries', () => {
    const twice =
      '<item><title>A</title><guid>x</guid><link>https://h.example/a</link></item><item><title>B</title><guid>x</guid><link>https://h.example/b</link></item>';
    expect(read(rss(twice)).blocks).toMatchObject([{ key: 'x' }, { key: 'x https://h.example/b' }]);
    expect(read('<rss version="2.0"><channel></channel></rss>')).toMatchObject({ blocks: [], isFeed: true });
    expect(() => read('<books><book/></books>')).toThrow(Problem);
  });
});
