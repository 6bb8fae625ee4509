import { memoryValue, noUse, valueWeightLimit, type MemoryUse } from './memory-value.ts';
import { intervalOf } from './estimators.ts';
import { logOdds } from '../ranking/score-scale.ts';

/** A search with an explicit outcome: what it showed, and what of that was used. */
export interface UsedSearch {
  /** Empty for a caller without a user. */
  readonly user: string;
  /** Position of the search in the log. */
  readonly askedAt: number;
  /** Position from which its outcome was known. */
  readonly knownAt: number;
  readonly results: readonly {
    readonly memoryId: string;
    readonly relevance: number;
    readonly used: boolean;
  }[];
}

export interface ValueGain {
  /** Searches that were compared: something was used in them. */
  readonly searches: number;
  /** Mean gain of nDCG by values. */
  readonly gain: number;
  readonly error: number;
  /** The least gain with one user left out; undefined for fewer than four users. */
  readonly leastWithoutOne: number | undefined;
}

const usersForLeavingOut = 4;

/**
 * What values would have changed in recorded searches (requirement C5): each is ranked again with the values that its caller could
 * have had when it asked, from outcomes that were known by then, and compared with its ranking without them. Results are ranked by
 * their relevance in both rankings, so that a search whose values change no order adds exactly 0.
 */
export function valueGain(searches: readonly UsedSearch[]): ValueGain {
  const outcomes = [...searches].sort((left, right) => left.knownAt - right.knownAt);
  const asked = searches
    .filter(({ results }) => results.some(({ used }) => used))
    .sort((left, right) => left.askedAt - right.askedAt);
  const known = new KnownUses();
  let next = 0;
  const gains = asked.map((search) => {
    while (next < outcomes.length && outcomes[next]!.knownAt < search.askedAt) known.add(outcomes[next++]!);
    return { user: search.user, gain: gainOf(search, known) };
  });
  const count = gains.length;
  const gain = meanOf(gains);
  const squares = gains.reduce((sum, one) => sum + (one.gain - gain) ** 2, 0);
  const error = count < 2 ? Infinity : Math.sqrt(squares / (count - 1) / count);
  const users = [...new Set(gains.map(({ user }) => user))];
  const leastWithoutOne =
    users.length < usersForLeavingOut
      ? undefined
      : Math.min(...users.map((left) => meanOf(gains.filter(({ user }) => user !== left))));
  return { searches: count, gain, error, leastWithoutOne };
}

/** What is known of uses at some time: of each user, and of callers without a user. */
class KnownUses {
  readonly #uses = new Map<string, MemoryUse>();

  add({ user, results }: UsedSearch): void {
    for (const { memoryId, relevance, used } of results) {
      const key = JSON.stringify([user, memoryId]);
      const { uses, expected } = this.#uses.get(key) ?? noUse;
      this.#uses.set(key, { uses: uses + (used ? 1 : 0), expected: expected + relevance });
    }
  }

  /** As the user sees it: its own uses and those of callers without a user. */
  of(user: string, memoryId: string): MemoryUse {
    const scopes = user === '' ? [''] : ['', user];
    const uses = scopes.map((scope) => this.#uses.get(JSON.stringify([scope, memoryId])) ?? noUse);
    return {
      uses: uses.reduce((sum, use) => sum + use.uses, 0),
      expected: uses.reduce((sum, use) => sum + use.expected, 0),
    };
  }
}

function gainOf({ user, results }: UsedSearch, known: KnownUses): number {
  const candidates = results.map(({ memoryId, relevance, used }) => {
    const without = logOdds(relevance);
    // Certain relevances have infinite log-odds, which no value moves.
    return { used, without, with: without + valueWeightLimit * memoryValue(known.of(user, memoryId)) };
  });
  const ndcg = (ranking: 'with' | 'without') => {
    const sorted = candidates
      .map((candidate, index) => ({ ...candidate, index }))
      .sort((left, right) => compare(right[ranking], left[ranking]) || left.index - right.index);
    const discounted = sorted.reduce((sum, { used }, rank) => sum + (used ? discount(rank) : 0), 0);
    const best = candidates.filter(({ used }) => used).reduce((sum, _, rank) => sum + discount(rank), 0);
    return discounted / best;
  };
  return ndcg('with') - ndcg('without');
}

const discount = (rank: number): number => 1 / Math.log2(rank + 2);
const compare = (left: number, right: number): number => (left < right ? -1 : left > right ? 1 : 0);

function meanOf(gains: readonly { readonly gain: number }[]): number {
  return gains.reduce((sum, { gain }) => sum + gain, 0) / Math.max(1, gains.length);
}

/** Searches at the first look; each later one has twice as many. */
export const firstValueLook = 50;

/** Number of compared searches that a look needs, after so many looks: 50, 100, 200, … */
export function searchesForLook(looks: number): number {
  return firstValueLook * 2 ** looks;
}

/** What the last look decided. */
export interface ValueState {
  readonly looks: number;
  /** Weight of the value in log-odds; 0 while values are off. */
  readonly weight: number;
}

export const valuesOff: ValueState = { looks: 0, weight: 0 };

export interface ValueLook extends ValueState {
  readonly interval: readonly [number, number];
}

/**
 * One-sided error of a look, the first being number 1: that of a 95 % interval, then .012, .0048, … so that all looks together are
 * wrong in less than 5 % of the cases. Most is spent at first: what memories are worth shows in few searches or hardly at all.
 */
function errorOfValueLook(look: number): number {
  return Math.min(0.025, 0.03 * 0.4 ** (look - 1));
}

/**
 * Decides whether values rank, at doublings only; undefined if it is no look. Values are switched on if the lower bound of the 95 %
 * interval of their gain is above 0, and stays above 0 without any one of four or more users; off again if the upper bound is below
 * 0. The error is spent over the looks, so that later ones need more than the first.
 *
 * @param counted Searches that there are by now, of which the latest were compared.
 */
export function decideValues(
  { searches, gain, error, leastWithoutOne }: ValueGain,
  before: ValueState,
  counted = searches,
): ValueLook | undefined {
  if (counted < searchesForLook(before.looks)) return undefined;
  // Searches may have doubled more than once since the last call. That is one look.
  const looks = Math.max(before.looks + 1, Math.floor(Math.log2(counted / firstValueLook)) + 1);
  const tail = errorOfValueLook(before.looks + 1);
  const interval = intervalOf({ value: gain, error }, searches, 2 * tail);
  const isProven = interval[0] > 0 && (leastWithoutOne ?? gain) > 0;
  const weight = isProven ? valueWeightLimit : interval[1] < 0 ? 0 : before.weight;
  return { looks, interval, weight };
}
