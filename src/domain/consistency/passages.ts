import { fold } from '../text/tokens.ts';
import { stem } from '../text/porter2.ts';
import { STOP_WORDS } from '../text/stop-words.ts';

/** A word as it is written, and as it is compared. */
export interface Token {
  readonly text: string;
  readonly key: string;
}

/** A text that is long enough to say something and short enough to say one thing. */
export interface Passage {
  readonly text: string;
  readonly tokens: readonly Token[];
}

const leastTokens = 4;
const mostTokens = 120;
/** In UTF-16 units: longer ones are not looked at. */
const longest = 2_000;

const WORD =
  /\p{N}[\p{L}\p{N}]*(?:[.,:/-]\p{N}[\p{L}\p{N}]*)*|\p{L}[\p{L}\p{M}\p{N}]*(?:['’_-][\p{L}\p{N}]+)*|%/gu;

/** A text as a passage; undefined where it is none. */
export function passageOf(text: string): Passage | undefined {
  if (text.length > longest) return undefined;
  const tokens = tokensOf(text);
  return tokens.length < leastTokens || tokens.length > mostTokens ? undefined : { text, tokens };
}

export function tokensOf(passage: string): Token[] {
  return (passage.match(WORD) ?? []).map((text) => ({ text, key: keyOf(text) }));
}

function keyOf(text: string): string {
  const folded = fold(text).replaceAll('’', "'");
  return /^\p{L}+$/u.test(folded) && !STOP_WORDS.has(folded) ? stem(folded) : folded;
}

export function isContent({ key }: Token): boolean {
  return /^\p{L}/u.test(key) && !STOP_WORDS.has(key);
}
