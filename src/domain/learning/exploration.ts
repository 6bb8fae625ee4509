import { createHash } from 'node:crypto';
import type { Arm } from './logged-decision.ts';
import { clamp } from './reward.ts';
import { featureOf, type Features } from './route-policy.ts';

/** Share of the decisions that explore: at first, its factor per decision that was learned from, and its floor. */
export const explorationStart = 0.2;
export const explorationDecay = 0.999;
export const explorationFloor = 0.05;

/** No question is explored more often than this: at one half both arms of two are equally probable. */
export const explorationLimit = 0.5;

/** Share of the sessions whose decisions are kept for evaluation and never learned from. */
export const evaluationShare = 0.5;

/** Distance from the threshold, in units of the complexity score, within which exploration falls by a factor of e. */
const preferenceWidth = 0.3;

/**
 * Complexity scores of typical questions: the deciles of those of a development set of 440 questions of organisations. The
 * preference has mean 1 over them, so that it moves exploration and does not add to it.
 */
const typicalScores = [0.03, 0.07, 0.11, 0.15, 0.2, 0.3, 0.38, 0.45, 0.47, 0.65];

/**
 * Share of the decisions that explore, 0.05 to 0.2: ε = max(0.05, 0.2 · 0.999^t), where t is the number of the tenant's decisions
 * that its policy has learned from. Exploration falls with what is known, not with time.
 */
export function explorationRate(decisions: number): number {
  return Math.max(explorationFloor, explorationStart * Math.exp(decisions * Math.log(explorationDecay)));
}

/** How much more than the average a question is explored, because its score is near the threshold in force. */
export function explorationPreference(features: Features): number {
  const threshold = featureOf(features, 'threshold');
  const nearness = (score: number) => Math.exp(-Math.abs(score - threshold) / preferenceWidth);
  const mean = typicalScores.reduce((sum, score) => sum + nearness(score), 0) / typicalScores.length;
  return nearness(featureOf(features, 'score')) / mean;
}

/** Probability of an arm other than the chosen one for this question, 0 to 0.5. */
export function explorationShare(decisions: number, features: Features): number {
  return clamp(explorationRate(decisions) * explorationPreference(features), 0, explorationLimit);
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
