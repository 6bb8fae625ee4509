import { describe, expect, it } from 'vitest';
import { readXlsx } from '../../src/adapters/documents/xlsx.ts';
import { packageRelationships, relationships, smallPackage } from '../support/small-package.ts';

interface SheetParts {
  readonly name: string;
  readonly rows: string;
  readonly merges?: string;
  readonly state?: string;
  /** Characters of its XML that are missing at the end. */
  readonly missing?: number;
}

function xlsx(sheets: readonly SheetParts[], isFrom1904 = false): Uint8Array {
  return smallPackage({
    '_rels/.rels': packageRelationships('xl/workbook.xml'),
    'xl/workbook.xml': `<workbook xmlns:r="r"><workbookPr date1904="${isFrom1904 ? 1 : 0}"/><sheets>${sheets
      .map(
        ({ name, state = 'visible' }, index) =>
          `<sheet name="${name}" sheetId="${index + 1}" state="${state}" r:id="rId${index + 1}"/>`,
      )
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationships([
      ...sheets.map((_, index) => ({
        id: `rId${index + 1}`,
        type: 'worksheet',
        target: `worksheets/sheet${index + 1}.xml`,
      })),
      { id: 'rId90', type: 'sharedStrings', target: 'sharedStrings.xml' },
      { id: 'rId91', type: 'styles', target: '/xl/styles.xml' },
    ]),
    'xl/sharedStrings.xml':
      '<sst><si><t>Boat &amp; crew</t></si><si><r><t>Sea</t></r><r><t>gull</t></r><rPh><t>no</t></rPh></si></sst>',
    'xl/styles.xml':
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy;@"/><numFmt numFmtId="165" formatCode="&quot;day &quot;0.00"/></numFmts>' +
      '<cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="20"/><xf numFmtId="10"/><xf numFmtId="165"/></cellXfs></styleSheet>',
    ...Object.fromEntries(
      sheets.map(({ rows, merges = '', missing = 0 }, index) => {
        const xml = `<worksheet><sheetData>${rows}</sheetData><mergeCells>${merges}</mergeCells></worksheet>`;
        return [`xl/worksheets/sheet${index + 1}.xml`, xml.slice(0, xml.length - missing)];
      }),
    ),
  });
}

const text = (at: string, value: string) => `<c r="${at}" t="inlineStr"><is><t>${value}</t></is></c>`;
const number = (at: string, value: number, style = 0) => `<c r="${at}" s="${style}"><v>${value}</v></c>`;
const row = (at: number, ...cells: readonly string[]) => `<row r="${at}">${cells.join('')}</row>`;

describe('readXlsx', () => {
  it('reads shared strings, dates, times, percentages and cached values of formulas', async () => {
    const rows =
      row(
        1,
        text('A1', 'Boat'),
        text('B1', 'Date'),
        text('C1', 'Time'),
        text('D1', 'Share'),
        text('E1', 'Price'),
      ) +
      row(
        2,
        '<c r="A2" t="s"><v>0</v></c>',
        number('B2', 46055, 1),
        number('C2', 0.5, 2),
        number('D2', 0.125, 3),
        number('E2', 27, 4),
      ) +
      row(
        3,
        '<c r="A3" t="s"><v>1</v></c>',
        number('B3', 46055.75, 1),
        '<c r="C3" t="e"><v>#N/A</v></c>',
        '<c r="D3" t="b"><v>1</v></c>',
        '<c r="E3"><f>1+1</f><v>0.30000000000000004</v></c>',
      );
    const { blocks } = await readXlsx({ bytes: xlsx([{ name: 'Boats', rows }]) });
    expect(blocks).toEqual([
      { kind: 'heading', level: 1, text: 'Boats', page: 1 },
      {
        kind: 'table',
        header: ['Boat', 'Date', 'Time', 'Share', 'Price'],
        rows: [
          ['Boat & crew', '2026-02-02', '12:00', '12.50%', '27.00'],
          ['Seagull', '2026-02-02T18:00', '', 'TRUE', '0.3'],
        ],
        page: 1,
      },
    ]);
  });

  it('refuses a sheet whose end is missing', async () => {
    const rows = row(1, text('A1', 'Boat')) + row(2, text('A2', 'Tern'));
    for (const missing of [1, 12, 60, 90])
      await expect(readXlsx({ bytes: xlsx([{ name: 'Fleet', rows, missing }]) })).rejects.toThrow(
        'a sheet is not complete',
      );
  });

  it('counts days from 1904 where the workbook does', async () => {
    const rows =
      row(1, text('A1', 'Boat'), text('B1', 'Date')) + row(2, text('A2', 'Gull'), number('B2', 44593, 1));
    const { blocks } = await readXlsx({ bytes: xlsx([{ name: 'Boats', rows }], true) });
    expect(blocks[1]).toMatchObject({ rows: [['Gull', '2026-02-02']] });
  });

  it('takes a title above the header as the caption, and separates tables at empty rows', async () => {
    const rows =
      row(1, text('A1', 'Rota of the year')) +
      row(3, text('A3', 'Week'), text('B3', 'Helm')) +
      row(4, number('A4', 1), text('B4', 'Gannet')) +
      row(6, text('A6', 'Item'), text('B6', 'Serial'), text('C6', 'Note')) +
      row(7, text('A7', 'Pump'), text('B7', 'P-1'), text('C7', 'new'));
    const { blocks } = await readXlsx({
      bytes: xlsx([{ name: 'Rota', rows, merges: '<mergeCell ref="A1:E1"/>' }]),
    });
    expect(blocks.slice(1)).toEqual([
      {
        kind: 'table',
        caption: 'Rota of the year',
        header: ['Week', 'Helm'],
        rows: [['1', 'Gannet']],
        page: 1,
      },
      { kind: 'table', header: ['Item', 'Serial', 'Note'], rows: [['Pump', 'P-1', 'new']], page: 1 },
    ]);
  });

  it('joins a header of two rows and repeats labels that span rows', async () => {
    const rows =
      row(1, text('A1', 'Line'), text('B1', 'On time')) +
      row(2, text('B2', '2024'), text('C2', '2025')) +
      row(3, text('A3', 'Ring'), number('B3', 92), number('C3', 93)) +
      row(4, number('B4', 94), number('C4', 95));
    const merges = '<mergeCell ref="A1:A2"/><mergeCell ref="B1:C1"/><mergeCell ref="A3:A4"/>';
    const { blocks } = await readXlsx({ bytes: xlsx([{ name: 'Lines', rows, merges }]) });
    expect(blocks[1]).toMatchObject({
      header: ['Line', 'On time 2024', 'On time 2025'],
      rows: [
        ['Ring', '92', '93'],
        ['Ring', '94', '95'],
      ],
    });
  });

  it('goes on with the header of a table that an empty row interrupts', async () => {
    const rows =
      row(1, text('A1', 'Boat'), text('B1', 'Seats')) +
      row(2, text('A2', 'Gull'), number('B2', 4)) +
      row(4, text('A4', 'Tern'), number('B4', 6));
    const { blocks } = await readXlsx({ bytes: xlsx([{ name: 'Boats', rows }]) });
    expect(blocks[2]).toMatchObject({ header: ['Boat', 'Seats'], rows: [['Tern', '6']] });
  });

  it('marks hidden sheets and names empty ones', async () => {
    const rows =
      row(1, text('A1', 'Item'), text('B1', 'Year')) + row(2, text('A2', 'Flag'), number('B2', 2019));
    const { blocks, pages } = await readXlsx({
      bytes: xlsx([
        { name: 'None', rows: '' },
        { name: 'Old', rows, state: 'veryHidden' },
      ]),
    });
    expect(blocks.map(({ page, isHidden }) => [page, isHidden])).toEqual([
      [2, true],
      [2, true],
    ]);
    expect(pages).toEqual({ total: 2, empty: [1], withoutText: [] });
  });
});
