import { median, type Line } from './pdf-lines.ts';
import { cellsOf, type Grid } from './pdf-tables.ts';
import { joinLines } from './pdf-words.ts';

/** A table as text. */
export interface TableText {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

interface GridLine {
  readonly line: Line;
  readonly cells: readonly (Line | undefined)[];
  readonly filled: number;
  /** Distance from the line before. */
  readonly step: number;
}

const number = /^[-–+(]?[\d.,:/%\s€$£°]*\d[\d.,:/%\s€$£°)]*$/;
const year = /^(?:19|20)\d\d$/;

/** Lines of a grid as rows: a cell that was wrapped is one cell again. `before` is the table that it goes on with. */
export function tableTextOf(grid: Grid, words: ReadonlySet<string>, before?: TableText): TableText {
  const lines = gridLines(grid);
  const rows = rowsOf(lines, words);
  const depth = before ? 0 : headerDepth(lines, rows.starts);
  const texts = rows.texts;
  const header = before?.header ?? joinRows(texts.slice(0, depth), grid.separators.length + 1);
  const body = before && isSameRow(texts[0], header) ? texts.slice(1) : texts.slice(depth);
  return { header, rows: body };
}

function gridLines({ lines, separators }: Grid): GridLine[] {
  return lines.map((line, index) => {
    const cells = cellsOf(line, separators);
    const filled = cells.filter((cell) => cell !== undefined).length;
    return { line, cells, filled, step: index === 0 ? Infinity : line.bottom - lines[index - 1]!.bottom };
  });
}

function rowsOf(
  lines: readonly GridLine[],
  words: ReadonlySet<string>,
): { texts: string[][]; starts: number[] } {
  const width = lines[0]?.cells.length ?? 0;
  const isFull = (line: GridLine | undefined) => (line?.filled ?? 0) >= Math.max(2, Math.ceil(width / 2));
  const usual = median(
    lines.filter((line, index) => isFull(line) && isFull(lines[index - 1])).map(({ step }) => step),
  );
  const texts: string[][] = [];
  const starts: number[] = [];
  for (const [index, line] of lines.entries()) {
    const row = texts.at(-1);
    if (row && isContinuation(line, lines[index - 1]!, usual)) {
      for (const [x, cell] of line.cells.entries())
        if (cell) row[x] = joinLines(row[x] ?? '', cell.text, words);
      continue;
    }
    starts.push(index);
    texts.push(line.cells.map((cell) => cell?.text ?? ''));
    // A label beside several rows is printed once. It belongs to each of them.
    if (row && !line.cells[0] && line.filled > 1) texts.at(-1)![0] = row[0] ?? '';
  }
  return { texts, starts };
}

function isContinuation(line: GridLine, previous: GridLine, usual: number): boolean {
  const { size } = line.line;
  // Cells in the middle of a row stand between the lines of a longer one.
  if (line.step < 0.9 * size) return true;
  if (line.filled === line.cells.length) return false;
  if (usual > 0 && line.step < 0.9 * usual) return true;
  if (!line.cells[0]) {
    const texts = line.cells.flatMap((cell) => (cell ? [cell.text] : []));
    return line.filled <= line.cells.length / 2 && !texts.some((text) => number.test(text));
  }
  const above = previous.cells[0];
  return (
    line.filled === 1 &&
    above !== undefined &&
    (/[-–,/]$/.test(above.text) || /^\p{Ll}/u.test(line.cells[0].text))
  );
}

/** Rows of the header: those in a font of their own, or the first one unless it has numbers as those below. */
function headerDepth(lines: readonly GridLine[], starts: readonly number[]): number {
  const fonts = starts.map((start) => lines[start]!.line.font);
  const last = fonts.at(-1);
  const body = fonts.findIndex((font) => font === last);
  if (body > 0 && body <= 3 && fonts.slice(body).every((font) => font === last)) return body;
  const first = lines[0]!;
  const isData = first.cells.some((cell, x) => {
    if (!cell || !number.test(cell.text) || year.test(cell.text)) return false;
    const below = lines.slice(1).flatMap(({ cells }) => (cells[x] ? [cells[x].text] : []));
    return below.filter((text) => number.test(text)).length > 0.7 * below.length;
  });
  return isData ? 0 : 1;
}

function joinRows(rows: readonly (readonly string[])[], width: number): string[] {
  return Array.from({ length: width }, (_, x) =>
    rows
      .map((row) => row[x] ?? '')
      .filter((text) => text !== '')
      .join(' '),
  );
}

function isSameRow(row: readonly string[] | undefined, header: readonly string[]): boolean {
  const plain = (cells: readonly string[]) => cells.join(' ').toLowerCase().replaceAll(/\s+/g, ' ').trim();
  return row !== undefined && plain(row) === plain(header);
}
