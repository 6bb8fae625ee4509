import type { Action, ActionName } from './actions.ts';

/** Inputs of a decision, by name: numbers only, so that weights can be learned for them. */
export type Features = Readonly<Record<string, number>>;

export interface Choice {
  /** Index of the chosen action. */
  readonly index: number;
  /** Probability with which this policy chooses the action here; off-policy learning divides by it. */
  readonly propensity: number;
}

/** Chooses the executor's next action. `actions` is not empty. */
export interface Policy {
  /** Identifies the rules and weights; recorded with each decision. */
  readonly version: string;
  choose(features: Features, actions: readonly Action[]): Choice;
}

/** Decompose, narrow, search, filter, then merge the results into one answer. */
const order: readonly ActionName[] = [
  'RecursiveCall',
  'DrillDown',
  'SearchLayer',
  'FilterByRecency',
  'FilterByRelevance',
  'Aggregate',
];

/**
 * The rules used without learned weights: search the whole question first, so that the results of the standard search are
 * available; then search each part of it; then filter and merge the results.
 */
export const rulePolicy: Policy = {
  version: 'rules-1',
  choose({ searches = 0 }, actions) {
    const first = searches === 0 ? actions.findIndex(({ name }) => name === 'SearchLayer') : -1;
    const ranks = actions.map(({ name }) => order.indexOf(name));
    return { index: first >= 0 ? first : ranks.indexOf(Math.min(...ranks)), propensity: 1 };
  },
};
