import type { Block, DocumentContent } from '../../domain/documents/content.ts';
import type { FileToRead } from '../../ports/document-reader.ts';
import { decodeText } from './decode.ts';
import { formatOfKind, type Format } from './detect.ts';
import { readJson } from './json.ts';
import { parseMarkdown } from './markdown.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Formats of a result that are read, best first. Jupyter stores a text beside pictures and HTML. */
const shown = ['text/markdown', 'text/plain', 'text/latex', 'application/json'];
/** Colour codes of terminals. */
// eslint-disable-next-line no-control-regex
const escapes = /\u001B\[[\d;]*[A-Za-z]/g;

/**
 * Reads a Jupyter notebook (formats 3 and 4) by cell: Markdown as it is, code in the language of the kernel, and each output as text below
 * its code. The number of the cell is the page of its blocks. Other JSON is read as JSON.
 */
export function readNotebook(file: FileToRead, format: Format): DocumentContent {
  const { text, replacements } = decodeText(file.bytes, 'utf-8');
  const notebook: unknown = JSON.parse(text);
  const cells = isRecord(notebook) ? cellsOf(notebook) : undefined;
  if (!isRecord(notebook) || !cells) return readJson(file, formatOfKind('json', file));
  const language = languageOf(notebook);
  const blocks: Block[] = [];
  const empty: number[] = [];
  for (const [index, cell] of cells.entries()) {
    const page = index + 1;
    const own = blocksOfCell(cell, language);
    if (own.length === 0) empty.push(page);
    blocks.push(...own.map((block) => ({ ...block, page })));
  }
  const heading = blocks.find(({ kind }) => kind === 'heading');
  return {
    mediaType: format.mediaType,
    contentType: 'code',
    ...(language !== undefined && { programmingLanguage: language }),
    ...(heading?.kind === 'heading' && { title: heading.text }),
    blocks,
    pages: { total: cells.length, empty, withoutText: [] },
    replacements,
  };
}

/** The cells of format 4, or of the worksheets of format 3; undefined if this is no notebook. */
function cellsOf({ nbformat, cells, worksheets }: Fields): readonly Fields[] | undefined {
  if (typeof nbformat !== 'number') return undefined;
  const lists = Array.isArray(worksheets)
    ? (worksheets as unknown[]).map((sheet) => (isRecord(sheet) ? sheet['cells'] : undefined))
    : [cells];
  return lists.every(Array.isArray) ? (lists.flat() as unknown[]).filter(isRecord) : undefined;
}

function languageOf({ metadata }: Fields): string | undefined {
  if (!isRecord(metadata)) return undefined;
  const { kernelspec, language_info: info } = metadata;
  const name = (isRecord(info) && info['name']) || (isRecord(kernelspec) && kernelspec['language']);
  return typeof name === 'string' ? name.toLowerCase() : undefined;
}

function blocksOfCell(cell: Fields, kernel: string | undefined): readonly Block[] {
  const { cell_type: type, source, input, outputs } = cell;
  const text = textOf(source ?? input).trimEnd();
  if (type === 'markdown') return parseMarkdown(text).blocks;
  if (type !== 'code') return text.trim() === '' ? [] : [{ kind: 'text', text }];
  const language = typeof cell['language'] === 'string' ? cell['language'] : kernel;
  const results = Array.isArray(outputs) ? (outputs as unknown[]).filter(isRecord).map(textOfOutput) : [];
  return [
    ...(text.trim() === ''
      ? []
      : [{ kind: 'code' as const, text, ...(language !== undefined && { language }) }]),
    ...results.filter((result) => result !== '').map((result): Block => ({ kind: 'code', text: result })),
  ];
}

function textOfOutput(output: Fields): string {
  const { output_type: type, text, data, ename, evalue } = output;
  // The trace of an error repeats the code.
  if (type === 'error' || type === 'pyerr') return `${textOf(ename)}: ${textOf(evalue)}`;
  const values = isRecord(data) ? data : {};
  const best = shown.map((each) => values[each]).find((value) => value !== undefined) ?? text;
  return written(
    typeof best === 'string' || Array.isArray(best) ? textOf(best) : (JSON.stringify(best) ?? ''),
  );
}

/** As a terminal shows it: without colour codes, and with the last state of each line that was overwritten. */
function written(text: string): string {
  const lines = text.replaceAll(escapes, '').replaceAll('\r\n', '\n').split('\n');
  return lines
    .map((line) => line.slice(line.trimEnd().lastIndexOf('\r') + 1))
    .join('\n')
    .trim();
}

/** Notebooks store a text as a string or as a list of lines with their line ends. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.filter((line) => typeof line === 'string').join('');
  return typeof value === 'string' ? value : '';
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
