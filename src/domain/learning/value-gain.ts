import { addUses, memoryValue, noUse, valueWeightLimit, type MemoryUse } from './memory-value.ts';
import { intervalOf } from './estimators.ts';
import { evidenceForLook, looksAfter } from './looks.ts';
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
 * What values would have changed in recorded searches (requirement C5). Each search is ranked with and without the values that its caller
 * would have had, from outcomes that were known when it was asked. Apart from values, both rankings are by relevance, so a search whose
 * order does not change adds exactly 0.
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

/** The uses that are known at some position: of each user, and of callers without a user. */
class KnownUses {
  readonly #uses = new Map<string, MemoryUse>();

  add({ user, results }: UsedSearch): void {
    for (const { memoryId, relevance, used } of results) {
      const key = JSON.stringify([user, memoryId]);
      const known = this.#uses.get(key) ?? noUse;
      this.#uses.set(key, addUses([known, { uses: used ? 1 : 0, expected: relevance }]));
    }
  }

  /** As the user sees it: its own uses and those of callers without a user. */
  of(user: string, memoryId: string): MemoryUse {
    const scopes = user === '' ? [''] : ['', user];
    return addUses(scopes.map((scope) => this.#uses.get(JSON.stringify([scope, memoryId])) ?? noUse));
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
 * One-sided error of a look; the first has number 1. It is .025, as of a 95 % interval, then .012, .0048, …; the sum over any number of
 * looks is below .05. The first look gets most of it: a gain by values shows in few searches or hardly at all.
 */
function errorOfValueLook(look: number): number {
  return Math.min(0.025, 0.03 * 0.4 ** (look - 1));
}

/**
 * Decides whether values rank. There is a look only when the number of searches has doubled; undefined between looks. A look switches
 * values on if the lower bound of their gain is above 0 and the gain stays above 0 without any one of four or more users. It switches them
 * off if the upper bound is below 0. Later looks have a smaller error (`errorOfValueLook`), so they need more evidence.
 *
 * @param counted Number of all searches so far; only the latest of them were compared.
 */
export function decideValues(
  { searches, gain, error, leastWithoutOne }: ValueGain,
  before: ValueState,
  counted = searches,
): ValueLook | undefined {
  if (counted < evidenceForLook(before.looks)) return undefined;
  const looks = looksAfter(before.looks, counted);
  const tail = errorOfValueLook(before.looks + 1);
  const interval = intervalOf({ value: gain, error }, searches, 2 * tail);
  const isProven = interval[0] > 0 && (leastWithoutOne ?? gain) > 0;
  const weight = isProven ? valueWeightLimit : interval[1] < 0 ? 0 : before.weight;
  return { looks, interval, weight };
}
