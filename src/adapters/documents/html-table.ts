import { childrenOf, classOf, type HtmlElement, isElement, isHidden } from './html-dom.ts';

/** What a `<table>` says: cells under headers, apart from tables that only place content on the page. */
export interface HtmlTable {
  readonly caption?: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

interface Cell {
  readonly element: HtmlElement;
  readonly isHeader: boolean;
  readonly columns: number;
  readonly rows: number;
}

interface Row {
  readonly cells: readonly Cell[];
  readonly section: HtmlElement;
  readonly isHead: boolean;
}

/** A cell in the grid; cells that span several places are the same object in each. */
interface Place {
  readonly cell: Cell;
  readonly text: string;
}

type Grid = readonly (readonly (Place | undefined)[])[];

/** A page may claim any number of columns for a cell. */
const maxColumnSpan = 200;
const maxHeaderRows = 4;
const longCell = 1_000;
/** Longer texts are no numbers, and take long to be told from them. */
const maxNumberLength = 40;
const number = /^[^\p{L}]*\d[^\p{L}]*\p{L}{0,3}\.?$/u;

/** Rows of a table in the order of the page: `tfoot` comes last. Rows of tables inside its cells are not among them. */
export function rowsOf(table: HtmlElement): Row[] {
  const rows: Row[] = [];
  const last: Row[] = [];
  const collect = (parent: HtmlElement): void => {
    for (const child of childrenOf(parent)) {
      if (!isElement(child) || isHidden(child)) continue;
      if (child.localName === 'tr') {
        const row = { cells: cellsOf(child), section: parent, isHead: parent.localName === 'thead' };
        (parent.localName === 'tfoot' ? last : rows).push(row);
      } else if (/^(?:thead|tbody|tfoot|form)$/.test(child.localName)) collect(child);
    }
  };
  collect(table);
  return [...rows, ...last].filter((row) => row.cells.length > 0);
}

/** Cells of a row, for tables that are unfolded. */
export function cellElementsOf(table: HtmlElement): HtmlElement[] {
  return rowsOf(table).flatMap((row) => row.cells.map((cell) => cell.element));
}

/** Tells whether a table only places content on the page. `rows` are those of `rowsOf`. */
export function isLayout(table: HtmlElement, rows: readonly Row[]): boolean {
  if (/^(?:presentation|none)$/.test(table.getAttribute('role') ?? '')) return true;
  const cells = rows.flatMap((row) => row.cells);
  if (cells.length === 0) return true;
  const says =
    cells.some((cell) => cell.isHeader) || captionOf(table) !== undefined || rows.some((row) => row.isHead);
  const inner = says ? 'h1,h2,h3' : 'h1,h2,h3,h4,h5,h6,table,pre,p + p,form,article,section,hr,blockquote,dl';
  if (cells.some(({ element }) => element.querySelector(inner) !== null)) return true;
  if (says) return rows.length === 1 && cells.length === 1;
  if (Math.max(...rows.map((row) => row.cells.length)) === 1 || rows.length === 1) return true;
  return cells.some(({ element }) => element.textContent.length > longCell);
}

/**
 * Reads a table that holds data. A row of one cell over all columns names the rows below it: they become a table of their own
 * with that name in the caption. `textOf` returns the text of a cell in one line.
 */
export function tablesOf(
  table: HtmlElement,
  rows: readonly Row[],
  textOf: (element: HtmlElement) => string,
): HtmlTable[] {
  const grid = withoutEmptyColumns(gridOf(rows, textOf));
  const width = Math.max(0, ...grid.map((row) => row.length));
  const caption = captionOf(table);
  let name = caption === undefined ? undefined : textOf(caption) || undefined;
  let first = 0;
  while (first < grid.length - 1 && isBanner(grid[first] ?? [], width)) {
    name = joined(name, grid[first]?.[0]?.text);
    first += 1;
  }
  const body = grid.slice(first);
  const kinds = rows.slice(first);
  const headerRows = headerRowCount(body, kinds);
  const header = headerRows === 0 ? [] : headerOf(body.slice(0, headerRows), width);
  const tables: HtmlTable[] = [];
  let section: string | undefined;
  let lines: string[][] = [];
  const close = (): void => {
    const named = joined(name, section);
    if (lines.length > 0)
      tables.push({ ...(named === undefined ? {} : { caption: named }), header, rows: lines });
    lines = [];
  };
  for (const [index, row] of body.slice(headerRows).entries()) {
    const texts = Array.from({ length: width }, (_, column) => row[column]?.text ?? '');
    if (texts.every((text) => text === '')) continue;
    const isLast = index === body.length - headerRows - 1;
    if (isBanner(row, width) && !isLast) {
      close();
      section = texts[0];
    } else lines.push(isBanner(row, width) ? [texts[0] ?? ''] : texts);
  }
  close();
  return tables;
}

function cellsOf(row: HtmlElement): Cell[] {
  const cells: Cell[] = [];
  for (const child of childrenOf(row)) {
    if (!isElement(child) || (child.localName !== 'td' && child.localName !== 'th') || isHidden(child))
      continue;
    const columns = Math.min(span(child, 'colspan') || 1, maxColumnSpan);
    cells.push({ element: child, isHeader: child.localName === 'th', columns, rows: span(child, 'rowspan') });
  }
  return cells;
}

/** 1 without the attribute. 0 means "to the end" for rows. */
function span(cell: HtmlElement, attribute: string): number {
  const value = Number.parseInt(cell.getAttribute(attribute) ?? '1', 10);
  return Number.isInteger(value) && value >= 0 ? value : 1;
}

/** Puts each cell on all places that it covers. A cell does not reach beyond its `thead`, `tbody` or `tfoot`. */
function gridOf(rows: readonly Row[], textOf: (element: HtmlElement) => string): Grid {
  const grid: (Place | undefined)[][] = rows.map(() => []);
  for (const [index, row] of rows.entries()) {
    let column = 0;
    for (const cell of row.cells) {
      while (grid[index]?.[column] !== undefined) column += 1;
      const place = { cell, text: textOf(cell.element) };
      const end = cell.rows === 0 ? rows.length : index + cell.rows;
      for (
        let down = index;
        down < Math.min(end, rows.length) && rows[down]?.section === row.section;
        down++
      ) {
        for (let across = column; across < column + cell.columns; across++) {
          const line = grid[down];
          if (line !== undefined) line[across] ??= place;
        }
      }
      column += cell.columns;
    }
  }
  return grid;
}

/** Columns of white space are part of the layout. */
function withoutEmptyColumns(grid: Grid): Grid {
  const width = Math.max(0, ...grid.map((row) => row.length));
  const filled = Array.from({ length: width }, (_, column) =>
    // A cell over several columns fills only the first of them here, as the others may be there for the look alone.
    grid.some((row) => (row[column]?.text ?? '') !== '' && row[column] !== row[column - 1]),
  );
  return filled.includes(false)
    ? grid.map((row) => Array.from({ length: width }, (_, c) => row[c]).filter((_, c) => filled[c]))
    : grid;
}

function isBanner(row: readonly (Place | undefined)[], width: number): boolean {
  const [first] = row;
  return (
    width > 1 &&
    row.length === width &&
    first !== undefined &&
    first.text !== '' &&
    row.every((place) => place === first)
  );
}

/** Rows of the header: those of `thead`, or rows of `th` alone, or a first row that differs from all others. */
function headerRowCount(grid: Grid, rows: readonly Row[]): number {
  const headed = rows.findIndex((row) => !row.isHead);
  if (headed !== 0) return headed === -1 ? Math.min(1, grid.length) : headed;
  const isTitles = (row: Grid[number] | undefined): boolean =>
    row?.every((place) => place === undefined || place.cell.isHeader || place.text === '') === true &&
    row.some((place) => place?.cell.isHeader === true);
  let count = 0;
  while (count < Math.min(maxHeaderRows, grid.length - 1) && isTitles(grid[count])) count += 1;
  if (count > 0) return count;
  return grid.length > 1 && isSurelyTitles(grid) ? 1 : 0;
}

/** For tables without `th`: the first row alone is bold, or has words above columns of numbers. */
function isSurelyTitles(grid: Grid): boolean {
  const [first = [], ...rest] = grid;
  const titles = first.filter((place) => place !== undefined);
  if (titles.length < 2 || titles.filter((place) => place.text === '').length > 1) return false;
  const isBold = ({ cell: { element }, text }: Place): boolean =>
    text === '' ||
    /bold|head/i.test(`${element.getAttribute('style') ?? ''} ${classOf(element)}`) ||
    isAllBold(element);
  const isAll = (row: Grid[number]): boolean => row.every((place) => place === undefined || isBold(place));
  if (isAll(first)) return !rest.every(isAll);
  if (titles.some((place) => isNumber(place.text))) return false;
  return first.some((title, column) => {
    const below = rest.map((row) => row[column]?.text ?? '').filter((text) => text !== '');
    return (title?.text ?? '') !== '' && below.length > 1 && below.every(isNumber);
  });
}

function isNumber(text: string): boolean {
  return text.length <= maxNumberLength && number.test(text);
}

function isAllBold(cell: HtmlElement): boolean {
  const bold = [...cell.querySelectorAll('b,strong')].map((element) => element.textContent.trim()).join('');
  return bold !== '' && bold.replaceAll(/\s/g, '') === cell.textContent.replaceAll(/\s/g, '');
}

/** The titles of several rows are read together, such as "Load day" for "day" below "Load". */
function headerOf(rows: Grid, width: number): string[] {
  return Array.from({ length: width }, (_, column) =>
    [...new Set(rows.map((row) => row[column]?.text ?? ''))].filter((text) => text !== '').join(' '),
  );
}

function captionOf(table: HtmlElement): HtmlElement | undefined {
  for (const child of childrenOf(table)) if (isElement(child) && child.localName === 'caption') return child;
  return undefined;
}

function joined(caption: string | undefined, section: string | undefined): string | undefined {
  return [caption, section].filter((part) => part !== undefined && part !== '').join(' – ') || undefined;
}
