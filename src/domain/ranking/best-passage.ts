import type { Places } from '../text/passage-terms.ts';
import { saturation, type WeightedTerms } from './bm25.ts';

/** Terms of a passage, about. */
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
