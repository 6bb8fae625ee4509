import { hasFilters } from '../filter-join.ts';
import type { Restrictions } from './candidate-source.ts';
import type { PrefilterSet } from './prefilter-set.ts';

/** Results requested for each one wanted, because a few memories may just have been deleted. */
const spare = 1.2;
/**
 * Results requested for each one wanted if the restrictions remove an unknown share. If too few are left, this many times more are
 * requested.
 */
const widening = 8;
/** Results requested for each one wanted among the memories that pass, if the share that the restrictions leave is known. */
const excess = 1.5;

/** Which memories a resident source looks among. */
export interface ResidentBreadth {
  /** Ids of the only memories to look among, read once for all sources. */
  readonly among?: (() => Promise<readonly string[]>) | undefined;
  /** Share of all memories that the restrictions leave. */
  readonly share?: number | undefined;
}

/**
 * Whether checking the nearest of all memories, until enough of them are in the set, takes less time than comparing the set. One
 * check with filters takes seven times as long as one comparison, and each hit needs 1.5 checks divided by the set's share.
 */
export function isWide({ hasFewTexts, expected }: PrefilterSet, documents: number): boolean {
  return !hasFewTexts && expected > 22 * Math.sqrt(documents);
}

/** The numbers of best results that are checked, one after the other, until `limit` of them meet the restrictions. */
export function depthsOf(
  restrictions: Restrictions,
  limit: number,
  { isSet, share }: { readonly isSet: boolean; readonly share?: number | undefined },
): readonly number[] {
  // Nearly all memories of a prefilter set pass.
  const passing = isSet ? 1 : share;
  const first = passing ? excess / passing : widening;
  const depths = isRestricted(restrictions) ? [first, first * widening] : [spare, widening];
  return depths.map((depth) => Math.ceil(depth * limit));
}

export function isRestricted({ region, ...filters }: Restrictions): boolean {
  const { visibility, layers, scope } = region;
  return hasFilters(filters) || visibility !== 'all' || layers !== undefined || scope !== undefined;
}
