import { fold } from '../text/tokens.ts';
import { stem } from '../text/porter2.ts';
import { STOP_WORDS } from '../text/stop-words.ts';

/** A word as written, and the key by which it is compared (folded and stemmed). */
export interface Token {
  readonly text: string;
  readonly key: string;
}

/** A text of 4 to 120 tokens: long enough to make a statement and short enough to make only one. */
export interface ShortText {
  readonly text: string;
  readonly tokens: readonly Token[];
}

const minTokens = 4;
const maxTokens = 120;
/** In UTF-16 units; longer texts are skipped without tokenizing them. */
const maxLength = 2_000;

export const WORD =
  /\p{N}[\p{L}\p{N}]*(?:[.,:/-]\p{N}[\p{L}\p{N}]*)*|\p{L}[\p{L}\p{M}\p{N}]*(?:['’_-][\p{L}\p{N}]+)*|%/gu;

/** Tokenizes a text; undefined if it is too short or too long for one. */
export function shortTextOf(text: string): ShortText | undefined {
  if (text.length > maxLength) return undefined;
  const tokens = tokensOf(text);
  return tokens.length < minTokens || tokens.length > maxTokens ? undefined : { text, tokens };
}

export function tokensOf(text: string): Token[] {
  return (text.match(WORD) ?? []).map((word) => ({ text: word, key: keyOf(word) }));
}

export function keyOf(text: string): string {
  const folded = fold(text).replaceAll('’', "'");
  return /^\p{L}+$/u.test(folded) && !STOP_WORDS.has(folded) ? stem(folded) : folded;
}

/** Whether a token is a word that carries meaning. */
export function isContent({ key }: Token): boolean {
  return /^\p{L}/u.test(key) && !STOP_WORDS.has(key);
}
