import { groupBy } from '../group-by.ts';
import type { Aggregation } from './plan.ts';

/** A memory that the searches of a plan found. */
export interface SearchResult {
  readonly id: string;
  /** Probability that it answers the question, or the part of the question for which it scored best. */
  readonly score: number;
  /** Side of the comparison; undefined if only the search for the whole question found it. */
  readonly side?: number | undefined;
  /** Its layer and scope. */
  readonly place: string;
}

/**
 * Orders the results of several searches by priority for an answer with limited room. Scores are not changed, and the
 * answer itself is sorted by them. Ids are unique.
 */
export function aggregate(strategy: Aggregation, found: readonly SearchResult[]): SearchResult[] {
  const best = found.toSorted(byScore);
  switch (strategy) {
    case 'combine':
      return best;
    case 'compare':
      return balance(best);
    case 'summarize':
      return cover(best);
    default:
      return strategy satisfies never;
  }
}

/**
 * Takes the best result of each side, then the second of each, and so on. The weight of such a row is the mean of its scores, but
 * at most that of the row before. Results without a side are ranked among the rows by their own score.
 */
function balance(found: readonly SearchResult[]): SearchResult[] {
  const sides = [...groupBy(found, ({ side }) => side)].filter(([side]) => side !== undefined);
  if (sides.length < 2) return [...found];
  const rows: Weighed[] = [];
  const longest = Math.max(...sides.map(([, members]) => members.length));
  let bound = 1;
  for (let index = 0; index < longest; index++) {
    const row = sides.flatMap(([, members]) => members[index] ?? []).sort(byScore);
    bound = Math.min(bound, row.reduce((sum, { score }) => sum + score, 0) / row.length);
    rows.push(...row.map((one) => ({ one, weight: bound })));
  }
  const rest = found.filter(({ side }) => side === undefined).map((one) => ({ one, weight: one.score }));
  return byWeight([...rows, ...rest]);
}

/** Prefers places that are not represented yet: a memory's weight falls with each better memory of the same place. */
function cover(found: readonly SearchResult[]): SearchResult[] {
  const seenByPlace = new Map<string, number>();
  return byWeight(
    found.map((one) => {
      const before = seenByPlace.get(one.place) ?? 0;
      seenByPlace.set(one.place, before + 1);
      return { one, weight: one.score / (1 + before / 2) };
    }),
  );
}

/** A memory with its priority for the answer. */
interface Weighed {
  readonly one: SearchResult;
  readonly weight: number;
}

/** Stable: equals keep their order. */
function byWeight(weighed: readonly Weighed[]): SearchResult[] {
  return weighed.toSorted((left, right) => right.weight - left.weight).map(({ one }) => one);
}

/** Highest score first, then newest first. */
function byScore(left: SearchResult, right: SearchResult): number {
  return right.score - left.score || (left.id < right.id ? 1 : -1);
}
