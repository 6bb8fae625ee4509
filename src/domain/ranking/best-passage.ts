import type { Places } from '../text/passage-terms.ts';
import { saturation, type TermFrequencies, type WeightedTerms } from './bm25.ts';

/** How the passages of a long text match a query. */
export interface PassageSignals {
  /** Number of passages. */
  readonly count: number;
  /** Terms of the passage that matches best; absent if none has a term of the query. */
  readonly terms?: TermFrequencies | undefined;
  /** Cosine of the nearest passage; absent if none has a vector. */
  readonly cosine?: number | undefined;
}

/**
 * By how many standard deviations the best of `count` unrelated passages exceeds their mean: √(2 ln count), the limit for normally
 * distributed values. Source: Cramér, "Mathematical Methods of Statistics", 1946, § 28.6. Without this correction, a longer text would
 * be more relevant to every query.
 */
export function luckOfBest(count: number): number {
  return Math.sqrt(2 * Math.log(Math.max(1, count)));
}

/** Approximate number of terms of a passage. */
export const TERMS_OF_PASSAGE = 90;

/** The terms of a query in one passage of a long text. */
export interface PassageMatch {
  /** Its number in the text, from 0. */
  readonly passage: number;
  /** Number of terms in the passage. */
  readonly length: number;
  /** Occurrences of each term of the query, in their order. */
  readonly frequencies: readonly number[];
}

/**
 * The passage with the greatest BM25 (`match`), the first one among equals; undefined if none contains a term of the query.
 * `places` are those of each term, undefined for a term that the text does not contain; `lengths` those of the passages.
 */
export function bestPassage(
  { terms, weights }: WeightedTerms,
  places: readonly (Places | undefined)[],
  lengths: readonly number[],
): PassageMatch | undefined {
  const scores = new Map<number, number>();
  for (const [at, place] of places.entries())
    for (const [index, passage] of place?.passages.entries() ?? []) {
      const gain = weights[at]! * saturation(place!.counts[index]!, lengths[passage]!);
      scores.set(passage, (scores.get(passage) ?? 0) + gain);
    }
  let best: { passage: number; score: number } | undefined;
  for (const [passage, score] of scores)
    if (!best || score > best.score || (score === best.score && passage < best.passage))
      best = { passage, score };
  if (!best) return undefined;
  const { passage } = best;
  const frequencies = terms.map((_, at) => {
    const index = places[at]?.passages.indexOf(passage) ?? -1;
    return index < 0 ? 0 : places[at]!.counts[index]!;
  });
  return { passage, length: lengths[passage]!, frequencies };
}
