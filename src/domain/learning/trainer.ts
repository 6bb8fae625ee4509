import type { Arm, LoggedDecision } from './logged-decision.ts';
import { countBy, principalLevel } from './principal-weights.ts';
import { clamp, defaultRewardSettings, rewardOf, type RewardSettings } from './reward.ts';
import { featureOf, learnedFeatures, probabilitiesOf, type ArmWeights } from './route-policy.ts';

/** Least number of finished decisions for one step. */
export const leastDecisions = 20;

/** State of a tenant's trainer between steps. Plain JSON. */
export interface TrainerState {
  /** The tenant's adjustment of the base. */
  readonly weights: ArmWeights;
  /** Expected reward, an exponential moving average over steps; undefined before the first. */
  readonly baseline?: number | undefined;
  /** Mean squared distance of rewards from the baseline, averaged in the same way. */
  readonly spread?: number | undefined;
  readonly steps: number;
  /** Decisions learned from. */
  readonly decisions: number;
  /** Number of recent decisions that counted, by principal; older ones fade with each step. */
  readonly principals: Readonly<Record<string, number>>;
}

export const untrained: TrainerState = { weights: {}, steps: 0, decisions: 0, principals: {} };

/**
 * The state after the learned policy was rejected. Weights and decisions start over, so that the next candidate is not the rejected
 * one with a few more steps. The rest stays: the reward statistics, the number of steps (versions are named by it), and how much each
 * principal has counted.
 */
export function afterRejection(state: TrainerState): TrainerState {
  return { ...state, weights: {}, decisions: 0 };
}

export interface TrainerSettings {
  readonly learningRate: number;
  /** Share of the baseline that each step keeps. */
  readonly baselineKept: number;
  /** Advantages, in units of the spread of rewards, are clamped to ± this. */
  readonly advantageLimit: number;
  /** Upper limit of importance weights. */
  readonly importanceLimit: number;
  /** Weights are clamped to ± this, in log-odds. */
  readonly weightLimit: number;
  /** Share of each weight that a step removes, which pulls it back to the prior. */
  readonly decay: number;
  readonly rewards: RewardSettings;
}

export const defaultTrainerSettings: TrainerSettings = {
  learningRate: 0.5,
  baselineKept: 0.9,
  advantageLimit: 2,
  importanceLimit: 3,
  weightLimit: 1,
  decay: 0.02,
  rewards: defaultRewardSettings,
};

/**
 * Share of the principals' counts that a step forgets if all its decisions count in full. A step whose decisions are limited forgets less,
 * so that nobody can flood the trainer until the others are forgotten. A principal with less than half a decision is dropped.
 */
const principalFading = 0.1;
const principalRest = 0.5;

/** Least unit of advantages, so that tiny differences between rewards are not blown up. */
const leastUnit = 0.01;

export interface TrainedDecision {
  readonly searchId: string;
  readonly reward: number;
  /** The reward minus the baseline, in units of the spread, clamped. */
  readonly advantage: number;
  /** Probability of the taken arm under the learning policy divided by the recorded propensity, limited. */
  readonly importance: number;
  /** Weight for its principal, 0 to 1. */
  readonly weight: number;
}

export interface TrainingStep {
  readonly state: TrainerState;
  /** Every decision that the step consumed, ordered by search id. */
  readonly consumed: readonly TrainedDecision[];
  readonly meanReward: number;
  /** Euclidean norm of the gradient. */
  readonly gradientNorm: number;
}

/** Whether a decision may be learned from: there was a choice, its outcome is known, and its session is not for evaluation. */
export function isTrainable(decision: LoggedDecision): boolean {
  return decision.arms.length > 1 && decision.outcome.kind !== 'none' && !decision.evaluation;
}

/**
 * One step of the policy gradient (REINFORCE, Williams 1992). Importance weights with an upper limit correct for the difference between
 * the policy that learns and the one that decided (Precup, Sutton and Singh 2000; Ionides 2008):
 *
 * w ← clamp((1 − decay) · w + rate · 1/n Σ v · min(π(a|x) / p, limit) · clamp((r − b) / s, ±2) · ∇ log π(a|x))
 *
 * A trajectory is one decision, so its return is its reward (requirement C2). The baseline b is the moving average before this step,
 * so that it does not depend on the rewards it is subtracted from; the first step uses its own mean. s is the root of the moving
 * average of (r − b)², so that the size of a step does not depend on the scale of rewards. v limits the weight of a single
 * principal in this step and recent ones. ∇ is with respect to the weights of an arm as they apply, after their shrinkage (`tenantShare`),
 * so that steps are not smaller while there is little data: (1[a = arm] − π(arm|x)) · features.
 *
 * The same decisions in any order and the same state give the same bits.
 *
 * @param base Weights of the global base, on top of which the tenant's are learned.
 * @throws RangeError for fewer than 20 decisions, or one that must not be learned from.
 */
export function train(
  state: TrainerState,
  base: ArmWeights,
  decisions: readonly LoggedDecision[],
  settings: TrainerSettings = defaultTrainerSettings,
): TrainingStep {
  if (decisions.length < leastDecisions) {
    throw new RangeError(
      `a training step takes at least ${leastDecisions} decisions, not ${decisions.length}`,
    );
  }
  const wrong = decisions.find((decision) => !isTrainable(decision));
  if (wrong) throw new RangeError(`decision ${wrong.searchId} must not be learned from`);

  const ordered = [...decisions].sort((a, b) => (a.searchId < b.searchId ? -1 : 1));
  const rewards = ordered.map(({ outcome, tokens }) => rewardOf(outcome, tokens, settings.rewards));
  const meanReward = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
  const baseline = state.baseline ?? meanReward;
  const squares = rewards.reduce((sum, reward) => sum + (reward - baseline) ** 2, 0) / rewards.length;
  const spread = state.spread ?? squares;
  const unit = Math.max(leastUnit, Math.sqrt(spread));
  const { weightOf, principals } = weighPrincipals(state.principals, ordered);
  const policy = { version: '', base, tenant: state.weights, decisions: state.decisions };

  const gradient: Partial<Record<Arm, Record<string, number>>> = {};
  const consumed = ordered.map((decision, index): TrainedDecision => {
    const { arms, taken, propensities, features, searchId, principal } = decision;
    const probabilities = probabilitiesOf(policy, features, arms);
    const position = arms.indexOf(taken);
    const importance = Math.min(probabilities[position]! / propensities[position]!, settings.importanceLimit);
    const advantage = clamp(
      (rewards[index]! - baseline) / unit,
      -settings.advantageLimit,
      settings.advantageLimit,
    );
    const weight = weightOf(principal);
    for (const [other, arm] of arms.entries()) {
      // The standard route is the reference: its logit is always 0.
      if (arm === 'standard') continue;
      const slope = weight * importance * advantage * ((other === position ? 1 : 0) - probabilities[other]!);
      const sums = (gradient[arm] ??= {});
      for (const name of learnedFeatures) {
        sums[name] = (sums[name] ?? 0) + (slope * featureOf(features, name)) / ordered.length;
      }
    }
    return { searchId, reward: rewards[index]!, advantage, importance, weight };
  });

  const next: TrainerState = {
    weights: stepped(state.weights, gradient, settings),
    baseline: settings.baselineKept * baseline + (1 - settings.baselineKept) * meanReward,
    spread: settings.baselineKept * spread + (1 - settings.baselineKept) * squares,
    steps: state.steps + 1,
    decisions: state.decisions + ordered.length,
    principals,
  };
  return { state: next, consumed, meanReward, gradientNorm: normOf(gradient) };
}

function stepped(weights: ArmWeights, gradient: ArmWeights, settings: TrainerSettings): ArmWeights {
  const arms = [...new Set([...Object.keys(weights), ...Object.keys(gradient)] as Arm[])].sort();
  const entries = arms.map((arm) => {
    const moved = learnedFeatures.map((name) => {
      const kept = (1 - settings.decay) * (weights[arm]?.[name] ?? 0);
      const step = settings.learningRate * (gradient[arm]?.[name] ?? 0);
      return [name, clamp(kept + step, -settings.weightLimit, settings.weightLimit)];
    });
    return [arm, Object.fromEntries(moved) as Record<string, number>];
  });
  return Object.fromEntries(entries) as ArmWeights;
}

function normOf(gradient: ArmWeights): number {
  const slopes = Object.values(gradient).flatMap((sums) => Object.values(sums));
  return Math.sqrt(slopes.reduce((sum, slope) => sum + slope * slope, 0));
}

/** Weights of this step's decisions, 0 to 1, and how much each principal has counted after it. */
function weighPrincipals(
  before: Readonly<Record<string, number>>,
  decisions: readonly LoggedDecision[],
): { weightOf: (principal: string) => number; principals: Record<string, number> } {
  const counts = countBy(decisions, ({ principal }) => principal);
  const all = new Map(Object.entries(before));
  for (const [principal, count] of counts) all.set(principal, (all.get(principal) ?? 0) + count);
  const level = principalLevel([...all.values()]);
  const weights = new Map(
    [...counts].map(([principal, count]) => {
      const allowed = Math.max(0, Math.min(all.get(principal)!, level) - (before[principal] ?? 0));
      return [principal, Math.min(1, allowed / count)];
    }),
  );
  const counted = [...counts].reduce((sum, [principal, count]) => sum + weights.get(principal)! * count, 0);
  const kept = 1 - (principalFading * counted) / decisions.length;
  const principals = [...all.keys()]
    .map((principal) => {
      const added = (weights.get(principal) ?? 0) * (counts.get(principal) ?? 0);
      return [principal, kept * ((before[principal] ?? 0) + added)] as const;
    })
    .filter(([, count]) => count >= principalRest)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return { weightOf: (principal) => weights.get(principal)!, principals: Object.fromEntries(principals) };
}
