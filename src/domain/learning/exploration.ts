import { createHash } from 'node:crypto';
import { routes } from '../routing/settings.ts';
import type { Arm } from './logged-decision.ts';
import { clamp } from './reward.ts';
import { greedyArm, logitsOf, priorSlope, type Features, type RoutePolicy } from './route-policy.ts';
import { typicalMean } from './typical-questions.ts';

/** Share of the decisions that explore: at first, its factor per decision that was learned from, and its floor. */
export const explorationStart = 0.2;
export const explorationDecay = 0.999;
export const explorationFloor = 0.05;

/** No question is explored more often than this: at one half both arms of two are equally probable. */
export const explorationLimit = 0.5;

/**
 * Share of the sessions whose decisions are kept for evaluation and never learned from. In simulations with .6 (`npm run bench --
 * learning`) as many tenants improved.
 */
export const evaluationShare = 0.7;

/** A contested question is explored at most this many times as often as the rate says, and the others this share of it. */
const contestedFactor = 3;
const uncontestedFactor = 0.1;
/** What contested questions add to the mean of all questions at most, in multiples of the rate. */
const contestedBudget = 1.25;

/** Distance between the arms, in log-odds, within which exploration falls by a factor of e: .3 of the complexity score for the rule. */
const preferenceWidth = 0.3 * priorSlope;
/** However large the margin, a question is explored at least this share as often as one without a margin. */
const leastNearness = 0.05;

/**
 * Share of the decisions that explore, 0.05 to 0.2: ε = max(0.05, 0.2 · 0.999^t), where t is the number of the tenant's decisions
 * that its policy has learned from. Exploration falls with what is known, not with time.
 */
export function explorationRate(decisions: number): number {
  return Math.max(explorationFloor, explorationStart * Math.exp(decisions * Math.log(explorationDecay)));
}

/** Policies between which exploration has to find out. */
export interface Contest {
  /** Threshold in force. */
  readonly threshold: number;
  readonly incumbent: RoutePolicy;
  /** What the trainer has learned so far, or the policy that it starts from. */
  readonly candidate: RoutePolicy;
  /** Number of the tenant's decisions that were learned from. */
  readonly decisions: number;
}

/**
 * Makes the function that gives the probability of exploring a question, 0 to 0.5.
 *
 * A question is contested if candidate and incumbent choose different arms: only what is explored there can decide between them. Contested questions are explored up to three times as often as the rate
 * says and the others a tenth as often, such that the mean is not above 1.3 times the rate. While nothing is contested, those
 * are preferred for which the policy in force decides by a small margin: under the rule, questions near the threshold.
 */
export function planExploration({
  threshold,
  incumbent,
  candidate,
  decisions,
}: Contest): (features: Features) => number {
  const rate = explorationRate(decisions);
  const isContested = (features: Features) =>
    greedyArm(candidate, features, routes) !== greedyArm(incumbent, features, routes);
  const contested = typicalMean((features) => (isContested({ ...features, threshold }) ? 1 : 0));
  if (contested > 0) {
    const factor = Math.min(contestedFactor, contestedBudget / contested);
    return (features) =>
      clamp(rate * (isContested(features) ? factor : uncontestedFactor), 0, explorationLimit);
  }
  const nearness = (features: Features) => {
    const logits = logitsOf(incumbent, features, routes);
    const margin = Math.max(...logits) - Math.min(...logits);
    return Math.max(leastNearness, Math.exp(-margin / preferenceWidth));
  };
  const mean = typicalMean((features) => nearness({ ...features, threshold }));
  return (features) => clamp((rate * nearness(features)) / mean, 0, explorationLimit);
}

/**
 * Probabilities of the arms, in their order, after exploration: with probability `explored` the arm is one of those that `chosen`
 * did not take, each with the same probability. They add up to 1.
 *
 * @param chosen Probabilities before exploration: 1 for the greedy arm, or the shares of two policies during a canary.
 */
export function mixExploration(chosen: readonly number[], explored: number): number[] {
  if (chosen.length < 2) return [...chosen];
  return chosen.map((share) => (1 - explored) * share + (explored * (1 - share)) / (chosen.length - 1));
}

/**
 * Probabilities before exploration: the incumbent's arm, and with probability `canary` the candidate's.
 *
 * @param candidate The candidate's arm; undefined if no canary runs.
 */
export function chosenShares(
  arms: readonly Arm[],
  incumbent: Arm,
  candidate: Arm | undefined,
  canary: number,
): number[] {
  const share = candidate === undefined ? 0 : canary;
  return arms.map((arm) => (arm === incumbent ? 1 - share : 0) + (arm === candidate ? share : 0));
}

/** The arm into whose part of [0, 1) the uniform number falls. */
export function drawArm(arms: readonly Arm[], propensities: readonly number[], uniform: number): Arm {
  let sum = 0;
  for (const [index, arm] of arms.entries()) {
    sum += propensities[index]!;
    if (uniform < sum) return arm;
  }
  // Rounding may leave the sum a little below 1: the last arm that is possible.
  return arms[propensities.findLastIndex((share) => share > 0)]!;
}

/**
 * A number in [0, 1) from a hash: the first 48 bits of SHA-256 over purpose and id. An auditor who knows a search's id can repeat
 * its draw, and numbers for different purposes are independent.
 */
export function uniformOf(purpose: 'route' | 'evaluation', id: string): number {
  return createHash('sha256').update(`${purpose}\n${id}`).digest().readUIntBE(0, 6) / 2 ** 48;
}

/** Whether a session's decisions are for evaluation only. Always the same for a session; one without a session is its own. */
export function isForEvaluation(session: string): boolean {
  return uniformOf('evaluation', session) < evaluationShare;
}
