import { charactersPerToken, estimateTokens } from '../domain/text/estimate-tokens.ts';
import { truncate } from '../domain/text/truncate.ts';

/** A part of a text, and where it lies. Offsets are UTF-16 units, as everywhere in the API. */
export interface Part {
  readonly text: string;
  readonly start: number;
  readonly length: number;
}

/** The part that begins at `start` and has at most `most` UTF-16 units. A surrogate pair is not split at either end. */
export function partOf(text: string, start: number, most: number): Part {
  const from = Math.min(isInsidePair(text, start) ? start - 1 : start, text.length);
  return { text: truncate(text.slice(from), most), start: from, length: text.length };
}

export function isWhole({ text, length }: Part): boolean {
  return text.length === length;
}

/** Offset at which the rest begins; undefined if the part reaches the end. */
export function restOf({ text, start, length }: Part): number | undefined {
  const end = start + text.length;
  return end < length ? end : undefined;
}

function isInsidePair(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  const before = text.charCodeAt(index - 1);
  return unit >= 0xdc00 && unit <= 0xdfff && before >= 0xd800 && before <= 0xdbff;
}

/** The beginning of a text is not shown if it has fewer UTF-16 units than this: it would say too little. */
const minUseful = 80;

/**
 * How many UTF-16 units of each text are shown, in order: at most `mostOfEach`, and as many as fit into `maxTokens` in all.
 * The text at which the budget ends is cut; it and those behind it are left out if less than a sentence remains.
 */
export function shares(
  lengths: readonly number[],
  {
    mostOfEach,
    maxTokens = Infinity,
  }: { readonly mostOfEach: number; readonly maxTokens?: number | undefined },
): number[] {
  const shown: number[] = [];
  let left = maxTokens;
  for (const length of lengths) {
    const wanted = Math.min(length, mostOfEach);
    const share = Math.min(wanted, left * charactersPerToken);
    if (share < wanted && share < minUseful) break;
    shown.push(share);
    left -= estimateTokens(share);
  }
  return shown;
}
