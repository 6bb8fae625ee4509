import { describe, expect, it } from 'vitest';
import { blocksOfHtml } from '../../src/adapters/documents/html-blocks.ts';
import { readHtml } from '../../src/adapters/documents/html.ts';

const textsOf = (html: string): string[] =>
  blocksOfHtml(html).map((block) => ('text' in block ? block.text : block.kind));
const pageOf = (html: string) => readHtml({ bytes: Buffer.from(html) });
const allText = (html: string): string => JSON.stringify(pageOf(html).blocks);
const sentence = (subject: string): string =>
  `<p>${subject} was discussed for two hours, and the committee decided that the bridge stays closed to lorries until a diver has inspected its piers.</p>`;

describe('blocks of HTML', () => {
  it('shows white space, pictures and hidden parts as a browser does', () => {
    const html = `text  <b>bold</b>\n and&nbsp;more<br>next line<br><br>another&shy; paragraph
      <p style="display: none">hidden</p><p hidden>hidden</p><script>let hidden;</script><style>p {}</style><!-- hidden -->
      <p>A <img src="x.png" alt="red"> flag<img width="1" height="1" alt="pixel"><img alt="IMG_1.jpg"></p>
      <p>10<sup>6</sup> litres<sup><a href="#note">3</a></sup> of <del>oil</del> water</p>`;
    expect(textsOf(html)).toEqual([
      'text bold and more\nnext line',
      'another paragraph',
      'A red flag',
      '10⁶ litres of ~~oil~~ water',
    ]);
  });

  it('numbers lists, nests them, and goes on after code within an item', () => {
    const html = `<ol start="3"><li>Stop</li><li>Drain<ul><li>tank</li><li><p>pipe</p><p>slowly</p></li></ul></li>
      <li>Run<pre><code class="language-sh">drain --all\n  now</code></pre>and wait</li><li>Start</li></ol>
      <ul><li><input type="checkbox" checked> done</li><li><input type="checkbox"> open</li></ul>`;
    expect(blocksOfHtml(html)).toEqual([
      { kind: 'text', text: '3. Stop\n4. Drain\n   - tank\n   - pipe\n\n     slowly\n5. Run' },
      { kind: 'code', text: 'drain --all\n  now', language: 'sh' },
      { kind: 'text', text: 'and wait\n6. Start' },
      { kind: 'text', text: '- [x] done\n- [ ] open' },
    ]);
  });

  it('keeps terms with their definitions, and quotes apart', () => {
    const html = `<dl><dt>port</dt><dd>Number of the port.</dd><dt>host</dt><dt>name</dt><dd>One.<p>Two.</p></dd>
      <div><dt>modes</dt><dd><ul><li>fast</li><li>slow</li></ul></dd></div></dl><blockquote><p>a</p><p>b</p></blockquote><p># no heading</p>`;
    expect(textsOf(html)).toEqual([
      'port: Number of the port.',
      'host, name: One.\n\nTwo.',
      'modes:\n- fast\n- slow',
      '> a\n>\n> b',
      String.raw`\# no heading`,
    ]);
  });

  it('puts cells on all places that they span, and joins the rows of the header', () => {
    const html = `<table><caption>Loads</caption><thead><tr><th rowspan="2">Pier</th><th colspan="2">Load (t)</th></tr><tr><th>day</th><th>night</th></tr></thead>
      <tbody><tr><td rowspan="2">north</td><td>1</td><td>2<br>max</td></tr><tr><td>3</td><td><ul><li>a</li><li>b</li></ul></td></tr>
      <tr><th colspan="3">Closed</th></tr><tr><td>south</td><td>5</td><td>6</td></tr></tbody></table>`;
    const header = ['Pier', 'Load (t) day', 'Load (t) night'];
    expect(blocksOfHtml(html, { page: 2 })).toEqual([
      {
        kind: 'table',
        caption: 'Loads',
        header,
        rows: [
          ['north', '1', '2 max'],
          ['north', '3', 'a; b'],
        ],
        page: 2,
      },
      { kind: 'table', caption: 'Loads – Closed', header, rows: [['south', '5', '6']], page: 2 },
    ]);
  });

  it('takes a first row as the header only where that is sure', () => {
    const rows = (...lines: string[][]): string =>
      `<table>${lines.map((line) => `<tr>${line.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('')}</table>`;
    const headerOf = (html: string): readonly string[] =>
      blocksOfHtml(html).flatMap((block) => (block.kind === 'table' ? block.header : []));
    expect(headerOf(rows(['Fish', 'Price'], ['cod', '4.20'], ['eel', '9']))).toEqual(['Fish', 'Price']);
    expect(headerOf(rows(['<b>Fish</b>', '<b>From</b>'], ['cod', 'sea'], ['eel', 'river']))).toEqual([
      'Fish',
      'From',
    ]);
    expect(headerOf(rows(['cod', 'sea'], ['eel', 'river']))).toEqual([]);
  });

  it('unfolds tables that only place content', () => {
    const html = `<table><tr><td><h2>Left</h2><p>text</p></td><td><table><tr><th>a</th></tr><tr><td>1</td></tr></table></td></tr></table>
      <table><tr><td class="linenos"><pre>1\n2</pre></td><td><div class="highlight-python"><pre>x = 1\ny = 2</pre></div></td></tr></table>`;
    expect(blocksOfHtml(html)).toEqual([
      { kind: 'heading', level: 2, text: 'Left' },
      { kind: 'text', text: 'text' },
      { kind: 'table', header: ['a'], rows: [['1']] },
      { kind: 'code', text: 'x = 1\ny = 2', language: 'python' },
    ]);
  });

  it('reads deep and broken pages', () => {
    expect(textsOf(`${'<div>'.repeat(900)}deep`)).toEqual(['deep']);
    expect(textsOf('<ul><li>a<li>b</ul><p>c<p>d</i></td>')).toEqual(['- a\n- b', 'c', 'd']);
    expect(textsOf('')).toEqual([]);
  });
});

describe('pages', () => {
  it('leaves out what stands around an article', () => {
    const { blocks, ...facts } =
      pageOf(`<!doctype html><html lang="en-GB"><head><title>Bridge closed - Valley Echo</title>
      <meta property="og:site_name" content="Valley Echo"><script type="application/ld+json">{"@graph":[{"@type":"NewsArticle","datePublished":"2025-11-03T10:00:00+01:00"}]}</script></head>
      <body class="has-sidebar"><div id="cookie-banner">We use cookies. <button>Accept</button></div><div class="header"><ul class="menu"><li><a href="/a">News</a></li></ul></div>
      <div class="content-wrap"><h1>Bridge closed</h1>${sentence('The bridge')}<div class="share-buttons">Share this</div><h2>Next</h2>${sentence('The mill road')}
      <ul><li>Lorries go by the mill.</li><li>Buses wait.</li></ul><div><h3>You may also like</h3><a href="/x">Mill road flooded</a></div></div>
      <div id="sidebar"><p>Win a basket of apples.</p></div><section class="newsletter"><p>24,500 readers get our letter.</p></section>
      <div id="footer"><p>© 2025 Valley Echo. Complaints: 5550123.</p></div></body></html>`);
    expect(facts).toEqual({
      mediaType: 'text/html',
      contentType: 'article',
      title: 'Bridge closed',
      language: 'en',
      occurredAt: '2025-11-03T09:00:00.000Z',
      metadata: { siteName: 'Valley Echo' },
      replacements: 0,
    });
    expect(blocks.map((block) => ('text' in block ? block.text.slice(0, 12) : ''))).toEqual([
      'Bridge close',
      'The bridge w',
      'Next',
      'The mill roa',
      '- Lorries go',
    ]);
  });

  it('reads pages of layout tables in an old encoding', () => {
    const html = `<html><head><meta http-equiv="Content-Type" content="text/html; charset=windows-1252"><title>Bienen \u0096 Verein</title></head><body><table><tr>
      <td width=120><a href=1.htm>Start</a><br><a href=2.htm>Völker</a><br><a href=3.htm>Gästebuch (417)</a></td>
      <td><h1>Unsere Bienen</h1><p>Ein Glas Honig kostet 6,50 \u0080 und wird im Juli geschleudert, wenn die Linden verblüht sind.</p></td></tr></table>
      <small>Letzte Änderung: 3. Mai 1999 - Besucher Nr. 12 - Optimiert für 800x600</small></body></html>`;
    const { blocks, title, language } = readHtml({ bytes: Buffer.from(html, 'latin1') });
    expect({ title, language }).toEqual({ title: 'Unsere Bienen', language: 'de' });
    expect(blocks).toEqual([
      { kind: 'heading', level: 1, text: 'Unsere Bienen' },
      {
        kind: 'text',
        text: 'Ein Glas Honig kostet 6,50 € und wird im Juli geschleudert, wenn die Linden verblüht sind.',
      },
    ]);
  });

  it('tells documentation from articles, and keeps its notes', () => {
    const manual = `<html lang="en"><head><title>Retries | Kite documentation</title><meta name="generator" content="Docusaurus v3"></head><body><nav>Docs</nav>
      <div class="version-warning">You are reading the manual of version 2. The default of version 1 was 64.</div><main><h1>Retries</h1>
      <div class="admonition warning"><p>Never retry a payment.</p></div><aside class="note"><p>Jitter is added.</p></aside>${sentence('The limit')}
      <footer><a href="/edit">Edit this page</a></footer></main></body></html>`;
    expect(pageOf(manual)).toMatchObject({ contentType: 'documentation', title: 'Retries' });
    expect(allText(manual)).toContain('Never retry a payment');
    expect(allText(manual)).toContain('Jitter is added');
    expect(allText(manual)).not.toMatch(/version 1|Edit this page/);
    const api = manual.replace('Docusaurus', 'Doxygen').replaceAll('Retries', 'Kite API reference');
    expect(pageOf(api).contentType).toBe('api_reference');
  });

  it('refuses elements that are nested too deeply', () => {
    const nested = (depth: number) => `<html><body>${'<div>'.repeat(depth)}Ropes${'</div>'.repeat(depth)}`;
    expect(pageOf(nested(500)).blocks).toMatchObject([{ text: 'Ropes' }]);
    const code = `<!-- ${'<b>'.repeat(3_000)} --><Script>${'if (i<n) m<b;'.repeat(3_000)}</SCRIPT>`;
    expect(pageOf(`<html><body>${code}<p>Ropes</p></body></html>`).blocks).toMatchObject([{ text: 'Ropes' }]);
    const drawing = `<svg>${'<path d="M0 0"/>'.repeat(3_000)}</svg>`;
    expect(pageOf(`<html><body>${drawing}<p>Ropes</p></body></html>`).blocks).toMatchObject([
      { text: 'Ropes' },
    ]);
    expect(() => pageOf(`${code}${drawing}${nested(2_000)}`)).toThrow('nested in each other');
    expect(() => pageOf(nested(200_000))).toThrow('more than 1000 elements are nested in each other');
  });

  it('finds nothing on a page of boilerplate', () => {
    const html = `<html lang="en"><body><div class="cookie-consent"><p>This site uses cookies. By continuing you agree.</p></div><nav><a>Home</a> <a>Jobs</a></nav>
      <div id="root"><noscript>Please enable JavaScript.</noscript></div><aside><h4>Follow us</h4></aside><section class="related"><a>Ten reasons</a></section>
      <footer><p>© 2026 All rights reserved.</p><p>Our hotline is open.</p></footer></body></html>`;
    expect(pageOf(html).blocks).toEqual([]);
  });

  it('drops short lines around the main text that have no name', () => {
    const html = `<html><body><div class="strip">Weather: 12 degrees</div><div class="post-content"><h1>Bridge</h1>${sentence('The pier')}${sentence('The deck')}
      ${sentence('The rail')}${sentence('The toll')}<p>So be it.</p></div><div>Tide tables are sold at the kiosk</div></body></html>`;
    const texts = pageOf(html).blocks.map((block) => ('text' in block ? block.text.slice(0, 9) : ''));
    expect(texts).toEqual(['Bridge', 'The pier ', 'The deck ', 'The rail ', 'The toll ', 'So be it.']);
  });

  it('keeps a text whose elements are called like boilerplate', () => {
    const html = `<html><body><div id="popup" class="modal"><div class="sidebar-page">${sentence('The pool')}${sentence('The slide')}${sentence('The bar')}${sentence('The lawn')}
      ${sentence('The gate')}${sentence('The roof')}${sentence('The path')}${sentence('The wall')}</div></div></body></html>`;
    expect(pageOf(html).blocks).toHaveLength(8);
  });

  it('does not lose sections that an extraction takes for asides', () => {
    const html = `<html><body><header><h1>Opening times</h1><p>Valid from June.</p></header><details><summary>Are you open?</summary><p>From nine to five.</p></details>
      <section id="contact"><h2>Contact</h2><address>4 Rope Walk<br>Ardmouth</address></section></body></html>`;
    expect(pageOf(html).blocks.map((block) => ('text' in block ? block.text : ''))).toEqual([
      'Opening times',
      'Valid from June.',
      'Are you open?',
      'From nine to five.',
      'Contact',
      '4 Rope Walk\nArdmouth',
    ]);
  });
});
