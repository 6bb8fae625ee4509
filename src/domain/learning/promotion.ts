import { intervalOf, type Evaluation } from './estimators.ts';

/** Matched deviations at the first look; each later one has twice as many. */
export const firstLook = 50;

/** Probability of promoting a candidate that is no better, over all looks. */
export const promotionError = 0.05;

export type Verdict = 'keep-collecting' | 'promote' | 'reject';

export interface Decision {
  readonly verdict: Verdict;
  /** Looks made, this one included; to be passed to the next call. */
  readonly looks: number;
  /** Interval of the doubly robust gain at the confidence of this look; undefined if it was no look. */
  readonly interval: readonly [number, number] | undefined;
  readonly reason: string;
}

/** Number of matched deviations that a look needs, after so many looks: 50, 100, 200, … */
export function matchedForLook(looks: number): number {
  return firstLook * 2 ** looks;
}

/** Share of the error that is left which a look spends. */
const spentShare = 0.6;

/**
 * Error that a look may spend, the first being number 1: .05 · .6 · .4^(k − 1), that is .03, .012, … The sum over any number of looks
 * is below .05, whatever the looks depend on each other (a spending function, Lan and DeMets 1983, with Bonferroni's bound). More
 * than half of what is left goes to the next look, because one that decides nothing costs as many searches again.
 */
export function errorOfLook(look: number): number {
  return promotionError * spentShare * Math.exp((look - 1) * Math.log(1 - spentShare));
}

/**
 * Decides on a candidate from decisions that it did not learn from (requirement C7). Only when the matched deviations have doubled
 * is there a look; in between nothing is decided, however often this is called.
 *
 * A candidate is promoted if the one-sided lower bound of its doubly robust gain at the error of the look is above 0, SNIPS agrees on
 * the sign, and the gain stays above 0 without any one of four or more principals. It is rejected if the upper bound is below
 * 0 at the same error.
 *
 * @param evaluation Comparison over all evidence since the incumbent came into force.
 * @param looks Number of looks at this incumbent's evidence before.
 */
export function decidePromotion(evaluation: Evaluation, looks: number): Decision {
  const needed = matchedForLook(looks);
  if (evaluation.matched < needed) {
    const reason = `${Math.floor(evaluation.matched)} of ${needed} matched deviations`;
    return { verdict: 'keep-collecting', looks, interval: undefined, reason };
  }
  // Evidence may have grown by more than one doubling since the last call. That is one look.
  const made = Math.max(looks + 1, Math.floor(Math.log2(evaluation.matched / firstLook)) + 1);
  const interval = intervalOf(evaluation.doublyRobust, evaluation.matched, 2 * errorOfLook(looks + 1));
  const decided = (verdict: Verdict, reason: string): Decision => ({
    verdict,
    looks: made,
    interval,
    reason,
  });
  if (interval[1] < 0) return decided('reject', 'worse than the incumbent');
  if (interval[0] <= 0) return decided('keep-collecting', 'not proven to be better');
  if (evaluation.snips.value <= 0) return decided('keep-collecting', 'SNIPS does not agree');
  if (evaluation.leastWithoutOne !== undefined && evaluation.leastWithoutOne <= 0) {
    return decided('keep-collecting', 'the gain hangs on one principal');
  }
  return decided('promote', 'better than the incumbent');
}

/** Share of the decisions that a canary takes from the candidate. */
export const canaryShare = 0.5;

/** Decisions with an outcome that a canary lasts. */
export const canaryDecisions = 30;

export type LiveVerdict = 'continue' | 'complete' | 'roll-back';

/** Error of one roll-back of a policy that is not worse. */
const rollBackError = 0.025;
/** Matched and opposed deviations from which on live figures count. */
const leastLive = 20;

/**
 * Decides about a policy that is live, from all decisions with an explicit outcome since it got its present share of the traffic. It is
 * rolled back as soon as the upper bound of its gain over its predecessor is below 0, or a canary ends below 0 by more than its
 * standard error. A canary that does not is complete after 30 decisions; a policy with all traffic is watched as long as
 * its predecessor is explored.
 *
 * @param evaluation The live policy as candidate, its predecessor as incumbent.
 * @param isCanary Whether the policy has only the canary's share.
 */
export function watchLive(evaluation: Evaluation, isCanary: boolean): LiveVerdict {
  const { doublyRobust, matched, opposed } = evaluation;
  if (Math.min(matched, opposed) >= leastLive) {
    const [, most] = intervalOf(doublyRobust, Math.min(matched, opposed), 2 * rollBackError);
    if (most < 0) return 'roll-back';
  }
  if (!isCanary || evaluation.decisions < canaryDecisions) return 'continue';
  return doublyRobust.value < -doublyRobust.error ? 'roll-back' : 'complete';
}
