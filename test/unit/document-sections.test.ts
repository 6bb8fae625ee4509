import { describe, expect, it } from 'vitest';
import { composeDocument } from '../../src/domain/documents/compose.ts';
import type { Block, DocumentContent } from '../../src/domain/documents/content.ts';
import { sectionBody, sectionContent } from '../../src/domain/documents/sections.ts';

const documentOf = (blocks: readonly Block[], fields: Partial<DocumentContent> = {}): DocumentContent => ({
  mediaType: 'text/markdown',
  contentType: 'documentation',
  blocks,
  replacements: 0,
  ...fields,
});
const heading = (level: number, text: string): Block => ({ kind: 'heading', level, text });
const prose = (text: string): Block => ({ kind: 'text', text });
const sentence = (n: number) =>
  `The ferry number ${n} leaves the quay at ${n % 24} o'clock, weather permitting.`;
const sentences = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => sentence(from + n)).join(' ');

function contentsOf(blocks: readonly Block[], { title, ...fields }: Partial<DocumentContent> = {}): string[] {
  const { text, sections } = composeDocument(documentOf(blocks, fields));
  return sections.map((section) => sectionContent(text, section, title));
}

describe('sections under headings', () => {
  it('are one for each heading with text, however short, below the path of all headings', () => {
    const blocks = [
      prose('Before all.'),
      heading(1, 'Handbook'),
      heading(2, 'Keys'),
      heading(3, 'Loss'),
      prose('Call Ada.'),
      heading(2, 'Rooms'),
      prose('There are two.'),
    ];
    expect(contentsOf(blocks, { title: 'Handbook' })).toEqual([
      'Handbook\n\nBefore all.',
      'Handbook › Keys › Loss\n\nCall Ada.',
      'Handbook › Rooms\n\nThere are two.',
    ]);
    const { text, sections } = composeDocument(documentOf(blocks));
    expect(text).toBe(
      'Before all.\n\n# Handbook\n\n## Keys\n\n### Loss\n\nCall Ada.\n\n## Rooms\n\nThere are two.',
    );
    expect(sections.map(({ start, end }) => text.slice(start, end))).toEqual([
      'Before all.',
      '### Loss\n\nCall Ada.',
      '## Rooms\n\nThere are two.',
    ]);
  });

  it('name the title unless a heading does, and no heading twice', () => {
    const blocks = [heading(1, 'Keys'), heading(2, 'Keys'), prose('Call Ada.')];
    expect(contentsOf(blocks, { title: 'Memo' })).toEqual(['Memo › Keys\n\nCall Ada.']);
    expect(contentsOf(blocks, { title: '*Keys*' })).toEqual(['*Keys*\n\nCall Ada.']);
    expect(contentsOf([prose('Call Ada.')])).toEqual(['Call Ada.']);
  });

  it('keep a line of text that only looks like a heading', () => {
    expect(contentsOf([heading(1, 'Script'), prose('# rm -r .\n\nNever do this.')])).toEqual([
      'Script\n\n# rm -r .\n\nNever do this.',
    ]);
  });

  it('join loose text of several pages and tell which', () => {
    const { sections } = composeDocument(
      documentOf([
        { ...prose('One.'), page: 3 },
        { ...prose('Two.'), page: 4 },
      ]),
    );
    expect(sections).toHaveLength(1);
    expect(sections[0]!.pages).toEqual([3, 4]);
  });

  it('keep boilerplate and hidden parts apart, and its headings out of the paths of others', () => {
    const { text, sections } = composeDocument(
      documentOf([
        { kind: 'heading', level: 2, text: 'Menu', isBoilerplate: true },
        { kind: 'text', text: 'Home', isBoilerplate: true },
        prose('The pump is new.'),
        { kind: 'text', text: 'Budget', isHidden: true },
      ]),
    );
    expect(sections.map(({ path, isBoilerplate, isHidden }) => [path, isBoilerplate, isHidden])).toEqual([
      [['Menu'], true, undefined],
      [[], undefined, undefined],
      [[], undefined, true],
    ]);
    expect(sectionContent(text, sections[1]!)).toBe('The pump is new.');
  });
});

describe('long prose', () => {
  it('is cut between sentences into parts of some 1,000 to 2,500 units', () => {
    const contents = contentsOf([heading(1, 'Diary'), prose(sentences(200))]);
    expect(contents.length).toBeGreaterThan(4);
    for (const content of contents) {
      expect(content.startsWith('Diary\n\nThe ferry number')).toBe(true);
      expect(content.endsWith('weather permitting.')).toBe(true);
      expect(content.length).toBeGreaterThan(900);
      expect(content.length).toBeLessThan(2_800);
    }
  });

  it('is cut between paragraphs rather than within', () => {
    const paragraphs = Array.from({ length: 9 }, (_, n) => sentences(8, 8 * n));
    const contents = contentsOf([prose(paragraphs.join('\n\n'))]);
    expect(contents.join('\n\n').split('\n\n')).toEqual(paragraphs);
  });

  it('is not cut after an abbreviation or at a wrapped line', () => {
    const tricky =
      'Man fragt am besten, z. B. montags,\nDr. Ada Berg bzw. Prof. Ole Lund in St. Gallen (vgl. Abb. 3).';
    const contents = contentsOf([prose(Array.from({ length: 80 }, () => tricky).join(' '))]);
    expect(contents.length).toBeGreaterThan(2);
    for (const content of contents) {
      expect(content.startsWith('Man fragt')).toBe(true);
      expect(content.endsWith('Abb. 3).')).toBe(true);
    }
  });

  it('is cut after sentences of languages without spaces', () => {
    const contents = contentsOf([prose('新しい鉄瓶は、最初に水を八分目まで入れて沸かします。'.repeat(200))]);
    expect(contents.length).toBeGreaterThan(1);
    for (const content of contents) expect(content).toMatch(/^新しい.*ます。$/u);
  });

  it('keeps a fence with the paragraph that introduces it, and a list with its announcement', () => {
    const fence: Block = { kind: 'code', language: 'sh', text: 'seal --close\nseal --report' };
    const contents = contentsOf([
      prose(sentences(22)),
      prose('Close the seal like this.'),
      fence,
      prose(sentences(22, 50)),
      prose('What you need:'),
      prose('- a spoon\n- a rope'),
      prose(sentences(22, 90)),
    ]);
    expect(contents.some((one) => one.includes('Close the seal like this.\n\n```sh\nseal --close'))).toBe(
      true,
    );
    expect(contents.some((one) => one.includes('What you need:\n\n- a spoon\n- a rope'))).toBe(true);
  });

  it('goes on over the end of a page within a sentence', () => {
    const contents = contentsOf([
      { ...prose(`${sentences(17)} The warden opens the`), page: 1 },
      { ...prose(`gate at dawn. ${sentences(17, 30)}`), page: 2 },
      { ...prose(sentences(17, 60)), page: 2 },
    ]);
    expect(contents.length).toBeGreaterThan(1);
    expect(contents.some((one) => one.includes('opens the\n\ngate at dawn.'))).toBe(true);
  });

  it('ends its parts at the same places after an insertion near the beginning', () => {
    const paragraphs = Array.from({ length: 60 }, (_, n) => sentences(3, 3 * n));
    const before = new Set(contentsOf([prose(paragraphs.join('\n\n'))]));
    const after = contentsOf([prose(['A new paragraph about eels.', ...paragraphs].join('\n\n'))]);
    expect(after.filter((one) => !before.has(one)).length).toBeLessThan(after.length / 2);
  });

  it('of many lines without any end of a sentence is cut between lines', () => {
    const lines = Array.from({ length: 300 }, (_, n) => `spare part ${n} on shelf ${n % 17}`);
    const contents = contentsOf([prose(lines.join('\n'))]);
    expect(contents.length).toBeGreaterThan(2);
    expect(contents.join('\n').split('\n')).toEqual(lines);
  });

  it('without any end of a sentence is cut at white space, below 8,000 units', () => {
    const contents = contentsOf([prose('eel '.repeat(10_000))]);
    for (const content of contents) expect(content.length).toBeLessThanOrEqual(8_000);
    expect(
      contents
        .join(' ')
        .split(' ')
        .every((word) => word === 'eel'),
    ).toBe(true);
  });
});

const table = (rows: number, fields: { caption?: string } = {}): Block => ({
  kind: 'table',
  header: ['Berth', 'Depth', 'Remark'],
  rows: Array.from({ length: rows }, (_, n) => [`Berth ${n}`, `${n}.5`, 'crane needs notice']),
  ...fields,
});

describe('tables', () => {
  it('stay with the text of a short section', () => {
    expect(contentsOf([heading(1, 'Berths'), prose('All depths in metres.'), table(1)])).toEqual([
      'Berths\n\nAll depths in metres.\n\n| Berth | Depth | Remark |\n|---|---|---|\n| Berth 0 | 0.5 | crane needs notice |',
    ]);
  });

  it('are cut between rows, and each part has the caption and the header', () => {
    const { text, sections } = composeDocument(
      documentOf([
        heading(1, 'Berths'),
        prose(sentences(30)),
        prose('The table has the depths.'),
        table(200, { caption: 'Depths in metres' }),
        prose(sentences(30)),
      ]),
    );
    const tables = sections.filter(({ kind }) => kind === 'table');
    expect(tables.length).toBeGreaterThan(2);
    const rows = tables.flatMap((section, n) => {
      const content = sectionContent(text, section);
      expect(content.startsWith('Berths\n\n')).toBe(true);
      expect(content.includes('The table has the depths.')).toBe(n === 0);
      expect(content).toContain('Depths in metres\n\n| Berth | Depth | Remark |\n|---|---|---|\n| Berth ');
      expect(content.length).toBeLessThan(2_900);
      return content.split('\n').filter((line) => line.startsWith('| Berth ') && !line.includes('Depth'));
    });
    expect(rows).toHaveLength(200);
    expect(new Set(rows).size).toBe(200);
  });

  it('escape bars and line breaks in cells and pad short rows', () => {
    const cells: Block = { kind: 'table', header: ['a|b', 'c'], rows: [['x\ny'], ['1', '2', '3']] };
    expect(composeDocument(documentOf([cells])).text).toBe(
      '| a\\|b | c |  |\n|---|---|---|\n| x y |  |  |\n| 1 | 2 | 3 |',
    );
  });

  it('take a short remark below with them', () => {
    const contents = contentsOf([table(200), prose('Source: harbour office.')]);
    expect(contents.at(-1)).toMatch(/\| Berth 199 .*\n\nSource: harbour office\.$/u);
  });
});

describe('other kinds', () => {
  const declaration = (name: string, body: string): Block => ({
    kind: 'code',
    text: `function ${name}() {\n${body}\n}\n`,
    symbol: [name],
  });

  it('give each symbol of code a section, and join what has none', () => {
    const blocks: Block[] = [
      { kind: 'code', text: "import fs from 'node:fs';" },
      { kind: 'code', text: 'const HOUR = 3_600;' },
      declaration('open', '  return 1;'),
      { ...declaration('get', '  return 2;'), symbol: ['Cache', 'get'] } as Block,
      { kind: 'code', text: '}' },
    ];
    expect(contentsOf(blocks, { contentType: 'code', title: 'cache.ts' })).toEqual([
      "cache.ts\n\nimport fs from 'node:fs';\n\nconst HOUR = 3_600;",
      'cache.ts › open\n\nfunction open() {\n  return 1;\n}',
      'cache.ts › Cache › get\n\nfunction get() {\n  return 2;\n}\n\n}',
    ]);
  });

  it('cut a long symbol at line ends after empty lines', () => {
    const block = (n: number) => `  if (step === ${n}) {\n    await turn(${n});\n  }\n  await rest(${n});`;
    const body = Array.from({ length: 200 }, (_, n) => block(n)).join('\n\n');
    const contents = contentsOf([declaration('run', body)], { contentType: 'code' });
    expect(contents.length).toBeGreaterThan(2);
    for (const content of contents.slice(1)) expect(content).toMatch(/^run\n\n {2}if \(step/u);
  });

  it('group turns, and begin each group with one', () => {
    const turns = Array.from({ length: 60 }, (_, n): Block => ({
      kind: 'turn',
      speaker: n % 2 ? 'assistant' : 'Ada',
      text: sentence(n),
      at: `2026-06-02T17:${10 + n}:00Z`.slice(0, 20),
    }));
    const { text, sections } = composeDocument(documentOf(turns));
    for (const section of sections) {
      expect(section.kind).toBe('turns');
      expect(text.slice(section.start, section.end)).toMatch(
        /^\*\*(Ada|assistant)\*\* \(2026-06-02T.*\): The ferry/u,
      );
      expect(section.end - section.start).toBeGreaterThan(800);
      expect(section.end - section.start).toBeLessThan(2_300);
      expect(section.at).toBeDefined();
    }
  });

  it('repeat the speaker of a turn that is too long for a section', () => {
    const contents = contentsOf([
      { kind: 'turn', speaker: 'Ole', text: 'Go on.' },
      { kind: 'turn', speaker: 'Ada', text: sentences(150) },
    ]);
    expect(contents.length).toBeGreaterThan(3);
    for (const content of contents.slice(1)) expect(content.startsWith('**Ada**:')).toBe(true);
  });

  it('give each entry a section with its key, a long one in parts', () => {
    const entry = (key: string, text: string): Block => ({
      kind: 'entry',
      key,
      title: `News ${key}`,
      text,
      uri: `https://example.org/${key}`,
      at: '2026-01-01T00:00:00Z',
    });
    const { text, sections } = composeDocument(
      documentOf([entry('a', 'The pier is shut.'), entry('b', ''), entry('c', sentences(150))], {
        isFeed: true,
      }),
    );
    expect(sections.slice(0, 3).map(({ key, uri, kind }) => [key, uri, kind])).toEqual([
      ['a', 'https://example.org/a', 'entry'],
      ['b', 'https://example.org/b', 'entry'],
      ['c', 'https://example.org/c', 'entry'],
    ]);
    expect(sections.slice(3).map(({ key }) => key)).toEqual(sections.slice(3).map((_, n) => `c#${n + 2}`));
    const contents = sections.map((section) => sectionContent(text, section, 'Harbour'));
    expect(contents.slice(0, 2)).toEqual(['Harbour › News a\n\nThe pier is shut.', 'Harbour › News b']);
    for (const content of contents.slice(2))
      expect(content.startsWith('Harbour › News c\n\nThe ferry')).toBe(true);
  });

  it('fence code within prose with more backticks than it has', () => {
    expect(composeDocument(documentOf([{ kind: 'code', language: 'md', text: '```\nx\n```' }])).text).toBe(
      '````md\n```\nx\n```\n````',
    );
  });
});

describe('sectionBody', () => {
  it('takes the line of headings away', () => {
    expect(sectionBody('Memo › Keys\n\nCall Ada.', ['Keys'])).toBe('Call Ada.');
    expect(sectionBody('Call Ada.', [])).toBe('Call Ada.');
    expect(sectionBody('Keys', ['Keys'])).toBe('');
  });
});
