import { configOf, type Spaces } from './spaces.ts';

/** What the spaces of a tenant say about the order of their memories. */
export interface RankingRules {
  /** `temporalDecayRate` of each space where older memories rank lower. */
  readonly decayRates: ReadonlyMap<string, number>;
  /** The spaces with `versionTracking`. */
  readonly versioned: ReadonlySet<string>;
}

/** Undefined if no space says anything, which is to cost nothing. */
export function rankingRulesOf(spaces: Spaces): RankingRules | undefined {
  const decayRates = new Map<string, number>();
  const versioned = new Set<string>();
  for (const id of spaces.configured.keys()) {
    const { temporalDecayRate, versionTracking } = configOf(spaces, id);
    if (temporalDecayRate > 0) decayRates.set(id, temporalDecayRate);
    if (versionTracking) versioned.add(id);
  }
  return decayRates.size === 0 && versioned.size === 0 ? undefined : { decayRates, versioned };
}

/** The rate that counts for a memory: the lowest of its spaces, as the longest retention counts. */
export function decayRateOf({ decayRates }: RankingRules, spaces: readonly string[]): number {
  return spaces.length === 0 ? 0 : Math.min(...spaces.map((space) => decayRates.get(space) ?? 0));
}
