import type { Block, DocumentContent } from '../../domain/documents/content.ts';
import type { FileToRead } from '../../ports/document-reader.ts';
import { readChat } from './chat.ts';
import { charsetOfMediaType, decodeText } from './decode.ts';
import { detectFormat, type Format } from './detect.ts';

type Json = null | boolean | number | string | readonly Json[] | JsonRecord;
interface JsonRecord {
  readonly [key: string]: Json;
}

/** Texts of records that are longer than this are no cells of a table. */
const MAX_CELL = 200;
const MAX_COLUMNS = 20;
/** Of all records, those that must have a key for it to be one of their shape. */
const COMMON = 0.6;
/** Characters of JSON that one block may have before it is divided by its keys. */
const MAX_BLOCK = 2000;
const titles = ['title', 'name', 'subject', 'label', 'id', 'key'];

/**
 * Reads JSON, or JSON line by line: a conversation as its turns, records of one shape as a table or a text for each, and else by keys.
 */
export function readJson(file: FileToRead, format: Format = detectFormat(file)): DocumentContent {
  const { text, replacements } = decodeText(file.bytes, charsetOfMediaType(file.mediaType));
  const value = format.kind === 'jsonl' ? linesOf(text).map(parsedLine) : (JSON.parse(text) as Json);
  return contentOf(value, format, replacements);
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

/** A line that is no JSON counts as a text: programs write both into their logs. */
function parsedLine(line: string): Json {
  try {
    return JSON.parse(line) as Json;
  } catch {
    return line;
  }
}

function contentOf(value: Json, { mediaType }: Format, replacements: number): DocumentContent {
  const chat = readChat(value);
  if (chat) return { mediaType, contentType: 'conversation', ...chat, replacements };
  const title = isRecord(value) ? (textOf(value['title']) ?? textOf(value['name'])) : undefined;
  const blocks = blocksOf(value, []);
  const isTable = blocks.length > 0 && blocks.every(({ kind }) => kind === 'table');
  const isRecords = blocks.some(({ kind }) => kind === 'text');
  return {
    mediaType,
    contentType: isTable ? 'table' : isRecords ? 'documentation' : 'code',
    ...(title !== undefined && { title }),
    ...(!isTable && !isRecords && { programmingLanguage: 'json' }),
    blocks,
    replacements,
  };
}

/** A value as blocks: lists of records as tables or texts, and what is too long for one block by its keys. */
function blocksOf(value: Json, path: readonly string[]): readonly Block[] {
  if (Array.isArray(value)) {
    const records = (value as readonly Json[]).filter(isRecord);
    if (records.length > 1 && records.length === value.length) return recordBlocks(records, path);
  }
  const written = JSON.stringify(value, undefined, 2);
  if (written.length <= MAX_BLOCK && path.length > 0) return [codeBlock(written, path)];
  if (isRecord(value)) return ofRecord(value, path);
  if (Array.isArray(value)) return ofList(value as readonly Json[], path);
  return value === null || value === '' ? [] : [codeBlock(written, path)];
}

/** Single values of a record stand together; lists and records stand for themselves if they are long. */
function ofRecord(record: JsonRecord, path: readonly string[]): readonly Block[] {
  const blocks: Block[] = [];
  let together: Record<string, Json> = {};
  const flush = () => {
    if (Object.keys(together).length > 0)
      blocks.push(codeBlock(JSON.stringify(together, undefined, 2), path));
    together = {};
  };
  for (const [key, value] of Object.entries(record)) {
    const isNested =
      typeof value === 'object' &&
      value !== null &&
      (path.length === 0 || JSON.stringify(value).length > MAX_BLOCK / 4);
    if (isNested) {
      flush();
      blocks.push(...blocksOf(value, [...path, key]));
      continue;
    }
    if (JSON.stringify(together).length > MAX_BLOCK) flush();
    together = { ...together, [key]: value };
  }
  flush();
  return blocks;
}

/** As many values in a block as fit. */
function ofList(list: readonly Json[], path: readonly string[]): readonly Block[] {
  const blocks: Block[] = [];
  let together: Json[] = [];
  let length = 0;
  for (const value of list) {
    const size = JSON.stringify(value).length;
    if (length + size > MAX_BLOCK && together.length > 0) {
      blocks.push(codeBlock(JSON.stringify(together, undefined, 2), path));
      [together, length] = [[], 0];
    }
    together.push(value);
    length += size;
  }
  if (together.length > 0) blocks.push(codeBlock(JSON.stringify(together, undefined, 2), path));
  return blocks;
}

/** Records of one shape with short values as a table, others as a text each. */
function recordBlocks(records: readonly JsonRecord[], path: readonly string[]): readonly Block[] {
  const heading: readonly Block[] =
    path.length === 0 ? [] : [{ kind: 'heading', level: Math.min(6, path.length), text: path.join('.') }];
  const flat = records.map((record) => flattened(record));
  const keys = [...new Set(flat.flatMap((record) => [...record.keys()]))];
  const isOneShape =
    keys.filter((key) => flat.filter((record) => record.has(key)).length >= COMMON * flat.length).length >=
    keys.length * COMMON;
  const isShort = flat.every((record) =>
    [...record.values()].every((text) => text.length <= MAX_CELL && !text.includes('\n')),
  );
  if (isOneShape && isShort && keys.length <= MAX_COLUMNS)
    return [
      ...heading,
      { kind: 'table', header: keys, rows: flat.map((record) => keys.map((key) => record.get(key) ?? '')) },
    ];
  return [...heading, ...flat.flatMap((record) => recordText(record, path.length + 1))];
}

/** The values of a record by the dotted paths of their keys, below a heading if it has a name. */
function recordText(record: ReadonlyMap<string, string>, level: number): readonly Block[] {
  const name = titles
    .map((key) => record.get(key))
    .find((text) => text !== undefined && text !== '' && text.length <= MAX_CELL && !text.includes('\n'));
  const text = [...record]
    .filter(([, value]) => value !== '')
    .map(([key, value]) => `**${key}**: ${value}`)
    .join('\n\n');
  if (text === '') return [];
  return [
    ...(name === undefined ? [] : [{ kind: 'heading' as const, level: Math.min(6, level), text: name }]),
    { kind: 'text', text },
  ];
}

/** Nested records become dotted keys, lists of single values become one text. */
function flattened(record: JsonRecord, prefix = ''): ReadonlyMap<string, string> {
  const flat = new Map<string, string>();
  for (const [key, value] of Object.entries(record)) {
    if (isRecord(value))
      for (const [inner, text] of flattened(value, `${prefix}${key}.`)) flat.set(inner, text);
    else flat.set(`${prefix}${key}`, written(value));
  }
  return flat;
}

function written(value: Json): string {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  const isPlainList = Array.isArray(value) && value.every((each) => typeof each !== 'object');
  return isPlainList ? (value as readonly Json[]).map(written).join(', ') : JSON.stringify(value);
}

function codeBlock(text: string, path: readonly string[]): Block {
  return { kind: 'code', text, language: 'json', ...(path.length > 0 && { symbol: path }) };
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' && value.length <= MAX_CELL
    ? value.trim()
    : undefined;
}

function isRecord(value: Json): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
