import { intervalOf, type Evaluation } from './estimators.ts';
import { evidenceForLook, looksAfter } from './looks.ts';

/** Probability of promoting a candidate that is no better, over all looks. */
const promotionError = 0.05;

export type Verdict = 'keep-collecting' | 'promote' | 'reject';

export interface Decision {
  readonly verdict: Verdict;
  /** Number of looks so far, including this one; the next call takes it. */
  readonly looks: number;
  /** Interval of the doubly robust gain at the confidence of this look; undefined without a look. */
  readonly interval: readonly [number, number] | undefined;
  readonly reason: string;
}

/** Shares of the error that the first looks spend, and the share of the rest that each later look spends. */
const firstShares = [0.3, 0.5];
const laterShare = 0.6;

/**
 * Error that a look may spend; the first look has number 1. It is .015, .025, then .6 of the rest each time: .006, .0024, … The sum over
 * any number of looks is below .05, so by Bonferroni's inequality all looks together are wrong less often than that, however they depend
 * on each other and whichever candidates they are about. (Spending functions: Lan and DeMets 1983.) The second look gets half, because
 * 50 matched deviations rarely prove a gain of .2 in success (see `npm run bench -- learning`).
 */
export function errorOfLook(look: number): number {
  const first = firstShares[look - 1];
  if (first !== undefined) return promotionError * first;
  const left = firstShares.reduce((rest, share) => rest - share, 1);
  const later = look - firstShares.length - 1;
  return promotionError * left * laterShare * Math.exp(later * Math.log(1 - laterShare));
}

/** Sum of the errors of the looks `first` to `last`, both included. */
function errorOfLooks(first: number, last: number): number {
  let sum = 0;
  for (let look = first; look <= last; look += 1) sum += errorOfLook(look);
  return sum;
}

/**
 * Decides on a candidate from decisions that it did not learn from (requirement C7). There is a look only when the number of matched
 * deviations has doubled; calls in between decide nothing.
 *
 * A candidate is promoted if the one-sided lower bound of its doubly robust gain at the error of the look is above 0, SNIPS agrees on
 * the sign, and the gain stays above 0 without any one of four or more principals. It is rejected if the upper bound is below
 * 0 at the same error.
 *
 * @param evaluation Comparison over all evidence for the candidate (`evidenceFor`) since the incumbent came into force.
 * @param looks Number of earlier looks at this incumbent's evidence, for any candidate: they share one error.
 */
export function decidePromotion(evaluation: Evaluation, looks: number): Decision {
  const needed = evidenceForLook(looks);
  if (evaluation.matched < needed) {
    const reason = `${Math.floor(evaluation.matched)} of ${needed} matched deviations`;
    return { verdict: 'keep-collecting', looks, interval: undefined, reason };
  }
  const made = looksAfter(looks, evaluation.matched);
  // The errors of looks that were skipped are added to that of this one.
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

/** Share of the decisions that the candidate makes during a canary. */
export const canaryShare = 0.5;

/** Length of a canary, in decisions with an outcome. */
const canaryDecisions = 20;

/** A canary fails if its gain is below 0 by more than this many standard errors. One in twenty fails although it is no worse. */
const canaryReach = 1.645;

export type LiveVerdict = 'continue' | 'complete' | 'roll-back';

/** Probability that the bound ever rolls back a policy that is no worse, over all calls. */
const rollBackError = 0.025;
/** Least number of both matched and opposed deviations at which live figures count. */
export const leastLive = 20;
/** Number of matched and of opposed deviations at which the bound is about tightest. */
const tightestAt = 50;

/**
 * Distance in standard errors of a one-sided bound from its estimate, such that the bound holds at all sample sizes at once:
 *
 * √(2 · (nρ² + 1) / (nρ²) · ln(1 + √(nρ² + 1) / (2 · error))), ρ² = (−2 ln(2 · error) + ln(1 − 2 ln(2 · error))) / n*
 *
 * Let S be the sum of n independent standard normal observations. For every λ > 0, exp(λS − λ²n/2) is a martingale with mean 1.
 * Averaged over λ ~ |N(0, ρ²)| it is M = 2 / √(nρ² + 1) · exp(z²/2) · Φ(z) with z = ρS / √(nρ² + 1). By Ville's inequality, M ever
 * reaches 1 / error with probability `error` at most. Because Φ(z) ≥ 1 − exp(−z²/2) / 2 for z ≥ 0, M has reached it once z²/2 is
 * ln(1 + √(nρ² + 1) / (2 · error)), which is the bound above on S / √n. This ρ makes it tightest near n*: one fixed-point step towards
 * the zero of its derivative.
 *
 * For such observations the error is guaranteed. Here it is approximate: rewards are not normal, their variance is estimated, and the
 * reward model is fitted again at each call. The approximation improves as the sample grows ("asymptotic confidence sequence",
 * Waudby-Smith et al., Annals of Statistics 2024); `leastLive` excludes the smallest samples.
 *
 * @param size n, the number of observations behind the estimate. n* is 50.
 * @param error Probability that the bound ever fails, below 0.5.
 */
export function anytimeReach(size: number, error: number): number {
  const spent = -2 * Math.log(2 * error);
  const scaled = (size * (spent + Math.log(1 + spent))) / tightestAt;
  return Math.sqrt(((2 * (scaled + 1)) / scaled) * Math.log(1 + Math.sqrt(scaled + 1) / (2 * error)));
}

/**
 * Decides about a live policy, from all decisions with an explicit outcome since it got its present share of the traffic. It is
 * rolled back as soon as the upper bound of its gain over its predecessor is below 0. The bound allows for any number of calls, so this
 * may be called after every decision. A canary ends after 20 decisions. It completes unless its gain is clearly below 0 then: so few
 * decisions can only reveal a failure, and the gain was proven before. A policy with all traffic is watched as long as exploration still
 * takes its predecessor's arms.
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

/**
 * What the live figures say about the policy with all traffic, in the words of a look: `reject` if `watchLive` rolls it back. It is in
 * force already, so it is never promoted.
 *
 * @param evaluation The policy as candidate, its predecessor as incumbent.
 */
export function decideInForce(evaluation: Evaluation): Pick<Decision, 'verdict' | 'reason'> {
  if (watchLive(evaluation, false) === 'roll-back')
    return { verdict: 'reject', reason: 'worse than its predecessor' };
  const size = Math.floor(Math.min(evaluation.matched, evaluation.opposed));
  const reason =
    size < leastLive
      ? `in force, with ${size} of ${leastLive} matched and as many opposed deviations`
      : 'in force, and not worse than its predecessor as far as is known';
  return { verdict: 'keep-collecting', reason };
}
