import type { Block, DocumentContent } from '../../domain/documents/content.ts';
import type { FileToRead } from '../../ports/document-reader.ts';
import { charsetOfMediaType, decodeText } from './decode.ts';
import { likelyDelimiter, parseDelimited } from './delimited.ts';
import { detectFormat, type Format } from './detect.ts';

const numeric = /^[-+]?[\p{Sc}]?\s*[\d.,' ]+\s*[%\p{Sc}]?$|^\d{4}-\d\d-\d\d|^\d{1,2}[./]\d{1,2}[./]\d{2,4}/u;
/** Rows that are compared with the first one to tell whether it is a header. */
const SAMPLED_ROWS = 50;

/** Reads comma-, semicolon-, tab- and bar-separated values as one table. */
export function readCsv(file: FileToRead, format: Format = detectFormat(file)): DocumentContent {
  const { text, replacements } = decodeText(file.bytes, charsetOfMediaType(file.mediaType));
  const { delimiter, rest } = withoutSeparatorLine(text);
  const rows = parseDelimited(rest, delimiter ?? likelyDelimiter(rest))
    .map((row) => row.map((cell) => cell.trim()))
    .filter((row) => row.some((cell) => cell !== ''));
  const { title, table } = tableOf(rows);
  return {
    mediaType: format.mediaType,
    contentType: 'table',
    ...(title !== undefined && { title }),
    blocks: table,
    replacements,
  };
}

/** Excel writes and reads a first line `sep=;`. */
function withoutSeparatorLine(text: string): { delimiter?: string; rest: string } {
  const [line, delimiter] = /^sep=(.)\n/.exec(text) ?? [];
  return line !== undefined && delimiter !== undefined
    ? { delimiter, rest: text.slice(line.length) }
    : { rest: text };
}

/** Lines of one cell before the header are what exports write above their tables. */
function tableOf(rows: readonly (readonly string[])[]): { title?: string; table: readonly Block[] } {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const filled = (row: readonly string[]) => row.filter((cell) => cell !== '').length;
  const first = Math.max(0, width < 2 ? 0 : rows.findIndex((row) => filled(row) > 1));
  const above = rows.slice(0, first).map((row) => row.find((cell) => cell !== '') ?? '');
  const body = rows.slice(first).map((row) => [...row, ...Array<string>(width - row.length).fill('')]);
  const [header, ...records] = hasHeader(body) ? body : [Array<string>(width).fill(''), ...body];
  const [title, ...remarks] = above;
  if (!header || body.length === 0) return { table: [] };
  const texts = remarks.map((text): Block => ({ kind: 'text', text }));
  return {
    ...(title !== undefined && { title }),
    table: [
      ...(title === undefined ? [] : [{ kind: 'heading' as const, level: 1, text: title }]),
      ...texts,
      { kind: 'table', header, rows: records },
    ],
  };
}

/**
 * A header has names: filled cells, all different, no numbers. A table without numbers below has one as well, since a first row of
 * data can hardly be told from it and most files have a header.
 */
function hasHeader(rows: readonly (readonly string[])[]): boolean {
  const [first, ...others] = rows;
  if (!first || others.length === 0) return false;
  const names = first.filter((cell) => cell !== '');
  if (names.some((cell) => numeric.test(cell)) || new Set(names).size < names.length) return false;
  const repeats = others
    .slice(0, SAMPLED_ROWS)
    .filter((row) => row.some((cell, at) => cell !== '' && cell === first[at]));
  return repeats.length <= others.length / 4;
}
