import { Problem } from '../../domain/problems.ts';
import type { FileToRead } from '../../ports/document-reader.ts';
import { binaryKind, looksBinary, unsupportedDocument } from './binary-format.ts';
import {
  byteOrderMark,
  charsetOfMarkup,
  charsetOfMediaType,
  decodeText,
  utf16WithoutMark,
} from './decode.ts';
import { languageOfFilename, languageOfMediaType, mediaTypeOfLanguage } from './programming-languages.ts';
import { certainKind, isCutJson, isHtmlFragment, likelyKind, type TextKind } from './text-kind.ts';

export type FormatKind =
  | 'pdf'
  | 'docx'
  | 'pptx'
  | 'xlsx'
  | 'epub'
  | 'odt'
  | 'html'
  | 'markdown'
  | 'mail'
  | 'feed'
  | 'csv'
  | 'json'
  | 'jsonl'
  | 'notebook'
  | 'code'
  | 'text';

/** What a file is. `mediaType` is the declared one if it fits, and else the registered one of the kind. */
export interface Format {
  readonly kind: FormatKind;
  readonly mediaType: string;
  /** Of code. */
  readonly programmingLanguage?: string;
}

/** The first type of a kind is the one that is registered. */
const types: readonly (readonly [
  kind: FormatKind,
  mediaTypes: readonly string[],
  extensions: readonly string[],
])[] = [
  ['pdf', ['application/pdf', 'application/x-pdf'], ['pdf']],
  [
    'docx',
    ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ['docx', 'docm', 'dotx'],
  ],
  [
    'pptx',
    ['application/vnd.openxmlformats-officedocument.presentationml.presentation'],
    ['pptx', 'pptm', 'ppsx'],
  ],
  ['xlsx', ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'], ['xlsx', 'xlsm']],
  ['epub', ['application/epub+zip'], ['epub']],
  ['odt', ['application/vnd.oasis.opendocument.text'], ['odt']],
  ['html', ['text/html', 'application/xhtml+xml'], ['html', 'htm', 'xhtml']],
  [
    'markdown',
    ['text/markdown', 'text/x-markdown', 'text/x-web-markdown'],
    ['md', 'markdown', 'mdown', 'mkd', 'mdx', 'qmd', 'rmd'],
  ],
  ['mail', ['message/rfc822', 'application/mbox', 'message/global'], ['eml', 'mbox', 'mht', 'mhtml']],
  [
    'feed',
    ['application/rss+xml', 'application/atom+xml', 'application/rdf+xml', 'text/xml', 'application/xml'],
    ['rss', 'atom'],
  ],
  ['csv', ['text/csv', 'text/tab-separated-values', 'application/csv', 'text/tsv'], ['csv', 'tsv', 'tab']],
  [
    'json',
    ['application/json', 'text/json', 'application/ld+json', 'application/geo+json'],
    ['json', 'geojson', 'jsonld', 'ipynb'],
  ],
  ['notebook', ['application/x-ipynb+json'], []],
  [
    'jsonl',
    ['application/jsonl', 'application/x-ndjson', 'application/x-jsonlines', 'application/ndjson'],
    ['jsonl', 'ndjson'],
  ],
  ['text', ['text/plain'], ['txt', 'text', 'log', 'asc']],
];
/** What is certain of their start says nothing of the rest: they mix markup with code. */
const templates = new Set(['php', 'vue', 'svelte', 'tsx', 'javascript']);

/**
 * Detects the format of a file. Its bytes decide if they are unmistakable, otherwise the declared media type, otherwise the extension of its
 * name. The media types `text/plain` and `application/octet-stream` are ignored: senders use them for any file.
 * Throws `unsupported-document` for binary files that are not read.
 */
export function detectFormat(file: FileToRead): Format {
  const binary = binaryKind(file.bytes);
  if (binary !== undefined) return formatOf({ kind: binary }, file);
  const isWide = byteOrderMark(file.bytes) !== undefined || utf16WithoutMark(file.bytes) !== undefined;
  if (!isWide && looksBinary(file.bytes)) throw unsupportedDocument('a binary file of an unknown kind');
  const { text } = decodeText(file.bytes, charsetOfMediaType(file.mediaType) ?? charsetOfMarkup(file.bytes));
  return formatOf(kindOfText(text, file), file);
}

/** The extension of a file's name in lower case; empty if it has none. */
export function extensionOf(filename: string | undefined): string {
  return /\.([A-Za-z0-9]+)$/.exec(filename ?? '')?.[1]?.toLowerCase() ?? '';
}

interface Found {
  readonly kind: FormatKind;
  readonly detail?: string;
}

function kindOfText(text: string, file: FileToRead): Found {
  const named = namedKind(file);
  if (text.trim() === '') return named ?? { kind: 'text' };
  const certain = certainKind(text);
  if (certain?.kind === 'json' && isNotebook(text)) return { kind: 'notebook' };
  if (certain && !isTemplate(named, certain)) return refined(certain, named);
  if (named?.kind === 'html' || (named?.kind === 'markdown' && isHtmlFragment(text))) return { kind: 'html' };
  // The rest are read as what they are said to be: whatever is no JSON, no feed and no mail is at least a text.
  if (named?.kind === 'json' || named?.kind === 'notebook') {
    if (isCutJson(text))
      throw new Problem('document-unreadable', 'the JSON is not complete: its end is missing');
    return { kind: 'code', detail: 'json' };
  }
  if (named && ['markdown', 'csv', 'code', 'jsonl'].includes(named.kind)) return named;
  if (named?.kind === 'mail' && /^[A-Za-z][\w-]*:/.test(text.trimStart())) return named;
  return likelyKind(text) ?? { kind: 'text' };
}

/** What the sender and the name say of a text. */
function namedKind(file: FileToRead): Found | undefined {
  const declared = essenceOf(file.mediaType);
  const isGeneric = declared === 'text/plain' || declared === 'application/octet-stream';
  const byType = isGeneric ? undefined : kindOfType(declared);
  const byName = kindOfExtension(file.filename);
  // Both may say `code`, and only the name may say in which language.
  return textual(byType) ?? textual(byName);
}

function kindOfType(mediaType: string): Found | undefined {
  const isXml = mediaType === 'text/xml' || mediaType === 'application/xml';
  const kind = isXml ? undefined : types.find(([, mediaTypes]) => mediaTypes.includes(mediaType))?.[0];
  if (kind !== undefined) return { kind };
  if (mediaType.endsWith('+json')) return { kind: 'json' };
  const language = languageOfMediaType(mediaType);
  return language === undefined ? undefined : { kind: 'code', detail: language };
}

function kindOfExtension(filename: string | undefined): Found | undefined {
  const language = languageOfFilename(filename);
  if (language !== undefined) return { kind: 'code', detail: language };
  const kind = types.find(([, , extensions]) => extensions.includes(extensionOf(filename)))?.[0];
  return kind === undefined ? undefined : { kind };
}

/** A text that is named like a PDF or a DOCX is none. */
function textual(found: Found | undefined): Found | undefined {
  return found && ['pdf', 'docx', 'pptx', 'xlsx', 'epub', 'odt'].includes(found.kind) ? undefined : found;
}

/** Whether JSON seems to be a Jupyter notebook. This only searches its text; the reader of notebooks decides. */
function isNotebook(text: string): boolean {
  return /"nbformat"\s*:\s*\d/.test(text) && /"(?:cells|worksheets)"\s*:\s*\[/.test(text);
}

/** A template or a script that starts with markup or a literal is the code that its name says. */
function isTemplate(named: Found | undefined, certain: TextKind): boolean {
  if (named?.kind !== 'code') return false;
  return certain.kind === 'html'
    ? templates.has(named.detail ?? '')
    : certain.kind === 'json' && named.detail !== 'json';
}

/** What the bytes say, with what only the sender or the name knows of it. */
function refined(certain: TextKind, named: Found | undefined): Found {
  if (certain.kind === 'json' && named?.kind === 'jsonl') return named;
  return certain.kind === 'code' && named?.kind === 'code' && certain.detail === 'xml' ? named : certain;
}

/** The format of a file whose kind is known. */
export function formatOfKind(kind: FormatKind, file: FileToRead): Format {
  return formatOf({ kind }, file);
}

function formatOf({ kind, detail }: Found, file: FileToRead): Format {
  const declared = essenceOf(file.mediaType);
  if (kind === 'code') {
    const programmingLanguage = detail ?? languageOfFilename(file.filename);
    if (programmingLanguage === undefined) return { kind, mediaType: 'text/plain' };
    const fits = languageOfMediaType(declared) === programmingLanguage;
    return {
      kind,
      mediaType: fits ? declared : mediaTypeOfLanguage(programmingLanguage),
      programmingLanguage,
    };
  }
  const known = types.find(([each]) => each === kind)?.[1] ?? [];
  if (known.includes(declared) && !declared.endsWith('/xml')) return { kind, mediaType: declared };
  if (kind === 'feed' && detail !== undefined)
    return { kind, mediaType: detail.endsWith('feed') ? 'application/atom+xml' : 'application/rss+xml' };
  if (kind === 'csv' && (detail === '\t' || ['tsv', 'tab'].includes(extensionOf(file.filename))))
    return { kind, mediaType: 'text/tab-separated-values' };
  return { kind, mediaType: known[0] ?? 'text/plain' };
}

function essenceOf(mediaType: string | undefined): string {
  return mediaType?.split(';')[0]?.trim().toLowerCase() ?? '';
}
