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
const QUOTED = /"[^"]+"|“[^”]+”|«[^»]+»/gu;

/** Splits a question into words, in time linear in its length. */
export function readQuestion(text: string): Question {
  const tokens = [...text.matchAll(WORD)].map((match): Token => {
    const [, at = '', written = ''] = match;
    const start = match.index + at.length;
    const word = withoutV(fold(written));
    return { word, stem: stem(word), start, end: start + written.length, isHandle: at !== '' };
  });
  const quoted = [...text.matchAll(QUOTED)].flatMap(({ index, 0: match }): Span[] => {
    const inside = tokens.flatMap(({ start }, i) =>
      start > index && start < index + match.length ? [i] : [],
    );
    const [from] = inside;
    return from === undefined ? [] : [{ from, to: from + inside.length }];
  });
  return { text, tokens, quoted };
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
