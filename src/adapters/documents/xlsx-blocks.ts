import type { Block } from '../../domain/documents/content.ts';
import type { Cell, Merge, Sheet } from './xlsx-sheet.ts';

type Table = Extract<Block, { kind: 'table' }>;
type Row = readonly (Cell | undefined)[];

/** Rows without an empty one between them, cut to the columns that are used. */
interface Region {
  readonly top: number;
  readonly left: number;
  readonly rows: readonly Row[];
}

/** A merge larger than this is background, not a label. */
const maxMerged = 20_000;
/** Lone cells below a table that are longer than this are remarks. */
const maxLabel = 40;

/** The tables and lines of a sheet, in order. Empty rows separate tables; a title above one becomes its caption. */
export function blocksOfSheet(sheet: Sheet): Block[] {
  const filled = fillMerges(sheet);
  const blocks: Block[] = [];
  let caption: string[] = [];
  let previous: { readonly table: Table; readonly region: Region } | undefined;
  const endCaption = () => {
    if (caption.length > 0) blocks.push({ kind: 'text', text: caption.join('\n\n') });
    caption = [];
  };
  for (const region of regionsOf(filled)) {
    const isLines = region.rows.every((row) => cellsOf(row) <= 1);
    if (isLines && (region.rows.length <= 3 || widthOf(region) > 1)) {
      caption.push(...region.rows.map(lineOf));
      previous = undefined;
      continue;
    }
    const { table, remarks } = tableOf(region, sheet.merges, previous);
    const above = caption.length <= 3 && caption.every((line) => line.length <= 200) ? caption.splice(0) : [];
    endCaption();
    const lines = [...above, ...(table.caption === undefined ? [] : [table.caption])];
    blocks.push({ ...table, ...(lines.length > 0 && { caption: lines.join(' – ') }) });
    if (remarks.length > 0) blocks.push({ kind: 'text', text: remarks.join('\n\n') });
    previous = { table, region };
  }
  endCaption();
  return blocks;
}

/** Merged cells hold their value in the first one. It counts for all of them. */
function fillMerges({ rows, merges }: Sheet): Map<number, Map<number, Cell>> {
  const filled = new Map([...rows].map(([y, cells]) => [y, new Map(cells)]));
  for (const { top, left, bottom, right } of merges) {
    const cell = filled.get(top)?.get(left);
    // A title over several columns stays one cell: it is told apart from a header by standing alone.
    if (!cell || top === bottom || (bottom - top + 1) * (right - left + 1) > maxMerged) continue;
    for (let y = top + 1; y <= bottom; y++) {
      const row = filled.get(y);
      if (row && !row.has(left)) row.set(left, cell);
    }
  }
  return filled;
}

function regionsOf(rows: ReadonlyMap<number, ReadonlyMap<number, Cell>>): Region[] {
  const regions: Region[] = [];
  const numbers = [...rows.keys()].sort((a, b) => a - b);
  for (let start = 0; start < numbers.length;) {
    let end = start + 1;
    while (end < numbers.length && numbers[end] === numbers[end - 1]! + 1) end++;
    regions.push(...sideBySide(numbers.slice(start, end), rows));
    start = end;
  }
  return regions;
}

/** Splits rows at empty columns where both sides are tables with a header of their own. */
function sideBySide(
  numbers: readonly number[],
  rows: ReadonlyMap<number, ReadonlyMap<number, Cell>>,
): Region[] {
  const used = [...new Set(numbers.flatMap((y) => [...(rows.get(y)?.keys() ?? [])]))].sort((a, b) => a - b);
  const groups: number[][] = [];
  for (const x of used) {
    const last = groups.at(-1);
    if (last && last.at(-1) === x - 1) last.push(x);
    else groups.push([x]);
  }
  const isTable = (columns: readonly number[]) =>
    columns.length > 1 &&
    numbers.length > 1 &&
    columns.every((x) => rows.get(numbers[0]!)?.get(x)?.isValue === false);
  const parts = groups.length > 1 && groups.every(isTable) ? groups : [used];
  return parts.flatMap((columns) => {
    const left = columns[0] ?? 0;
    const inPart = numbers
      .map((y): Row => columns.map((x) => rows.get(y)?.get(x)))
      .filter((row) => cellsOf(row) > 0);
    return inPart.length === 0 ? [] : [{ top: numbers[0] ?? 0, left, rows: inPart, columns }];
  });
}

function tableOf(
  region: Region,
  merges: readonly Merge[],
  previous: { readonly table: Table; readonly region: Region } | undefined,
): { readonly table: Table; readonly remarks: readonly string[] } {
  const rows = [...region.rows];
  const width = widthOf(region);
  const caption: string[] = [];
  if (width > 1) while (isCaption(rows)) caption.push(lineOf(rows.shift()!));
  const remarks: string[] = [];
  if (width > 2) while (rows.length > 2 && isRemark(rows.at(-1)!)) remarks.unshift(lineOf(rows.pop()!));
  const depth = hasHeader(rows, region, previous)
    ? headerDepth(region.top + caption.length, rows, merges)
    : 0;
  const inherited =
    depth === 0 && previous?.region.left === region.left && previous.table.header.length === width;
  const header = inherited
    ? previous.table.header
    : headerOf(rows.slice(0, depth), region.top + caption.length, region.left, width, merges);
  return {
    table: {
      kind: 'table',
      ...(caption.length > 0 && { caption: caption.join(' – ') }),
      header,
      rows: rows.slice(depth).map((row) => row.map((cell) => cell?.text ?? '')),
    },
    remarks,
  };
}

/** A header has texts, or years behind a text. Rows after an empty one may go on with the table before it. */
function hasHeader(
  rows: readonly Row[],
  region: Region,
  previous: { readonly table: Table; readonly region: Region } | undefined,
): boolean {
  const [first, second] = rows;
  if (!first) return false;
  const cells = first.filter((cell) => cell !== undefined);
  const isYear = (cell: Cell) => cell.isValue && /^(?:19|20)\d\d$/.test(cell.text);
  if (!cells.every((cell) => !cell.isValue || isYear(cell))) return false;
  if (cells.every(isYear) || !second) return false;
  const continues = previous?.region.left === region.left && previous.table.header.length === widthOf(region);
  // The same columns again, all of them texts: a header differs from the rows above it in what stands in columns of values.
  if (!continues) return true;
  const last = previous.region.rows.at(-1) ?? [];
  return last.some((cell, x) => cell?.isValue === true && first[x]?.isValue === false);
}

/** Rows of a header: more than one if cells of the first are merged. */
function headerDepth(top: number, rows: readonly Row[], merges: readonly Merge[]): number {
  const inFirst = merges.filter((merge) => merge.top === top);
  const down = Math.max(1, ...inFirst.map((merge) => merge.bottom - merge.top + 1));
  const isGrouped = inFirst.some((merge) => merge.right > merge.left && merge.bottom === merge.top);
  const depth =
    down > 1 ? down : isGrouped && (rows[1]?.every((cell) => cell?.isValue !== true) ?? false) ? 2 : 1;
  return Math.min(depth, 4, rows.length - 1);
}

/** Names of the columns. Groups above several columns come before the names of each of them. */
function headerOf(
  rows: readonly Row[],
  top: number,
  left: number,
  width: number,
  merges: readonly Merge[],
): string[] {
  return Array.from({ length: width }, (_, x) => {
    const names = rows.map((row, y) => {
      const group = merges.find(
        (merge) => merge.top === top + y && merge.left <= left + x && merge.right >= left + x,
      );
      return (row[x] ?? (group && row[group.left - left]))?.text ?? '';
    });
    return [...new Set(names.filter((name) => name !== ''))].join(' ');
  });
}

function widthOf(region: Region): number {
  return region.rows[0]?.length ?? 0;
}

function cellsOf(row: Row): number {
  return row.filter((cell) => cell !== undefined).length;
}

function isText(row: Row): boolean {
  return row.every((cell) => cell?.isValue !== true);
}

/** A lone text above a row with several cells. */
function isCaption([first, second]: readonly Row[]): boolean {
  return (
    first !== undefined &&
    second !== undefined &&
    cellsOf(first) === 1 &&
    cellsOf(second) > 1 &&
    isText(first)
  );
}

function isRemark(row: Row): boolean {
  return cellsOf(row) === 1 && row[0] !== undefined && !row[0].isValue && row[0].text.length > maxLabel;
}

function lineOf(row: Row): string {
  return row.flatMap((cell) => (cell ? [cell.text] : [])).join(' ');
}
