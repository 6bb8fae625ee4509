import type { Block } from '../../domain/documents/content.ts';

type Kind = 'text' | 'quote' | 'signature';

interface Segment {
  readonly kind: Kind;
  /** How many times it was quoted. */
  readonly depth: number;
  readonly lines: string[];
}

/** Lines that mail programs write above what they quote, in their languages. They may be broken into two. */
const attribution =
  /^(?:(?:on|am|le|el|il|op|em|den)\b.{6,200}\b(?:wrote|writes|schrieb|a écrit|escribió|ha scritto|schreef|escreveu|skrev)\b.{0,120}:|.{4,120}\b(?:wrote|schrieb|a écrit|escribió)\s*:)\s*$/i;
const attributionStart = /^(?:on|am|le|el|il|op|em|den)\b.{0,40}\d/i;
const separator =
  /^\s*(?:-{2,}\s*(?:original message|ursprüngliche nachricht|message d'origine|mensaje original|forwarded message|weitergeleitete nachricht)\s*-{2,}|begin forwarded message:|anfang der weitergeleiteten nachricht:|_{20,})\s*$/i;
const headerLine = /^\*?(?:from|von|de|sent|gesendet|date|datum|to|an|subject|betreff)\*?\s*:\*?\s+\S/i;
const closing =
  /^(?:(?:kind|best|warm|many|with (?:kind|best))?\s*(?:regards|wishes)|best|cheers|thanks(?: and regards)?|many thanks|sincerely|yours (?:sincerely|faithfully|truly)|all the best|(?:mit )?(?:freundlichen?|besten?|herzlichen?|liebe|viele|schöne) grüßen?|(?:viele|liebe|beste|herzliche|freundliche|schöne) grüße|mfg|lg|vg|cordialement|bien à vous|saludos|un saludo|cordiali saluti|met vriendelijke groet(?:en)?)\b[ ,.!]*$/i;
const sentFrom = /^(?:sent from my|get outlook for|von meinem .* gesendet|gesendet von|envoyé de mon)\b/i;
const maxClosingLines = 9;
/** Shorter lines are the lines of an address or of verses, and not of a paragraph that was wrapped. */
const wrappedLength = 50;

/** Splits the plain text of a message into what it says, what it quotes, and its signature. Lines of a paragraph are joined. */
export function blocksOfMailText(text: string): Block[] {
  const lines = text.replaceAll(/\r\n?/g, '\n').replaceAll('\u00A0', ' ').split('\n');
  return segmentsOf(lines).flatMap(({ kind, lines: own }) =>
    paragraphsOf(own).map((paragraph): Block => ({
      kind: 'text',
      text: paragraph,
      ...(kind === 'text' ? {} : { isBoilerplate: true }),
    })),
  );
}

function segmentsOf(lines: readonly string[]): Segment[] {
  const segments: Segment[] = [];
  let isBelowSeparator = false;
  let isSignature = false;
  const add = (kind: Kind, depth: number, line: string): void => {
    const last = segments.at(-1);
    if (last && last.kind === kind && last.depth === depth) last.lines.push(line);
    else segments.push({ kind, depth, lines: [line] });
  };
  for (const [index, line] of lines.entries()) {
    const { depth, rest } = unquoted(line);
    if (depth > 0) {
      isSignature = false;
      if (attributionStart.test(rest) || !separator.test(rest)) add('quote', depth, rest);
      continue;
    }
    if (separator.test(line) || (!isBelowSeparator && isHeaderBlock(lines, index))) isBelowSeparator = true;
    if (separator.test(line)) continue;
    if (/^-- ?$/.test(line) || sentFrom.test(line) || (!isSignature && isClosing(lines, index)))
      isSignature = true;
    const isAttribution = isAttributionAt(lines, index);
    if (isAttribution) isSignature = false;
    if (isBelowSeparator || isAttribution) add('quote', 1, line);
    else if (!/^-- ?$/.test(line)) add(isSignature ? 'signature' : 'text', 0, line);
  }
  return segments;
}

function unquoted(line: string): { depth: number; rest: string } {
  const marks = /^(?:>\s?)+/.exec(line)?.[0] ?? '';
  return { depth: marks.replaceAll(/\s/g, '').length, rest: line.slice(marks.length) };
}

/** Whether a quote follows on the line, or on it and the next one together. */
function isAttributionAt(lines: readonly string[], index: number): boolean {
  const next = (lines[index + 1] ?? '').trim();
  const line = (lines[index] ?? '').trim();
  const isQuoteNext = (from: number): boolean =>
    lines.slice(from, from + 3).some((each) => each.startsWith('>'));
  if (attribution.test(line) && isQuoteNext(index + 1)) return true;
  if (attributionStart.test(line) && attribution.test(`${line} ${next}`) && isQuoteNext(index + 2))
    return true;
  const before = (lines[index - 1] ?? '').trim();
  return attributionStart.test(before) && attribution.test(`${before} ${line}`) && isQuoteNext(index + 1);
}

/** Outlook writes the head of the message that is quoted, and no marks before its lines. */
function isHeaderBlock(lines: readonly string[], index: number): boolean {
  if (!/^\*?(?:from|von|de)\*?\s*:/i.test(lines[index] ?? '')) return false;
  return lines.slice(index, index + 6).filter((line) => headerLine.test(line)).length >= 3;
}

/** A closing with a name below it, when nothing but a quote follows. */
function isClosing(lines: readonly string[], index: number): boolean {
  if (!closing.test((lines[index] ?? '').trim())) return false;
  let count = 0;
  for (const [offset, line] of lines.slice(index + 1).entries()) {
    if (
      line.startsWith('>') ||
      isAttributionAt(lines, index + 1 + offset) ||
      separator.test(line) ||
      /^-- ?$/.test(line)
    )
      break;
    if (isHeaderBlock(lines, index + 1 + offset)) break;
    if (line.trim() !== '') count += 1;
    if (line.length > 90) return false;
  }
  return count <= maxClosingLines;
}

function paragraphsOf(lines: readonly string[]): string[] {
  return lines
    .map((line) => line.trimEnd())
    .join('\n')
    .split(/\n{2,}/)
    .map((paragraph) => unwrapped(paragraph.split('\n')).replace(/^(#{1,6})(?=\s)/, '\\$1'))
    .filter((paragraph) => paragraph.trim() !== '');
}

/** Joins the lines of a paragraph that were broken at a width. Items of lists and short lines stay apart. */
function unwrapped(lines: readonly string[]): string {
  let text = '';
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1] ?? '';
    const isItem = /^\s*(?:[-*•+]|\d{1,3}[.)])\s/.test(line);
    const isTable = /\S {3,}\S/.test(line) || /\S {3,}\S/.test(before);
    const isJoined = before.length >= wrappedLength && !isItem && !isTable;
    text += index === 0 ? line : isJoined ? ` ${line.trim()}` : `\n${line}`;
  }
  return text.trim();
}
