import type { Action, ActionName } from './actions.ts';

/** What a decision looks at, by name: numbers only, so that weights can be learned for them. */
export type Features = Readonly<Record<string, number>>;

export interface Choice {
  /** Place of the chosen action in the set. */
  readonly index: number;
  /** The probability with which this policy chooses it here: what off-policy learning divides by. */
  readonly propensity: number;
}

/** Chooses what the executor does next among what it can do. `actions` has at least one. */
export interface Policy {
  /** Names the rules and weights: recorded with each decision. */
  readonly version: string;
  choose(features: Features, actions: readonly Action[]): Choice;
}

/** Take apart, narrow, search, sift, and make one answer of it. */
const order: readonly ActionName[] = [
  'RecursiveCall',
  'DrillDown',
  'SearchLayer',
  'FilterByRecency',
  'FilterByRelevance',
  'Aggregate',
];

/**
 * The rules that hold where nothing was learned: the whole question is searched first, so that what the standard search
 * finds is there to choose from; then every part of it, then what was found is sifted and put together.
 */
export const rulePolicy: Policy = {
  version: 'rules-1',
  choose({ searches = 0 }, actions) {
    const first = searches === 0 ? actions.findIndex(({ name }) => name === 'SearchLayer') : -1;
    const ranks = actions.map(({ name }) => order.indexOf(name));
    return { index: first >= 0 ? first : ranks.indexOf(Math.min(...ranks)), propensity: 1 };
  },
};
