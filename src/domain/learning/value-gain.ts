import { addUses, memoryValue, noUse, valueWeightLimit, type MemoryUse } from './memory-value.ts';
import { intervalOf } from './estimators.ts';
import { groupBy } from '../group-by.ts';
import { evidenceForLook, looksAfter } from './looks.ts';
import { logOdds } from '../ranking/score-scale.ts';

/** A search with an explicit outcome: what it showed, and what of that was used. */
export interface UsedSearch {
  /** Empty for a caller without a user. */
  readonly user: string;
  /** Identifies the question: equal if the user asks it again. */
  readonly question: string;
  /** Position of the search in the log. */
  readonly askedAt: number;
  readonly results: readonly {
    readonly memoryId: string;
    readonly relevance: number;
    readonly used: boolean;
  }[];
}

export interface ValueGain {
  /** Questions that were compared: something was used for them. */
  readonly questions: number;
  /** Mean gain of nDCG by values. */
  readonly gain: number;
  readonly error: number;
  /** The least gain with one user left out; undefined for fewer than four users. */
  readonly leastWithoutOne: number | undefined;
}

const usersForLeavingOut = 4;

/**
 * What values would change for questions that were not asked before (requirement C5). The latest search of each question is ranked with
 * and without the values that its caller has from all other questions (leave-one-out). Without that, questions that are asked over and
 * over would prove a gain for themselves, and the memories that answer them would displace the answers to others. Apart from values, both
 * rankings are by relevance, so a search whose order does not change adds exactly 0.
 */
export function valueGain(searches: readonly UsedSearch[]): ValueGain {
  const all = new Uses();
  for (const search of searches) all.add(search, 1);
  const sorted = searches.toSorted((left, right) => left.askedAt - right.askedAt);
  const gains = [...groupBy(sorted, ({ question }) => question).values()].flatMap((own) => {
    const latest = own.findLast(({ results }) => results.some(({ used }) => used));
    if (!latest) return [];
    for (const search of own) all.add(search, -1);
    const gain = gainOf(latest, all);
    for (const search of own) all.add(search, 1);
    return [{ user: latest.user, gain }];
  });
  const count = gains.length;
  const gain = sumOf(gains) / Math.max(1, count);
  const squares = gains.reduce((sum, one) => sum + (one.gain - gain) ** 2, 0);
  const error = count < 2 ? Infinity : Math.sqrt(squares / (count - 1) / count);
  return { questions: count, gain, error, leastWithoutOne: leastWithoutOne(gains) };
}

interface Gain {
  readonly user: string;
  readonly gain: number;
}

/** In linear time, because a tenant may have thousands of users. */
function leastWithoutOne(gains: readonly Gain[]): number | undefined {
  const users = [...groupBy(gains, ({ user }) => user).values()].map((own) => ({
    count: own.length,
    sum: sumOf(own),
  }));
  if (users.length < usersForLeavingOut) return undefined;
  const all = users.reduce((sum, own) => sum + own.sum, 0);
  return users.reduce(
    (least, own) => Math.min(least, (all - own.sum) / (gains.length - own.count)),
    Infinity,
  );
}

/** The uses of each user, and of callers without a user. */
class Uses {
  readonly #uses = new Map<string, MemoryUse>();

  /** Counts a search, or takes it back. Relevances are in millionths, so that sums are exact. */
  add({ user, results }: UsedSearch, sign: 1 | -1): void {
    for (const { memoryId, relevance, used } of results) {
      const key = JSON.stringify([user, memoryId]);
      const known = this.#uses.get(key) ?? noUse;
      const expected = sign * Math.round(relevance * 1e6);
      this.#uses.set(key, addUses([known, { uses: used ? sign : 0, expected }]));
    }
  }

  /** As the user sees it: its own uses and those of callers without a user. */
  of(user: string, memoryId: string): MemoryUse {
    const scopes = user === '' ? [''] : ['', user];
    const { uses, expected } = addUses(
      scopes.map((scope) => this.#uses.get(JSON.stringify([scope, memoryId])) ?? noUse),
    );
    return { uses, expected: expected / 1e6 };
  }
}

function gainOf({ user, results }: UsedSearch, known: Uses): number {
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

function sumOf(gains: readonly Gain[]): number {
  return gains.reduce((sum, { gain }) => sum + gain, 0);
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
 * @param counted Number of all searches so far in which something was used.
 */
export function decideValues(
  { questions, gain, error, leastWithoutOne }: ValueGain,
  before: ValueState,
  counted: number,
): ValueLook | undefined {
  if (counted < evidenceForLook(before.looks)) return undefined;
  const looks = looksAfter(before.looks, counted);
  const tail = errorOfValueLook(before.looks + 1);
  const interval = intervalOf({ value: gain, error }, questions, 2 * tail);
  const isProven = interval[0] > 0 && (leastWithoutOne ?? gain) > 0;
  const weight = isProven ? valueWeightLimit : interval[1] < 0 ? 0 : before.weight;
  return { looks, interval, weight };
}
