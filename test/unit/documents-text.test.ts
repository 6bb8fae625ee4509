import { describe, expect, it } from 'vitest';
import { readMarkdown } from '../../src/adapters/documents/markdown.ts';
import { readPlain } from '../../src/adapters/documents/plain.ts';

const fileOf = (text: string, filename = 'a') => ({ bytes: new TextEncoder().encode(text), filename });
const markdown = (text: string) => readMarkdown(fileOf(text, 'a.md'));
const plain = (text: string) => readPlain(fileOf(text, 'a.txt'));

describe('Markdown', () => {
  it('has headings, prose, tables with empty cells, and code', () => {
    const { blocks, title, contentType } = markdown(
      'Tariff\n======\n\nFees are *net*.\n\n## Berths {#berths}\n\n| Berth | Fee |\n|---|--:|\n| A \\| B | 3 |\n| C |  |\n\n' +
        '```sh\n# no heading\ngo\n```\n\n---\n\n### Last\n\n- [ ] open\n- [x] done\n',
    );
    expect(title).toBe('Tariff');
    expect(contentType).toBe('documentation');
    expect(blocks).toEqual([
      { kind: 'heading', level: 1, text: 'Tariff' },
      { kind: 'text', text: 'Fees are *net*.' },
      { kind: 'heading', level: 2, text: 'Berths' },
      {
        kind: 'table',
        header: ['Berth', 'Fee'],
        rows: [
          ['A | B', '3'],
          ['C', ''],
        ],
      },
      { kind: 'code', text: '# no heading\ngo', language: 'sh' },
      { kind: 'heading', level: 3, text: 'Last' },
      { kind: 'text', text: '- [ ] open\n- [x] done' },
    ]);
  });

  it('has its properties in front matter, and none if that is broken', () => {
    const read = markdown(
      '---\ntitle: "Run: it"\ndate: 2026-03-11\ntype: Meeting Notes\ntags: [a, b]\n---\n\nText.\n',
    );
    expect(read).toMatchObject({
      title: 'Run: it',
      occurredAt: '2026-03-11T00:00:00.000Z',
      contentType: 'meeting_notes',
      metadata: { tags: ['a', 'b'] },
      blocks: [{ kind: 'text', text: 'Text.' }],
    });
    expect(markdown('---\ntitle: [open\n---\n\n# Head\n')).toMatchObject({ title: 'Head' });
    expect(markdown('+++\ntitle = "Head"\ndate = 2026-03-11T10:00:00Z\n+++\nText.\n')).toMatchObject({
      title: 'Head',
      occurredAt: '2026-03-11T10:00:00.000Z',
    });
  });

  it('has the tags of its front matter, in whichever way they are written', () => {
    const tagsIn = (lines: string) => markdown(`---\n${lines}\n---\n\nText.\n`).tags;
    expect(tagsIn('tags: [bees, "#garden", 2026, bees]')).toEqual(['bees', 'garden', '2026']);
    expect(tagsIn('tags:\n  - bees\n  - {no: tag}')).toEqual(['bees']);
    expect(tagsIn('tags: bees garden')).toEqual(['bees', 'garden']);
    expect(tagsIn('tag: bees\nkeywords: machine learning, honey')).toEqual([
      'bees',
      'machine learning',
      'honey',
    ]);
    expect(tagsIn('title: None')).toBeUndefined();
    expect(tagsIn(`tags: [${'x'.repeat(200)}, ok]`)).toEqual(['ok']);
    expect(tagsIn(`tags: [${Array.from({ length: 300 }, (_, n) => n).join(', ')}]`)).toHaveLength(50);
    expect(markdown('+++\ntags = ["bees"]\n+++\nText.\n').tags).toEqual(['bees']);
  });

  it('has links as their text, wikilinks as their alias, and no comments', () => {
    const { blocks } = markdown(
      'See [the *rules*][r], [log](https://x.test/log), <https://x.test/a> and https://x.test/b ![logo](l.png).\n' +
        'Also [[Index|the list]], [[Feed#Weights]] and `[[code]]`<!-- hidden -->.<br>\nNext<kbd>K</kbd>\n\n[r]: https://x.test/r\n\n<!-- all\n\nhidden -->\n',
    );
    expect(blocks).toEqual([
      {
        kind: 'text',
        text:
          'See the *rules*, log, https://x.test/a and https://x.test/b logo.\n' +
          'Also the list, Feed#Weights and `[[code]]`. \nNextK',
      },
    ]);
  });

  it('has footnotes below the paragraph that refers to them, and headings in quotes as bold text', () => {
    const { blocks } = markdown('Costs five.[^1]\n\nMore.\n\n> ## Quoted\n> text\n\n[^1]: Children four.\n');
    expect(blocks).toEqual([
      { kind: 'text', text: 'Costs five.' },
      { kind: 'text', text: 'Children four.' },
      { kind: 'text', text: 'More.' },
      { kind: 'text', text: '> **Quoted**\n> text' },
    ]);
  });

  it('is a note if it is linked or short, a guide if it says so, an article if it is long prose', () => {
    expect(markdown('# Bees\n\n## A\n\nSee [[Feed]].\n\n## B\n\n## C\n\n## D\n').contentType).toBe('note');
    expect(markdown('# Bees\n\nShort.\n').contentType).toBe('note');
    expect(markdown('# How to keep bees\n\nText.\n').contentType).toBe('guide');
    expect(
      markdown(`# Bees\n\n${'A long sentence about bees in the orchard. '.repeat(200)}`).contentType,
    ).toBe('article');
    expect(markdown('# Shell\n\n## A\n\n```sh\n[[ -f x ]] && y\n```\n\n## B\n\n## C\n').contentType).toBe(
      'documentation',
    );
  });
});

describe('plain text', () => {
  it('has the title that its first line gives', () => {
    expect(plain('Memo: keys of the garden\n\nNine keys.\n').title).toBe('Memo: keys of the garden');
    expect(plain('Keys of the garden\n\nNine keys.\n').title).toBe('Keys of the garden');
    expect(plain('To: all\nSubject: the keys\n\nNine keys.\n').title).toBe('the keys');
    expect(plain('Written each evening, without headings.\n\nNorth wind.\n').title).toBeUndefined();
    expect(plain('a line\na second line\n').title).toBeUndefined();
  });

  it('has headings that are underlined, in capitals or numbered', () => {
    expect(plain('The shed\n========\nNine keys.\n\nWater\n-----\nA code.\n').blocks).toEqual([
      { kind: 'heading', level: 1, text: 'The shed' },
      { kind: 'text', text: 'Nine keys.' },
      { kind: 'heading', level: 2, text: 'Water' },
      { kind: 'text', text: 'A code.' },
    ]);
    const headings = (text: string) =>
      plain(text).blocks.flatMap((block) => (block.kind === 'heading' ? [block.text] : []));
    expect(headings('THE SHED\n\nNine keys.\n\nTHE WATER\n\nA code.\n')).toEqual(['THE SHED', 'THE WATER']);
    expect(headings('1. Scope\n\nThis is all.\n\n1.1 Terms\n\nWords.\n\n2. Duties\n\nNone.\n')).toEqual([
      '1. Scope',
      '1.1 Terms',
      '2. Duties',
    ]);
    expect(headings('To do today:\n\n1. Buy milk\n\n2. Buy bread\n\n3. Sleep\n')).toEqual([]);
    expect(headings('It said\n\nNASA\n\nand no more, on all of its pages.\n')).toEqual(['It said']);
  });

  it('keeps its lines, and a number sign makes no heading', () => {
    expect(plain('First, a line,\n# a second one.\n').blocks).toEqual([
      { kind: 'text', text: 'First, a line,\n\\# a second one.' },
    ]);
  });
});
