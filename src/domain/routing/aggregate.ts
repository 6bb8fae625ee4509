import { groupBy } from '../group-by.ts';
import type { Aggregation } from './plan.ts';

/** A memory as the steps found it. */
export interface Found {
  readonly id: string;
  /** The probability that it answers the question, or the part of it that found it best. */
  readonly score: number;
  /** The side of a comparison that it belongs to; undefined where the whole question found it alone. */
  readonly side?: number | undefined;
  /** Where it stands: its layer with its scope. */
  readonly place: string;
}

/**
 * Puts what several searches found in the order in which it is chosen for an answer, which has room for a few. Each keeps
 * its own score, whatever else was found: the answer is ordered by it. Ids are unique.
 */
export function aggregate(strategy: Aggregation, found: readonly Found[]): Found[] {
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

/** The best of each side, then the second of each: a row has the mean of its scores, by which what has no side stands among them. */
function balance(found: readonly Found[]): Found[] {
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

/** Places that were not heard yet come before more of the same: a memory counts for less with each better one of its place. */
function cover(found: readonly Found[]): Found[] {
  const heard = new Map<string, number>();
  return byWeight(
    found.map((one) => {
      const before = heard.get(one.place) ?? 0;
      heard.set(one.place, before + 1);
      return { one, weight: one.score / (1 + before / 2) };
    }),
  );
}

/** What decides whether a memory is chosen. */
interface Weighed {
  readonly one: Found;
  readonly weight: number;
}

/** Stable: equals keep their order. */
function byWeight(weighed: readonly Weighed[]): Found[] {
  return weighed.toSorted((left, right) => right.weight - left.weight).map(({ one }) => one);
}

/** Best first; of equals the newest. */
function byScore(left: Found, right: Found): number {
  return right.score - left.score || (left.id < right.id ? 1 : -1);
}
