import { unsupportedDocument } from './binary-format.ts';
import { sniffDelimiter } from './delimited.ts';
import { languageOfFirstLine } from './programming-languages.ts';

/** What a text is found to be, with the root element of XML or the language of code. */
export interface TextKind {
  readonly kind: 'html' | 'markdown' | 'mail' | 'feed' | 'csv' | 'json' | 'jsonl' | 'code';
  readonly detail?: string;
}

const blockTag = /<(\/?)(?:h[1-6]|p|div|ul|ol|li|table|tr|td|section|article|main|blockquote|pre|body)\b/gi;
/** Headers that programs write and people do not. */
const technicalHeader =
  /^(?:Message-ID|MIME-Version|Received|Return-Path|Content-Type|Delivered-To|DKIM-Signature):/im;
/** Records at the start that must each be JSON. */
const SAMPLED_LINES = 20;
const MAX_FRONT_MATTER = 20_000;

/** What a text is for certain, whatever its name and declared type; `undefined` if the bytes leave it open. */
export function certainKind(text: string): TextKind | undefined {
  const start = text.trimStart();
  if (isMail(start)) return { kind: 'mail' };
  const language = languageOfFirstLine(start);
  if (language !== undefined) return { kind: 'code', detail: language };
  return (start.startsWith('<') ? markupKind(start) : undefined) ?? jsonKind(start);
}

/** What a text without a telling name or type most likely is. */
export function likelyKind(text: string): TextKind | undefined {
  if (isHtmlFragment(text)) return { kind: 'html' };
  if (looksLikeMarkdown(text)) return { kind: 'markdown' };
  const delimiter = sniffDelimiter(text);
  return delimiter === undefined ? undefined : { kind: 'csv', detail: delimiter };
}

/** The header of a mail: fields up to the first empty line, among them a sender with an address or a field of the transport. */
export function isMail(text: string): boolean {
  const head = text.slice(0, 20_000).replace(/^From \S.*\n/, '');
  if (!/^[A-Za-z][\w-]*:/.test(head)) return false;
  const [fields = ''] = head.split(/\n[ \t]*\n/, 1);
  if (!fields.split('\n').every((line) => /^(?:[\w-]+:|[ \t])/.test(line))) return false;
  const common = ['From', 'To', 'Subject', 'Date'].filter((name) =>
    new RegExp(`^${name}:`, 'im').test(fields),
  );
  const hasAddress = /^From:.*\S@\S/im.test(fields);
  return technicalHeader.test(fields)
    ? common.length >= 1
    : common.length >= 3 && hasAddress && common.includes('From');
}

/** Markup at the start of the text: by its document type or root element. */
function markupKind(text: string): TextKind | undefined {
  const root = text.replace(
    /^(?:\s+|<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!doctype[^>[]*(?:\[[\s\S]*?\])?[^>]*>)+/i,
    '',
  );
  const [, name = ''] = /^<([A-Za-z][\w:.-]*)/.exec(root) ?? [];
  if (/^<!doctype\s+html/i.test(text) || /<!doctype\s+html/i.test(text.slice(0, text.length - root.length)))
    return { kind: 'html' };
  if (/^html$/i.test(name)) return { kind: 'html' };
  if (/^(?:\w+:)?(?:rss|RDF)$/.test(name)) return { kind: 'feed', detail: name };
  if (/^(?:\w+:)?feed$/.test(name) && root.slice(0, 2000).includes('w3.org/2005/Atom'))
    return { kind: 'feed', detail: name };
  if (/^(?:svg:)?svg$/.test(name)) throw unsupportedDocument('an SVG image');
  return text.startsWith('<?xml') ? { kind: 'code', detail: 'xml' } : undefined;
}

function jsonKind(text: string): TextKind | undefined {
  if (!/^[[{]/.test(text)) return undefined;
  if (isJson(text)) return { kind: 'json' };
  const lines = text.split('\n', SAMPLED_LINES + 1).filter((line) => line.trim() !== '');
  return lines.length > 1 &&
    lines.slice(0, SAMPLED_LINES).every((line) => /^\s*[[{]/.test(line) && isJson(line))
    ? { kind: 'jsonl' }
    : undefined;
}

/** Whether a text begins as JSON and ends within it, as after a transfer that broke off. */
export function isCutJson(text: string): boolean {
  const trimmed = text.trim();
  if (!/^[[{]/.test(trimmed)) return false;
  try {
    JSON.parse(trimmed);
    return false;
  } catch (error) {
    const { message } = error as SyntaxError;
    const at = /at position (\d+)/.exec(message)?.[1];
    return /end of JSON input|Unterminated string/.test(message) || Number(at) >= trimmed.length;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** HTML without `html` and document type: blocks from the first character to the last, and no Markdown between them. */
export function isHtmlFragment(text: string): boolean {
  const trimmed = text.trim();
  if (!/^<(?:!--|[a-z])/i.test(trimmed) || !trimmed.endsWith('>')) return false;
  const tags = [...trimmed.matchAll(blockTag)];
  const closing = tags.filter(([, slash]) => slash === '/').length;
  return closing >= 2 && markdownSigns(trimmed.replace(/<pre\b[\s\S]*?<\/pre>/gi, '')) === 0;
}

function looksLikeMarkdown(text: string): boolean {
  const hasFrontMatter = /^---\n[\w-]+:/.test(text) && text.slice(0, MAX_FRONT_MATTER).includes('\n---\n', 4);
  return hasFrontMatter || markdownSigns(text) >= 3;
}

/** Headings, fences and rows below the header of a table: what neither prose nor HTML has. */
function markdownSigns(text: string): number {
  const headings = text.match(/^#{1,6} \S.*\n(?:\n|(?=#))/gm)?.length ?? 0;
  const fences = text.match(/^(?:```|~~~)[\w-]*$/gm)?.length ?? 0;
  const tables = text.match(/^\|?(?: *:?-{3,}:? *\|)+(?: *:?-{3,}:? *\|?)?$/gm)?.length ?? 0;
  return headings + fences + tables * 2;
}
