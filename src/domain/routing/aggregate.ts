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

export interface Ranked {
  readonly id: string;
  readonly score: number;
}

/**
 * Makes one list of what several searches found: best first, none below `threshold`, scores between the least and the
 * greatest of those given. Ids are unique.
 */
export function aggregate(strategy: Aggregation, found: readonly Found[], threshold: number): Ranked[] {
  const passing = found.filter(({ score }) => score >= threshold).sort(byScore);
  switch (strategy) {
    case 'combine':
      return passing.map(ranked);
    case 'compare':
      return balance(passing);
    case 'summarize':
      return cover(passing, threshold);
    default:
      return strategy satisfies never;
  }
}

/**
 * The best of each side, then the second of each: each row has the mean of its scores, so that the sides alternate in
 * the order of the scores. A row never stands above the one before it.
 */
function balance(found: readonly Found[]): Ranked[] {
  const sides = [...groupBy(found, ({ side }) => side)].filter(([side]) => side !== undefined);
  if (sides.length < 2) return found.map(ranked);
  const rows: Ranked[] = [];
  const longest = Math.max(...sides.map(([, members]) => members.length));
  let bound = 1;
  for (let index = 0; index < longest; index++) {
    const row = sides.flatMap(([, members]) => members[index] ?? []).sort(byScore);
    const mean = row.reduce((sum, { score }) => sum + score, 0) / row.length;
    bound = Math.min(bound, mean);
    rows.push(...row.map(({ id }) => ({ id, score: bound })));
  }
  const rest = found.filter(({ side }) => side === undefined).map(ranked);
  // Stable: of equals the row's order stays.
  return [...rows, ...rest].sort((left, right) => right.score - left.score);
}

/** Places that were not heard yet come before more of the same: what a memory has above the threshold counts for less with each better one of its place. */
function cover(found: readonly Found[], threshold: number): Ranked[] {
  const heard = new Map<string, number>();
  return found
    .map(({ id, score, place }) => {
      const before = heard.get(place) ?? 0;
      heard.set(place, before + 1);
      return { id, score: threshold + (score - threshold) / (1 + before / 2) };
    })
    .sort((left, right) => right.score - left.score);
}

function byScore(left: Found, right: Found): number {
  return right.score - left.score || (left.id < right.id ? 1 : -1);
}

function ranked({ id, score }: Found): Ranked {
  return { id, score };
}

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
