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

/** Shares of the error that the first looks spend, and the share of what is left that each later one does. */
const firstShares = [0.3, 0.5];
const laterShare = 0.6;

/**
 * Error that a look may spend, the first being number 1: .015, .025, then .6 of what is left: .006, .0024, … The sum over any number of
 * looks is below .05, whatever the looks depend on each other (a spending function, Lan and DeMets 1983, with Bonferroni's bound),
 * and whichever candidate each of them is about. Half goes to the second, because a gain of .2 in success is rarely
 * proven by 50 matched deviations (see `npm run bench -- learning`).
 */
export function errorOfLook(look: number): number {
  const first = firstShares[look - 1];
  if (first !== undefined) return promotionError * first;
  const left = firstShares.reduce((rest, share) => rest - share, 1);
  const later = look - firstShares.length - 1;
  return promotionError * left * laterShare * Math.exp(later * Math.log(1 - laterShare));
}

/** Error of the looks from one number to another, both included. */
function errorOfLooks(first: number, last: number): number {
  let sum = 0;
  for (let look = first; look <= last; look += 1) sum += errorOfLook(look);
  return sum;
}

/**
 * Decides on a candidate from decisions that it did not learn from (requirement C7). Only when the matched deviations have doubled
 * is there a look; in between nothing is decided, however often this is called.
 *
 * A candidate is promoted if the one-sided lower bound of its doubly robust gain at the error of the look is above 0, SNIPS agrees on
 * the sign, and the gain stays above 0 without any one of four or more principals. It is rejected if the upper bound is below
 * 0 at the same error.
 *
 * @param evaluation Comparison over all evidence for the candidate (`evidenceFor`) since the incumbent came into force.
 * @param looks Number of looks at this incumbent's evidence before, for any candidate: they share one error.
 */
export function decidePromotion(evaluation: Evaluation, looks: number): Decision {
  const needed = matchedForLook(looks);
  if (evaluation.matched < needed) {
    const reason = `${Math.floor(evaluation.matched)} of ${needed} matched deviations`;
    return { verdict: 'keep-collecting', looks, interval: undefined, reason };
  }
  // Evidence may have grown by more than one doubling since the last call. That is one look, with the error of all of them.
  const made = Math.max(looks + 1, Math.floor(Math.log2(evaluation.matched / firstLook)) + 1);
  const interval = intervalOf(evaluation.doublyRobust, evaluation.matched, 2 * errorOfLooks(looks + 1, made));
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
export const canaryDecisions = 20;

/** A canary fails if its gain is below 0 by more than so many standard errors: one of twenty whose policy is no worse. */
const canaryReach = 1.645;

export type LiveVerdict = 'continue' | 'complete' | 'roll-back';

/** Probability that a policy that is not worse is ever rolled back by its bound, over all calls. */
const rollBackError = 0.025;
/** Matched and opposed deviations from which on live figures count. */
const leastLive = 20;
/** Matched and opposed deviations at which the bound is tightest. */
const tightestAt = 50;

/**
 * How many standard errors a one-sided bound is from its estimate, if it is to hold at all sample sizes at once with probability
 * 1 − error: an asymptotic confidence sequence (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, Time-uniform central limit theory
 * and asymptotic confidence sequences, Annals of Statistics 2024, the one-sided bound with a normal mixture):
 *
 * √(2 · (nρ² + 1) / (nρ²) · ln(1 + √(nρ² + 1) / (2 · error))), ρ² = (−2 ln(2 · error) + ln(1 − 2 ln(2 · error))) / n*
 *
 * @param size n, the number of observations behind the estimate. n* is 50.
 */
export function anytimeReach(size: number, error: number): number {
  const spent = -2 * Math.log(2 * error);
  const scaled = (size * (spent + Math.log(1 + spent))) / tightestAt;
  return Math.sqrt(((2 * (scaled + 1)) / scaled) * Math.log(1 + Math.sqrt(scaled + 1) / (2 * error)));
}

/**
 * Decides about a policy that is live, from all decisions with an explicit outcome since it got its present share of the traffic. It is
 * rolled back as soon as the upper bound of its gain over its predecessor is below 0. The bound holds over any number of calls, so
 * this can be called after every decision. A canary ends after 20 decisions: it is complete, unless its gain is clearly below 0, which
 * is decided once. So few show only a failure; the gain was proven before. A policy with all traffic is watched as long as its
 * predecessor is explored.
 *
 * @param evaluation The live policy as candidate, its predecessor as incumbent.
 * @param isCanary Whether the policy has only the canary's share.
 */
export function watchLive(evaluation: Evaluation, isCanary: boolean): LiveVerdict {
  const { doublyRobust, matched, opposed } = evaluation;
  const size = Math.min(matched, opposed);
  if (size >= leastLive && doublyRobust.value < -anytimeReach(size, rollBackError) * doublyRobust.error) {
    return 'roll-back';
  }
  if (!isCanary || evaluation.decisions < canaryDecisions) return 'continue';
  return doublyRobust.value < -canaryReach * doublyRobust.error ? 'roll-back' : 'complete';
}
