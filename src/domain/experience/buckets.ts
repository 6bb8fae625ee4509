import { signalNames } from '../routing/complexity.ts';
import { normalQuantile } from '../learning/quantiles.ts';
import type { Features } from '../learning/route-policy.ts';

/** Outcomes of one choice in one bucket. A partial success counts as a part. */
export interface Tally {
  /** Sum of the successes, each 0 to 1. */
  readonly successes: number;
  readonly trials: number;
}

/** Distribution of the probability of success: Beta(alpha, beta). */
export interface Beta {
  readonly alpha: number;
  readonly beta: number;
}

export const noTally: Tally = { successes: 0, trials: 0 };

/** The bucket of all questions. */
const globalBucket = 'all';

/** The mean of a coarser bucket counts as this many trials in the next finer one. */
const backOffStrength = 8;

/** Probability of changing a parameter to a value that is no better, and the least expected gain that justifies a change. */
const changeError = 0.05;
const leastGain = 0.02;
/** A value is chosen only after this many trials, among all questions. */
const leastTrials = 5;

/**
 * Buckets of a question, from the finest to that of all questions: by each signal as absent, weak or strong; by which signals are
 * strong; by whether any is. Questions with the same signals mostly profit from the same parameters.
 *
 * @param features Signals between 0 and 1 by name (`complexityOf`).
 */
export function bucketsOf(features: Features): readonly string[] {
  const signals = signalNames.map((name) => features[name] ?? 0);
  const levels = signals.map((signal) => (signal >= 0.5 ? 2 : signal >= 0.2 ? 1 : 0));
  const strong = levels.map((level) => (level === 2 ? 1 : 0));
  return [
    `levels-${levels.join('')}`,
    `signs-${strong.join('')}`,
    strong.includes(1) ? 'any' : 'none',
    globalBucket,
  ];
}

/**
 * What is known about a choice in the finest bucket. The bucket of all questions starts from Beta(1, 1); the mean of each bucket,
 * worth eight trials, is the prior of the next finer one (hierarchical smoothing, MacKay and Peto 1995). A bucket without trials
 * therefore has the mean of the coarser one, and one with many trials its own.
 *
 * @param tallies The finest bucket first, as from `bucketsOf`; each includes the trials of the finer ones.
 */
export function successOf(tallies: readonly Tally[]): Beta {
  let posterior: Beta | undefined;
  for (const { successes, trials } of [...tallies].reverse()) {
    const prior = posterior ? scaled(posterior, backOffStrength) : { alpha: 1, beta: 1 };
    posterior = { alpha: prior.alpha + successes, beta: prior.beta + trials - successes };
  }
  return posterior ?? { alpha: 1, beta: 1 };
}

/** The expected probability of success, 0 to 1. */
export function meanOf({ alpha, beta }: Beta): number {
  return alpha / (alpha + beta);
}

/**
 * Whether one choice is clearly better than another: its expected gain is at least .02, and the probability that it gains nothing is below
 * `error`, by the normal approximation of the difference of two Beta variables.
 */
export function isClearlyBetter(candidate: Beta, incumbent: Beta, error = changeError): boolean {
  const gain = meanOf(candidate) - meanOf(incumbent);
  const deviation = Math.sqrt(varianceOf(candidate) + varianceOf(incumbent));
  return gain >= leastGain && gain > normalQuantile(error) * deviation;
}

/** One value of a parameter with its tallies, the finest bucket first. */
export interface Option<T> {
  readonly value: T;
  readonly tallies: readonly Tally[];
}

/**
 * The value of a parameter for a question: the default unless another one is clearly better. The error is divided by the number of
 * others (Bonferroni), so that many values are no more likely to replace the default by chance. Of several clearly better values, the
 * one with the greatest mean wins; the first one if means are equal.
 */
export function chooseValue<T>(fallback: Option<T>, others: readonly Option<T>[]): T {
  const incumbent = successOf(fallback.tallies);
  let best: { value: T; mean: number } = { value: fallback.value, mean: -1 };
  for (const { value, tallies } of others) {
    const known = successOf(tallies);
    if ((tallies.at(-1)?.trials ?? 0) < leastTrials) continue;
    if (!isClearlyBetter(known, incumbent, changeError / others.length)) continue;
    if (meanOf(known) > best.mean) best = { value, mean: meanOf(known) };
  }
  return best.value;
}

function scaled(distribution: Beta, strength: number): Beta {
  const mean = meanOf(distribution);
  return { alpha: strength * mean, beta: strength * (1 - mean) };
}

function varianceOf({ alpha, beta }: Beta): number {
  const all = alpha + beta;
  return (alpha * beta) / (all * all * (all + 1));
}
