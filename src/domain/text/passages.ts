import { completed, type Steps } from '../steps.ts';
import { truncate } from './truncate.ts';

/** A part of a long text that is compared with queries by itself. Offsets are UTF-16 units; `end` is exclusive. */
export interface Passage {
  readonly start: number;
  readonly end: number;
  /** The heading above the passage, unless the passage contains it. */
  readonly heading?: string;
}

/** Maximum estimated tokens of a passage. Small models represent a few sentences best. */
const mostTokens = 200;
/** A text of at most this many tokens is one passage and is not divided. */
const undivided = 250;
/** The last sentence of a passage, if it has at most this many tokens, is repeated at the beginning of the next passage of its paragraph. */
const mostRepeated = 40;
/** Maximum characters of a heading; the rest is cut off. */
const mostHeading = 120;

/** Estimated tokens per UTF-16 unit, roughly as subword tokenizers count them: English has about 4.5 letters a token. */
const perLetter = 0.22;
const perSign = 0.6;
const perOtherLetter = 0.5;
const perIdeograph = 1;

/**
 * Divides a text of more than about 250 tokens into passages of at most about 200, in order, at its own boundaries: headings,
 * paragraphs, code blocks, table rows and list items first, then sentences, then words. Passages within a paragraph may overlap
 * by a short sentence. A shorter text has no passages. Deterministic, and linear in the length of the text. The read models `lexical`
 * and `vectors` store passages: a change that divides texts differently must increase their versions.
 */
export function passagesOf(text: string): readonly Passage[] {
  return completed(passageSteps(text));
}

/** The same in steps, for a text of a megabyte. */
export function* passageSteps(text: string): Steps<readonly Passage[]> {
  // A UTF-16 unit counts as at most one token, so a short text need not be counted.
  if (text.length <= undivided || tokensOf(text, 0, text.length) <= undivided) return [];
  const passages = yield* pack(unitsOf(text));
  return passages.length > 1 ? passages : [];
}

/** The text of a passage as it is embedded and counted: under its heading. */
export function passageText(text: string, { start, end, heading }: Passage): string {
  const own = text.slice(start, end);
  return heading === undefined ? own : `${heading}\n${own}`;
}

/** A piece that is not divided further. */
interface Unit {
  readonly start: number;
  readonly end: number;
  readonly tokens: number;
  readonly heading?: string;
  /** Whether it continues the paragraph of the unit before it. */
  readonly continues: boolean;
}

/** Lines, or units, that are read in one step. */
const perStep = 64;

function* pack(units: Iterable<Unit | undefined>): Steps<Passage[]> {
  const passages: Passage[] = [];
  let open: Unit[] = [];
  let tokens = 0;
  let heading: string | undefined;
  let above: string | undefined;
  const close = () => {
    const [first, last] = [open[0]!, open.at(-1)!];
    passages.push({
      start: first.start,
      end: last.end,
      ...(above !== undefined && { heading: above }),
    });
  };
  let count = 0;
  for (const unit of units) {
    if (!unit || ++count % perStep === 0) yield;
    if (!unit) continue;
    const isFull = tokens + unit.tokens > mostTokens;
    const isNewSection = unit.heading !== undefined && tokens > mostTokens / 2;
    if (open.length > 0 && (isFull || isNewSection)) {
      // A heading belongs to what follows it.
      const trailing = open.length > 1 && open.at(-1)!.heading !== undefined ? [open.pop()!] : [];
      close();
      const last = open.at(-1)!;
      const repeated = unit.continues && last.continues && last.tokens <= mostRepeated ? [last] : [];
      open = trailing.length > 0 ? trailing : repeated;
      tokens = open.reduce((sum, one) => sum + one.tokens, 0);
      above = trailing.length > 0 ? undefined : heading;
    }
    if (open.length === 0) above = unit.heading === undefined ? heading : undefined;
    open.push(unit);
    tokens += unit.tokens;
    heading = unit.heading ?? heading;
  }
  if (open.length > 0) close();
  return passages;
}

interface Block {
  readonly start: number;
  readonly end: number;
  readonly heading?: string;
}

/** Yields undefined now and then between blocks: a text may have a million empty lines. */
function* blocksOf(text: string): Generator<Block | undefined> {
  let [paragraph, fence]: [number | undefined, string | undefined] = [undefined, undefined];
  let [end, lines] = [0, 0];
  for (let at = 0; at < text.length;) {
    if (++lines % perStep === 0) yield undefined;
    const newline = text.indexOf('\n', at);
    const next = newline < 0 ? text.length : newline + 1;
    const line = text.slice(at, Math.min(next, at + 200));
    const fenced = FENCE.exec(line)?.[1];
    const isHeading = fence === undefined && HEADING.test(line);
    const startsBlock =
      fence === undefined && (isHeading || fenced !== undefined || ITEM.test(line) || line.trim() === '');
    if (startsBlock && paragraph !== undefined) {
      yield { start: paragraph, end };
      paragraph = undefined;
    }
    if (isHeading) yield { start: at, end: next, heading: headingOf(line) };
    else if (line.trim() !== '' || fence !== undefined) paragraph ??= at;
    end = next;
    if (fence !== undefined && fenced?.startsWith(fence)) {
      yield { start: paragraph!, end };
      [paragraph, fence] = [undefined, undefined];
    } else if (fence === undefined) fence = fenced;
    at = next;
  }
  if (paragraph !== undefined) yield { start: paragraph, end };
}

const HEADING = /^ {0,3}#{1,6}\s+\S/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** A list item or a row of a table. */
const ITEM = /^\s*(?:[-*+•]\s|\d{1,3}[.)]\s|\|)/;

function headingOf(line: string): string {
  return truncate(line.replace(/^[\s#]+/, '').trim(), mostHeading);
}

/** Yields undefined as `blocksOf` does. */
function* unitsOf(text: string): Generator<Unit | undefined> {
  for (const block of blocksOf(text)) {
    const whole = block && trimmed(text, block.start, block.end);
    if (!whole) {
      yield undefined;
      continue;
    }
    const { heading } = block;
    const tokens = tokensOf(text, whole.start, whole.end);
    if (heading !== undefined || tokens <= mostTokens)
      yield { ...whole, tokens, continues: false, ...(heading !== undefined && { heading }) };
    else for (const piece of sentencesOf(text, whole.start, whole.end)) yield { ...piece, continues: true };
  }
}

/** A sentence's end with the white space behind it, or the end of a line. */
const SENTENCE_END = /[.!?…]["'”’)\]]*\s+|[。！？｡؟।][”’」』）]*\s*|\n+/gu;

/** The sentences of a block. Longer ones are divided at white space, or between characters where there is none. */
function* sentencesOf(text: string, start: number, end: number): Generator<Omit<Unit, 'continues'>> {
  const ends = new RegExp(SENTENCE_END);
  ends.lastIndex = start;
  for (let from = start; from < end;) {
    const found = ends.exec(text);
    const until = found && found.index + found[0].length < end ? found.index + found[0].length : end;
    const piece = trimmed(text, from, until);
    if (piece) {
      const tokens = tokensOf(text, piece.start, piece.end);
      if (tokens <= mostTokens) yield { ...piece, tokens };
      else yield* runsOf(text, piece.start, piece.end);
    }
    if (until === end) return;
    from = until;
  }
}

function* runsOf(text: string, start: number, end: number): Generator<Omit<Unit, 'continues'>> {
  let [from, tokens, space]: [number, number, number | undefined] = [start, 0, undefined];
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (isSpace(code)) space = at;
    tokens += costOf(code);
    if (tokens < mostTokens - 1) continue;
    // After the last white space, unless that is far away; never within a surrogate pair.
    let until = space !== undefined && space > from + (at - from) / 2 ? space + 1 : at + 1;
    if (isHighSurrogate(text.charCodeAt(until - 1)) && until < end) until++;
    const piece = trimmed(text, from, until);
    if (piece) yield { ...piece, tokens: tokensOf(text, piece.start, piece.end) };
    [from, tokens, space] = [until, 0, undefined];
    at = until - 1;
  }
  const rest = trimmed(text, from, end);
  if (rest) yield { ...rest, tokens: tokensOf(text, rest.start, rest.end) };
}

function trimmed(text: string, start: number, end: number): { start: number; end: number } | undefined {
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return start < end ? { start, end } : undefined;
}

/** Estimates the tokens of a part of a text, by its default all of it, in any script. Much faster than a tokenizer. */
export function estimatedTokens(
  text: string,
  { start, end }: { readonly start: number; readonly end: number } = { start: 0, end: text.length },
): number {
  return Math.ceil(tokensOf(text, start, end));
}

/** Estimates the tokens of a part of a text for the embedding models. */
function tokensOf(text: string, start: number, end: number): number {
  let tokens = 0;
  for (let at = start; at < end; at++) tokens += costOf(text.charCodeAt(at));
  return tokens;
}

function costOf(code: number): number {
  if (code < 0x80) {
    const isLetter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
    return isLetter || code === 0x20 ? perLetter : isSpace(code) ? 0 : perSign;
  }
  // CJK, kana and Hangul syllables: one token each.
  if ((code >= 0x2e80 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7af) || code >= 0xf900)
    return perIdeograph;
  return perOtherLetter;
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0xa0 || code === 0x3000;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
