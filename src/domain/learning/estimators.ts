import type { Arm, LoggedDecision } from './logged-decision.ts';
import { countBy, principalLevel } from './principal-weights.ts';
import { studentQuantile } from './quantiles.ts';
import { rewardOf } from './reward.ts';
import { fitRewardModel, type RewardModel } from './reward-model.ts';
import { greedyArm, hasLearned, type Features, type RoutePolicy } from './route-policy.ts';

/** Chooses an arm without exploration. */
export type Chooser = (features: Features, arms: readonly Arm[]) => Arm;

export function chooserOf(policy: RoutePolicy): Chooser {
  return (features, arms) => greedyArm(policy, features, arms);
}

/** One decision of the log as the estimators see it. */
export interface Comparison {
  readonly principal: string;
  readonly features: Features;
  readonly taken: Arm;
  /** Recorded probability of the arm that was taken. */
  readonly propensity: number;
  readonly reward: number;
  readonly candidate: Arm;
  readonly incumbent: Arm;
}

/** An estimate with its standard error, in units of the reward per decision. */
export interface Estimate {
  readonly value: number;
  readonly error: number;
}

/** How a candidate compares with an incumbent on the log. Gains are the candidate's mean reward minus the incumbent's. */
export interface Evaluation {
  /** Number of decisions that were evaluated. */
  readonly decisions: number;
  /** Share of them for which the two choose different arms. */
  readonly deviating: number;
  /** Number of deviating decisions that took the candidate's arm, with principals weighted. This is the size of the evidence. */
  readonly matched: number;
  /** Number of deviating decisions that took the incumbent's arm, with principals weighted. */
  readonly opposed: number;
  /** Kish's effective sample size of the candidate's importance weights. It is large even if nothing deviates. */
  readonly effectiveSize: number;
  readonly ips: Estimate;
  readonly snips: Estimate;
  readonly doublyRobust: Estimate;
  /** 95 % interval of the doubly robust gain. */
  readonly interval: readonly [number, number];
  /**
   * The least doubly robust gain when any one principal is left out; undefined with fewer than four principals among the deviating
   * decisions.
   */
  readonly leastWithoutOne: number | undefined;
}

/** Number of parts of the log. A model that was fitted on the other parts predicts the rewards of each. */
const folds = 5;
/** With at least this many principals, a gain must not depend on a single one. */
const principalsForLeavingOut = 4;

/**
 * Whether a decision can show which of two policies is better: there was a choice, and a caller reported the outcome. Synthetic
 * decisions cannot, and neither can outcomes inferred from contexts, sessions and windows.
 */
export function hasExplicitOutcome({ bootstrap, arms, outcome }: LoggedDecision): boolean {
  return !bootstrap && arms.length > 1 && outcome.explicit && outcome.kind !== 'none';
}

/** Whether a decision is evidence for any candidate, because it was kept for evaluation and nothing has learned from it. */
export function isEvidence(decision: LoggedDecision): boolean {
  return decision.evaluation && hasExplicitOutcome(decision);
}

/**
 * The decisions that a candidate may be judged by: those that it cannot have learned from. The shipped base has learned from none, so all
 * are evidence for it. A candidate with weights of its own, or with a base that was learned from tenants, is judged by the evaluation
 * share alone.
 */
export function evidenceFor(candidate: RoutePolicy, decisions: readonly LoggedDecision[]): LoggedDecision[] {
  return decisions.filter(hasLearned(candidate) ? isEvidence : hasExplicitOutcome);
}

/** Compares two policies on logged decisions, in any order. The caller selects the decisions (`evidenceFor`). */
export function compare(
  decisions: readonly LoggedDecision[],
  candidate: Chooser,
  incumbent: Chooser,
): Evaluation {
  const ordered = [...decisions].sort((a, b) => (a.searchId < b.searchId ? -1 : 1));
  return evaluate(
    ordered.map(({ principal, features, arms, propensities, taken, outcome, tokens }) => ({
      principal,
      features,
      taken,
      propensity: propensities[arms.indexOf(taken)]!,
      reward: rewardOf(outcome, tokens),
      candidate: candidate(features, arms),
      incumbent: incumbent(features, arms),
    })),
  );
}

/**
 * Estimates the candidate's gain from pairs: a decision for which both policies choose the same arm adds exactly 0.
 *
 * - IPS, inverse propensity scores (Horvitz and Thompson 1952): mean of (1[a = c] − 1[a = b]) · r / p.
 * - SNIPS, self-normalized (Swaminathan and Joachims 2015): Σ w·r / Σ w of each policy over the deviating decisions, times their
 *   share. Its error comes from the delta method.
 * - Doubly robust (Dudík, Langford and Li 2011): mean of q(c) − q(b) + (1[a = c] − 1[a = b]) · (r − q(a)) / p, where q is
 *   a ridge regression for each arm, fitted without the decision (cross-fitting, Chernozhukov et al. 2018).
 *
 * Here c is the candidate's arm, b the incumbent's, a the one taken, p its probability and r the reward. Errors are those of a weighted
 * mean. The interval uses Student's t; its degrees of freedom are the matched deviations less one, because these few decisions carry most
 * of the variance.
 */
export function evaluate(
  log: readonly Comparison[],
  models: readonly RewardModel[] = crossFitted(log),
): Evaluation {
  const deviating = log.filter(isDeviating);
  const weights = principalWeights(log, deviating);
  const weightOf = ({ principal }: Comparison) => weights.get(principal)!;
  const all = log.map(weightOf);
  const robust = log.map((entry, index) => {
    if (!isDeviating(entry)) return 0;
    const model = models[index % models.length]!;
    const expected = model(entry.features, entry.candidate) - model(entry.features, entry.incumbent);
    return expected + directionOf(entry) * (entry.reward - model(entry.features, entry.taken));
  });
  const doublyRobust = weightedMean(robust, all);
  const matched = sum(deviating.map((entry) => (entry.taken === entry.candidate ? weightOf(entry) : 0)));
  const opposed = sum(deviating.map((entry) => (entry.taken === entry.incumbent ? weightOf(entry) : 0)));
  return {
    decisions: log.length,
    deviating: log.length === 0 ? 0 : sum(deviating.map(weightOf)) / sum(all),
    matched,
    opposed,
    effectiveSize: effectiveSize(
      log.map((entry) => (entry.taken === entry.candidate ? 1 / entry.propensity : 0)),
    ),
    ips: weightedMean(
      log.map((entry) => (isDeviating(entry) ? directionOf(entry) * entry.reward : 0)),
      all,
    ),
    snips: selfNormalized(log, all),
    doublyRobust,
    interval: intervalOf(doublyRobust, matched, 0.05),
    leastWithoutOne: leastWithoutOne(log, robust, all, new Set(deviating.map(({ principal }) => principal))),
  };
}

/** The two-sided interval that misses the gain with probability `error`; infinite with fewer than ten matched deviations. */
export function intervalOf(
  { value, error: standardError }: Estimate,
  matched: number,
  error: number,
): readonly [number, number] {
  const reach = matched < 10 ? Infinity : studentQuantile(error / 2, matched - 1) * standardError;
  return [value - reach, value + reach];
}

/** One reward model for each part of the log. Entry i belongs to part i mod 5. */
function crossFitted(log: readonly Comparison[]): RewardModel[] {
  return Array.from({ length: folds }, (_, fold) =>
    fitRewardModel(log.filter((_, index) => index % folds !== fold)),
  );
}

function isDeviating({ candidate, incumbent }: Comparison): boolean {
  return candidate !== incumbent;
}

/** 1/p if the candidate's arm was taken, −1/p if the incumbent's was. */
function directionOf({ taken, candidate, incumbent, propensity }: Comparison): number {
  return ((taken === candidate ? 1 : 0) - (taken === incumbent ? 1 : 0)) / propensity;
}

function principalWeights(log: readonly Comparison[], deviating: readonly Comparison[]): Map<string, number> {
  const counts = countBy(deviating, ({ principal }) => principal);
  const level = principalLevel([...counts.values()]);
  return new Map(
    log.map(({ principal }) => {
      const count = counts.get(principal);
      return [principal, count === undefined ? 1 : Math.min(1, level / count)];
    }),
  );
}

/** Σ v·z / Σ v, and its standard error from the squared deviations. */
function weightedMean(values: readonly number[], weights: readonly number[]): Estimate {
  const [total, count] = [sum(weights), values.length];
  if (count < 2) return { value: values[0] ?? 0, error: Infinity };
  const value = sum(values.map((z, index) => weights[index]! * z)) / total;
  const squares = sum(values.map((z, index) => (weights[index]! * (z - value)) ** 2));
  return { value, error: Math.sqrt((squares / total ** 2) * (count / (count - 1))) };
}

function selfNormalized(log: readonly Comparison[], weights: readonly number[]): Estimate {
  const total = sum(weights);
  const importance = (arm: 'candidate' | 'incumbent') =>
    log.map((entry, index) =>
      isDeviating(entry) && entry.taken === entry[arm] ? weights[index]! / entry.propensity : 0,
    );
  const sides = (['candidate', 'incumbent'] as const).map((arm) => {
    const importances = importance(arm);
    const mass = sum(importances);
    return {
      importances,
      mass,
      mean: sum(log.map(({ reward }, index) => importances[index]! * reward)) / mass,
    };
  });
  const [mine, theirs] = sides as [(typeof sides)[0], (typeof sides)[0]];
  if (mine.mass === 0 || theirs.mass === 0) return { value: 0, error: Infinity };
  const share = sum(log.map((entry, index) => (isDeviating(entry) ? weights[index]! : 0))) / total;
  const gain = mine.mean - theirs.mean;
  const squares = log.map((entry, index) => {
    const within =
      (mine.importances[index]! * (entry.reward - mine.mean)) / mine.mass -
      (theirs.importances[index]! * (entry.reward - theirs.mean)) / theirs.mass;
    const ofShare = (weights[index]! * ((isDeviating(entry) ? 1 : 0) - share)) / total;
    return (share * within + gain * ofShare) ** 2;
  });
  return { value: share * gain, error: Math.sqrt(sum(squares)) };
}

function leastWithoutOne(
  log: readonly Comparison[],
  values: readonly number[],
  weights: readonly number[],
  principals: ReadonlySet<string>,
): number | undefined {
  if (principals.size < principalsForLeavingOut) return undefined;
  const sums = new Map<string, { gain: number; weight: number }>();
  for (const [index, { principal }] of log.entries()) {
    const { gain, weight } = sums.get(principal) ?? { gain: 0, weight: 0 };
    sums.set(principal, { gain: gain + weights[index]! * values[index]!, weight: weight + weights[index]! });
  }
  const [gain, weight] = [sum([...sums.values()].map((s) => s.gain)), sum(weights)];
  return Math.min(
    ...[...principals].map((one) => (gain - sums.get(one)!.gain) / (weight - sums.get(one)!.weight)),
  );
}

/** (Σ w)² / Σ w² (Kish 1965). */
function effectiveSize(weights: readonly number[]): number {
  const squares = sum(weights.map((weight) => weight ** 2));
  return squares === 0 ? 0 : sum(weights) ** 2 / squares;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
