/** Rows of a delimited text. */
const delimiters = [',', ';', '\t', '|'] as const;
const SAMPLED_ROWS = 30;
const SAMPLED_LENGTH = 65_536;
/** A cell of prose: commas between such are punctuation. */
const LONG_CELL = 80;

/**
 * The delimiter of a text that is certainly a table: at least three rows of one width, of at least three columns for a comma, which
 * prose has, too.
 */
export function sniffDelimiter(text: string): string | undefined {
  return ranked(text).find(
    ({ delimiter, width, rows, isEven, isShort }) =>
      isEven && isShort && rows >= 3 && width >= (delimiter === ',' || delimiter === '|' ? 3 : 2),
  )?.delimiter;
}

/** The likeliest delimiter of a text that is said to be a table. */
export function likelyDelimiter(text: string): string {
  return ranked(text)[0]?.delimiter ?? ',';
}

/** The rows of RFC 4180, with any delimiter. A quote within a cell that does not start with one is a character like others. */
export function parseDelimited(
  text: string,
  delimiter: string,
  maxRows = Number.POSITIVE_INFINITY,
): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length && rows.length < maxRows) {
    const { cell, end } = cellAt(text, at, delimiter);
    row.push(cell);
    if (text[end] === delimiter) {
      at = end + 1;
      if (at === text.length) row.push('');
      else continue;
    }
    rows.push(row);
    row = [];
    at = end + 1;
  }
  return rows;
}

function cellAt(text: string, from: number, delimiter: string): { cell: string; end: number } {
  if (text[from] !== '"') {
    const end = endOfCell(text, from, delimiter);
    return { cell: text.slice(from, end), end };
  }
  let cell = '';
  for (let at = from + 1; ;) {
    const quote = text.indexOf('"', at);
    if (quote === -1)
      return {
        cell: text.slice(from, endOfCell(text, from, delimiter)),
        end: endOfCell(text, from, delimiter),
      };
    cell += text.slice(at, quote);
    if (text[quote + 1] !== '"') {
      const end = endOfCell(text, quote + 1, delimiter);
      return { cell: cell + text.slice(quote + 1, end), end };
    }
    cell += '"';
    at = quote + 2;
  }
}

function endOfCell(text: string, from: number, delimiter: string): number {
  for (let at = from; at < text.length; at += 1) if (text[at] === delimiter || text[at] === '\n') return at;
  return text.length;
}

interface Reading {
  readonly delimiter: string;
  /** The commonest number of cells. */
  readonly width: number;
  readonly rows: number;
  /** Share of the rows that have this width. */
  readonly share: number;
  readonly isEven: boolean;
  readonly isShort: boolean;
}

/** What each delimiter would make of the first rows, the likeliest first. */
function ranked(text: string): readonly Reading[] {
  const sample = text.slice(0, SAMPLED_LENGTH);
  return delimiters
    .map((delimiter) => readingOf(sample, delimiter, text.length > SAMPLED_LENGTH))
    .filter(({ width }) => width > 1)
    .sort((a, b) => b.share - a.share || b.width - a.width);
}

function readingOf(sample: string, delimiter: string, isCut: boolean): Reading {
  const parsed = parseDelimited(sample, delimiter, SAMPLED_ROWS);
  const rows = (isCut ? parsed.slice(0, Math.max(1, parsed.length - 1)) : parsed).filter(
    (row) => row.join('').trim() !== '',
  );
  const widths = new Map<number, number>();
  for (const { length } of rows) widths.set(length, (widths.get(length) ?? 0) + 1);
  const [width, count] = [...widths].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0] ?? [0, 0];
  const share = rows.length === 0 ? 0 : count / rows.length;
  return {
    delimiter,
    width,
    rows: rows.length,
    share,
    isEven: share === 1,
    isShort: rows.every((row) => row.every((cell) => cell.length <= LONG_CELL)),
  };
}
