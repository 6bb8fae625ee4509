import { fold } from '../../text/tokens.ts';
import { stem } from '../../text/porter2.ts';
import { keyOf, withoutV } from '../vocabulary.ts';

/** A word of a question and its position. */
export interface Token {
  /** Folded; a version without its `v`. */
  readonly word: string;
  readonly stem: string;
  /** UTF-16 offsets in the question. */
  readonly start: number;
  readonly end: number;
  /** Written as `@name`. */
  readonly isHandle: boolean;
}

/** The tokens from `from` up to, but not including, `to`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Question {
  readonly text: string;
  readonly tokens: readonly Token[];
  /** The words between quotation marks. */
  readonly quoted: readonly Span[];
}

const WORD = /(@)?(v?\p{N}+(?:\.\p{N}+)+|[\p{L}\p{N}][\p{L}\p{M}\p{N}]*)(?:['’]s(?![\p{L}\p{N}]))?/giu;
const OPENING = /["“«]/g;
const CLOSING: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['“', '”'],
  ['«', '»'],
]);

/** Splits a question into words, in time linear in its length. */
export function readQuestion(text: string): Question {
  const tokens = [...text.matchAll(WORD)].map((match): Token => {
    const [, at = '', written = ''] = match;
    const start = match.index + at.length;
    const word = withoutV(fold(written));
    return { word, stem: stem(word), start, end: start + written.length, isHandle: at !== '' };
  });
  return { text, tokens, quoted: quotedSpans(text, tokens) };
}

/** The words between each pair of quotation marks. Each mark and word is looked at once, however many marks are never closed. */
function quotedSpans(text: string, tokens: readonly Token[]): Span[] {
  const spans: Span[] = [];
  const unclosed = new Set<string>();
  let [end, from] = [0, 0];
  for (const { 0: mark, index } of text.matchAll(OPENING)) {
    if (index < end || unclosed.has(mark)) continue;
    const close = text.indexOf(CLOSING.get(mark)!, index + 1);
    if (close < 0) unclosed.add(mark);
    if (close <= index + 1) continue;
    end = close + 1;
    while (from < tokens.length && tokens[from]!.start < index) from++;
    let to = from;
    while (to < tokens.length && tokens[to]!.start < end) to++;
    if (to > from) spans.push({ from, to });
    from = to;
  }
  return spans;
}

/** The words of a span in the form that `keyOf` returns. */
export function phrase({ tokens }: Question, { from, to }: Span): string {
  return tokens
    .slice(from, to)
    .map(({ word }) => keyOf(word))
    .filter((word) => word !== '')
    .join(' ');
}

/** A span as the question writes it. */
export function written({ text, tokens }: Question, { from, to }: Span): string {
  const [first, last] = [tokens[from], tokens[to - 1]];
  return first && last ? text.slice(first.start, last.end) : '';
}

/** Singular forms that a vocabulary may contain instead: "meetings" may mean the value `meeting`. */
export function singulars(key: string): string[] {
  if (!/\p{L}{3}s$/u.test(key) || key.endsWith('ss')) return [];
  const forms = [key.slice(0, -1)];
  if (key.endsWith('ies')) forms.push(`${key.slice(0, -3)}y`);
  else if (key.endsWith('es')) forms.push(key.slice(0, -2));
  return forms;
}
