import { sentencesOf, trimmed, type Span } from '../text/sentences.ts';
import { truncate } from '../text/truncate.ts';
import type { ContextCandidate, CountTokens } from './candidate.ts';
import { textOf, type MemoryEntry } from './entries.ts';
import { charactersPerToken, leastRest } from './pack.ts';

/** Recent turns take at most this share of the budget. */
const turnShare = 0.25;

export interface RecentTurns {
  /** The newest first. */
  readonly turns: readonly ContextCandidate[];
  /** What the search found; a turn may be among them, with the passage that matches the question. */
  readonly candidates: readonly ContextCandidate[];
  /** Of the whole context, in tokens. */
  readonly budget: number;
  readonly count: CountTokens;
}

/**
 * The last turns, in their order and without a gap, in their share of the budget. A turn that does not fit is cut to half of the room that
 * is left, so that the turns before it are shown, too: from its beginning, or from the passage that matches the question if that lies
 * further behind.
 */
export function recentTurns({ turns, candidates, budget, count }: RecentTurns): readonly MemoryEntry[] {
  const share = turnShare * budget;
  const entries: MemoryEntry[] = [];
  for (const [at, memory] of turns.entries()) {
    const { id, content } = memory;
    const whole = trimmed(content, { start: 0, end: content.length });
    if (!whole) continue;
    const entryOf = (span: Span): MemoryEntry => ({ kind: 'turn', memory, span, notes: { isDated: false } });
    const fitsInto = (most: number) => (span: Span) =>
      span.end - span.start <= most * charactersPerToken &&
      count(textOf([entryOf(span), ...entries])) <= most;
    if (fitsInto(share)(whole)) {
      entries.unshift(entryOf(whole));
      continue;
    }
    const left = share - count(textOf(entries));
    if (left < leastRest) break;
    const isOldest = at === turns.length - 1;
    const fits = fitsInto(isOldest || left < 2 * leastRest ? share : share - left / 2);
    const beginning = beginningOf(content, whole, fits);
    const found = candidates.find((one) => one.id === id);
    // A turn is what was said, whatever represents it.
    const passage = found?.representation === undefined ? found?.passage : undefined;
    const isBehind = beginning && passage && passage.end > beginning.end;
    const part = isBehind ? beginningOf(content, { ...whole, start: passage.start }, fits) : beginning;
    if (!part) break;
    entries.unshift(entryOf(part));
  }
  return entries;
}

/** The longest beginning that fits, up to the end of a sentence or else of a word if more than half of it remains. */
function beginningOf(content: string, { start, end }: Span, fits: (span: Span) => boolean): Span | undefined {
  let [fitting, tooLong] = [start, end];
  while (tooLong - fitting > 1) {
    const middle = Math.floor((fitting + tooLong) / 2);
    if (fits({ start, end: middle })) fitting = middle;
    else tooLong = middle;
  }
  const text = truncate(content.slice(start), fitting - start);
  const sentence = sentencesOf(text).at(-2)?.end ?? 0;
  const word = text.search(/\s\S*$/u);
  const length = [sentence, word].find((one) => one > text.length / 2) ?? text.length;
  const part = trimmed(content, { start, end: start + length });
  return part && fits(part) ? part : undefined;
}
