import { fold } from '../text/tokens.ts';
import { stem } from '../text/porter2.ts';
import { STOP_WORDS } from '../text/stop-words.ts';

/** A word as it is written, and as it is compared. */
export interface Token {
  readonly text: string;
  readonly key: string;
}

/** A sentence or a line. */
export interface Passage {
  readonly text: string;
  readonly tokens: readonly Token[];
}

/** So much of a text is looked at, in UTF-16 units, and so many of its passages. */
const examined = 20_000;
const mostPassages = 100;
const leastTokens = 4;
const mostTokens = 60;

const WORD =
  /\p{N}[\p{L}\p{N}]*(?:[.,:/-]\p{N}[\p{L}\p{N}]*)*|\p{L}[\p{L}\p{M}\p{N}]*(?:['’_-][\p{L}\p{N}]+)*|%/gu;

/** The sentences and lines of a text that are long enough to say something and short enough to say one thing. */
export function passagesOf(text: string): Passage[] {
  return text
    .slice(0, examined)
    .split(/(?<=[.!?])\s+|\n+/u)
    .slice(0, mostPassages)
    .map((passage) => ({ text: passage.trim(), tokens: tokensOf(passage) }))
    .filter(({ tokens }) => tokens.length >= leastTokens && tokens.length <= mostTokens);
}

function tokensOf(passage: string): Token[] {
  return (passage.match(WORD) ?? []).map((text) => ({ text, key: keyOf(text) }));
}

function keyOf(text: string): string {
  const folded = fold(text).replaceAll('’', "'");
  return /^\p{L}+$/u.test(folded) && !STOP_WORDS.has(folded) ? stem(folded) : folded;
}

export function isContent({ key }: Token): boolean {
  return /^\p{L}/u.test(key) && !STOP_WORDS.has(key);
}
