import { createHash } from 'node:crypto';
import { routes } from '../routing/settings.ts';
import type { Arm } from './logged-decision.ts';
import { clamp } from './reward.ts';
import { greedyArm, logitsOf, priorSlope, type Features, type RoutePolicy } from './route-policy.ts';
import { typicalMean } from './typical-questions.ts';

/** Share of the decisions that explore: its start, its factor for each decision that was learned from, and its floor. */
const explorationStart = 0.2;
const explorationDecay = 0.999;
const explorationFloor = 0.05;

/** Greatest probability of exploring a question. At one half, both of two arms are equally probable. */
const explorationLimit = 0.5;

/**
 * Share of the sessions whose decisions are kept for evaluation and never learned from. With .6 instead, as many tenants improved in
 * simulations (`npm run bench -- learning`).
 */
export const evaluationShare = 0.7;

/** A contested question is explored at most at this multiple of the rate, any other question at the second one. */
const contestedFactor = 3;
const uncontestedFactor = 0.1;
/** Multiple of the rate that contested questions may contribute to the mean over all questions. */
const contestedBudget = 1.25;

/** Exploration falls by a factor of e for this margin between the arms, in log-odds; for the rule, .3 of the complexity score. */
const preferenceWidth = 0.3 * priorSlope;
/** Whatever its margin, a question is explored at least this often relative to one without a margin. */
const leastNearness = 0.05;

/**
 * Share of the decisions that explore, 0.05 to 0.2: ε = max(0.05, 0.2 · 0.999^t), where t is the number of the tenant's decisions
 * that its policy has learned from. Exploration falls with knowledge, not with time.
 */
export function explorationRate(decisions: number): number {
  return Math.max(explorationFloor, explorationStart * Math.exp(decisions * Math.log(explorationDecay)));
}

/** The policies that exploration has to tell apart. */
interface Contest {
  /** Threshold in force. */
  readonly threshold: number;
  readonly incumbent: RoutePolicy;
  /** What the trainer has learned so far, or the policy that it starts from. */
  readonly candidate: RoutePolicy;
  /** Number of the tenant's decisions that were learned from. */
  readonly decisions: number;
}

/**
 * Returns the function from a question to the probability of exploring it, 0 to 0.5.
 *
 * A question is contested if candidate and incumbent choose different arms; only exploration there can decide between them. Contested
 * questions are explored at up to three times the rate and others at a tenth of it, so that the mean stays below about 1.3 times the
 * rate. If nothing is contested, exploration prefers questions that the policy in force decides by a small margin: under the rule, those
 * near the threshold.
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
 * Probabilities of the arms, in their order, after exploration: with probability `explored`, the arm that `chosen` gives is replaced by
 * one of the others, each with the same probability. They add up to 1.
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

/** The arm whose part of [0, 1) contains the uniform number. */
export function drawArm(arms: readonly Arm[], propensities: readonly number[], uniform: number): Arm {
  let sum = 0;
  for (const [index, arm] of arms.entries()) {
    sum += propensities[index]!;
    if (uniform < sum) return arm;
  }
  // Rounding may leave the sum a little below 1. Then it is the last arm that is possible.
  return arms[propensities.findLastIndex((share) => share > 0)]!;
}

/**
 * A number in [0, 1) from a hash: the first 48 bits of SHA-256 over purpose and id. An auditor who knows a search's id can repeat
 * its draw, and numbers for different purposes are independent.
 */
export function uniformOf(purpose: 'route' | 'evaluation', id: string): number {
  return createHash('sha256').update(`${purpose}\n${id}`).digest().readUIntBE(0, 6) / 2 ** 48;
}

/** Whether a session's decisions are for evaluation only; always the same for a session. A search without one counts as its own session. */
export function isForEvaluation(session: string): boolean {
  return uniformOf('evaluation', session) < evaluationShare;
}
