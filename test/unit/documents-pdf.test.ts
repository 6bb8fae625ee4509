import { describe, expect, it } from 'vitest';
import { readPdf } from '../../src/adapters/documents/pdf.ts';
import { pdfLines, smallPdf, type PdfPageContent, type PdfRun } from '../support/small-pdf.ts';

const prose = [
  'The bridge was opened to traffic in the spring and carried',
  'two lanes until the winter, when the third was added at the',
  'western end. Its deck rests on nine piers of granite.',
];

function row(y: number, cells: readonly string[], font: PdfRun['font'] = 'regular'): PdfRun[] {
  return cells.map((text, index) => ({ text, x: 60 + index * 110, y, size: 9, font }));
}

async function read(pages: readonly PdfPageContent[], info = '') {
  return await readPdf({ bytes: smallPdf(pages, info) });
}

describe('readPdf', () => {
  it('tells headings by their size and takes the largest text as the title', async () => {
    const { title, blocks } = await read([
      {
        runs: [
          { text: 'Bridges of the north', x: 60, y: 80, size: 20 },
          { text: '1 Piers', x: 60, y: 120, size: 14, font: 'bold' },
          ...pdfLines(prose, 60, 145),
          { text: '1.1 Granite', x: 60, y: 210, size: 14, font: 'bold' },
          ...pdfLines(prose, 60, 235),
        ],
      },
    ]);
    expect(title).toBe('Bridges of the north');
    expect(blocks).toEqual([
      { kind: 'heading', level: 1, text: 'Bridges of the north', page: 1 },
      { kind: 'heading', level: 2, text: '1 Piers', page: 1 },
      { kind: 'text', text: prose.join(' '), page: 1 },
      { kind: 'heading', level: 3, text: '1.1 Granite', page: 1 },
      { kind: 'text', text: prose.join(' '), page: 1 },
    ]);
  });

  it('prefers a title of the properties, unless a program has made it up', async () => {
    const runs = [{ text: 'The largest text', x: 60, y: 80, size: 20 }, ...pdfLines(prose, 60, 120)];
    expect((await read([{ runs }], '/Title (Yearly report)')).title).toBe('Yearly report');
    expect((await read([{ runs }], '/Title (Microsoft Word - draft3.doc)')).title).toBe('The largest text');
  });

  it('leaves out running lines and page numbers, and keeps the text between them', async () => {
    const pages = [1, 2, 3].map((page) => ({
      runs: [
        { text: 'Bridge authority', x: 60, y: 40, size: 8 },
        { text: `Report of part ${page}`, x: 400, y: 40, size: 8 },
        ...pdfLines([`Text of page ${page} comes first.`, ...prose], 60, 90),
        { text: `- ${page} -`, x: 290, y: 805, size: 8 },
      ],
    }));
    const { blocks } = await read(pages);
    expect(new Set(blocks.map((block) => block.page))).toEqual(new Set([1, 2, 3]));
    expect(JSON.stringify(blocks)).not.toMatch(/authority|Report of part|- \d -/);
    expect(JSON.stringify(blocks)).toContain('Text of page 3 comes first.');
  });

  it('reads two columns one after the other and joins a sentence between them', async () => {
    const left = Array.from({ length: 12 }, (_, index) => `left column line ${index} is this long`);
    const right = Array.from({ length: 12 }, (_, index) => `right column line ${index} is so long`);
    const { blocks } = await read([
      {
        runs: [
          { text: 'A title that is set over both of the columns of text', x: 60, y: 80, size: 18 },
          ...pdfLines(left, 60, 120),
          ...pdfLines(right, 310, 120),
        ],
      },
    ]);
    expect(blocks.slice(1)).toEqual([{ kind: 'text', text: [...left, ...right].join(' '), page: 1 }]);
  });

  it('reads a table with wrapped cells, and repeats its header on the next page', async () => {
    const many = Array.from({ length: 6 }, (_, index) =>
      row(650 + index * 14, [`Pier ${index}`, `${index}2`, `${index}.5`]),
    );
    const { blocks } = await read([
      {
        runs: [
          ...pdfLines(prose, 60, 90),
          { text: 'Table 1. Heights of the piers', x: 60, y: 600 },
          ...row(636, ['Name', 'Height m', 'Share'], 'bold'),
          ...many.flat(),
        ],
      },
      {
        runs: [
          ...row(60, ['Pier 6 in the', '62', '6.5']),
          ...row(70, ['old harbour']),
          ...row(84, ['Pier 7', '72', '7.5']),
          ...pdfLines(prose, 60, 150),
        ],
      },
    ]);
    const tables = blocks.filter((block) => block.kind === 'table');
    expect(tables).toHaveLength(2);
    expect(tables[0]).toMatchObject({
      page: 1,
      caption: 'Table 1. Heights of the piers',
      header: ['Name', 'Height m', 'Share'],
    });
    expect(tables[0]?.rows[0]).toEqual(['Pier 0', '02', '0.5']);
    expect(tables[1]).toMatchObject({
      page: 2,
      header: ['Name', 'Height m', 'Share'],
      rows: [
        ['Pier 6 in the old harbour', '62', '6.5'],
        ['Pier 7', '72', '7.5'],
      ],
    });
  });

  it('joins words that were hyphenated, but not those that the text writes so', async () => {
    const lines = [
      'Every well-known harbour has a break-',
      'water, and the best are of the well-',
      'known kind that stands against the sea.',
    ];
    const { blocks } = await read([{ runs: pdfLines(lines, 60, 90) }]);
    expect(blocks).toEqual([
      {
        kind: 'text',
        text: 'Every well-known harbour has a breakwater, and the best are of the well-known kind that stands against the sea.',
        page: 1,
      },
    ]);
  });

  it('leaves out a table of contents, and keeps prices with dots', async () => {
    const contents = ['1 Piers ............... 3', '2 Deck ................ 5', '3 Rails ............... 9'];
    const prices = ['Soup ............. 4.50', 'Bread ............ 1.20', 'Tea .............. 2.00'];
    const { blocks } = await read([
      { runs: [{ text: 'Contents', x: 60, y: 80, size: 18 }, ...pdfLines(contents, 60, 110)] },
      { runs: [...pdfLines(prose, 60, 90), ...pdfLines(prices, 60, 160)] },
    ]);
    const all = JSON.stringify(blocks);
    expect(all).not.toMatch(/Contents|Deck/);
    expect(all).toMatch(/Soup.*4\.50/);
  });

  it('keeps lists and code apart from text', async () => {
    const code = pdfLines(['for (const pier of piers) {', '  measure(pier);', '}'], 60, 200).map((run) => ({
      ...run,
      font: 'code' as const,
    }));
    const { blocks } = await read([
      {
        runs: [
          ...pdfLines(prose, 60, 90),
          { text: '•', x: 60, y: 150 },
          { text: 'Count the piers from the west.', x: 75, y: 150 },
          { text: '•', x: 60, y: 163 },
          { text: 'Measure each of them.', x: 75, y: 163 },
          ...code,
        ],
      },
    ]);
    expect(blocks.map(({ kind }) => kind)).toEqual(['text', 'text', 'code']);
    expect(blocks[1]).toMatchObject({ text: '- Count the piers from the west.\n- Measure each of them.' });
  });

  it('names pages without text, and refuses a file that has none', async () => {
    const { pages } = await read([
      { runs: pdfLines(prose, 60, 90) },
      { runs: [], hasPicture: true },
      { runs: [] },
    ]);
    expect(pages).toEqual({ total: 3, empty: [3], withoutText: [2] });
    await expect(
      read([
        { runs: [], hasPicture: true },
        { runs: [], hasPicture: true },
      ]),
    ).rejects.toMatchObject({
      code: 'document-unreadable',
      message: expect.stringContaining('pages 1-2') as string,
    });
  });

  it('refuses a file that was cut', async () => {
    const bytes = smallPdf(Array.from({ length: 5 }, () => ({ runs: pdfLines(prose, 60, 90) })));
    for (const share of [0.2, 0.5, 0.8]) {
      await expect(readPdf({ bytes: bytes.subarray(0, bytes.length * share) })).rejects.toMatchObject({
        code: 'document-unreadable',
      });
    }
    await expect(readPdf({ bytes: new Uint8Array([1, 2, 3]) })).rejects.toMatchObject({
      code: 'document-unreadable',
    });
  });

  it('reads Japanese in a font that is not embedded', async () => {
    const lines = ['水を入れて沸かす。使った後は必ず湯を', '捨てて乾かす。'];
    const runs = pdfLines(lines, 60, 120).map((run) => ({ ...run, font: 'japanese' as const }));
    const { blocks } = await read([{ runs }]);
    expect(blocks).toEqual([{ kind: 'text', text: lines.join(''), page: 1 }]);
  });

  it('calls a document with an abstract and references a paper', async () => {
    const pages = [
      {
        runs: [
          { text: 'On piers', x: 60, y: 80, size: 18 },
          ...pdfLines(['Abstract. We measure piers.'], 60, 110),
          ...pdfLines(prose, 60, 150),
          { text: 'References', x: 60, y: 220, size: 14 },
          ...pdfLines(['[1] A. Mason, Piers of the north, 2019.'], 60, 240),
        ],
      },
    ];
    expect((await read(pages)).contentType).toBe('academic_paper');
  });
});
