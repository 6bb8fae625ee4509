import { defaultSettings } from '../routing/settings.ts';
import type { Arm } from './logged-decision.ts';

/** Learned weights by arm and feature, in log-odds per unit of the feature. Plain JSON; a missing weight is 0. */
export type ArmWeights = Readonly<Partial<Record<Arm, Readonly<Record<string, number>>>>>;

/**
 * A policy that chooses a route. The tenant's weights are added to those of the global base, shrunk according to how many decisions they
 * were learned from (decision D7).
 */
export interface RoutePolicy {
  readonly version: string;
  readonly base: ArmWeights;
  readonly tenant: ArmWeights;
  /** Number of the tenant's decisions that its weights were learned from. */
  readonly decisions: number;
}

/** The rule without learned weights: decomposition at or above the threshold. */
export const rulePolicy: RoutePolicy = { version: 'rules-1', base: {}, tenant: {}, decisions: 0 };

/**
 * Log-odds of decomposition under the rule per unit of the complexity score above the threshold. Small on purpose: the gradient of a steep
 * prior vanishes where the prior is wrong.
 */
export const priorSlope = 1;

/**
 * The global base that ships with the program. It cancels the threshold in force, so that training starts from the rule with the default
 * threshold, which was measured on questions of organisations. A candidate on this base still has to prove itself against a tenant's own
 * threshold.
 */
export const shippedBase: ArmWeights = { decomposition: { shift: priorSlope } };

/**
 * Features that weights are learned for. `complex` is 1 for questions at or above the default threshold, so that they share a weight.
 * `bias` is .5 for every question, not 1, so that its weight is learned more slowly. The others are in a decision's `features`, 0 if
 * missing.
 */
export const learnedFeatures = [
  'bias',
  'complex',
  'score',
  'layers',
  'aggregation',
  'comparison',
  'structure',
] as const;

/** Features that a policy's weights may name. `shift` is the threshold in force minus the default. */
const policyFeatures = [...learnedFeatures, 'shift'] as const;

export type Features = Readonly<Record<string, number>>;

/** Number of a tenant's decisions at which its adjustment counts half. */
const tenantHalfWeight = 20;

/** The value of a policy's feature for a question; 0 if the question does not have it. */
export function featureOf(features: Features, name: string): number {
  switch (name) {
    case 'bias':
      return 0.5;
    case 'complex':
      return (features['score'] ?? 0) >= defaultSettings.threshold ? 1 : 0;
    case 'shift':
      return (features['threshold'] ?? 0) - defaultSettings.threshold;
    default:
      return features[name] ?? 0;
  }
}

/**
 * The rule as a logit: 0 for the standard route, and for decomposition the score minus the threshold in force. Its sign is exact: the
 * difference of two IEEE numbers is never rounded to the other side of 0.
 */
function priorLogit(arm: Arm, features: Features): number {
  if (arm === 'standard') return 0;
  return priorSlope * (featureOf(features, 'score') - featureOf(features, 'threshold'));
}

/** Share of a tenant's own adjustment that is applied: n / (n + 20), the weight of n observations against a prior worth 20. */
export function tenantShare(decisions: number): number {
  return decisions / (decisions + tenantHalfWeight);
}

/** Logits of the arms, in their order. */
export function logitsOf(policy: RoutePolicy, features: Features, arms: readonly Arm[]): number[] {
  const share = tenantShare(policy.decisions);
  return arms.map((arm) => {
    const learned = policyFeatures.reduce((sum, name) => {
      const weight = (policy.base[arm]?.[name] ?? 0) + share * (policy.tenant[arm]?.[name] ?? 0);
      return sum + weight * featureOf(features, name);
    }, 0);
    return priorLogit(arm, features) + learned;
  });
}

/** Whether any weight of a policy was learned, that is, differs from 0 and from the shipped base. */
export function hasLearned({ base, tenant }: RoutePolicy): boolean {
  const isLearned = ([arm, weights]: [string, Readonly<Record<string, number>>], from: ArmWeights) =>
    Object.entries(weights).some(([name, weight]) => weight !== 0 && weight !== from[arm as Arm]?.[name]);
  return (
    Object.entries(base).some((entry) => isLearned(entry, shippedBase)) ||
    Object.entries(tenant).some((entry) => isLearned(entry, {}))
  );
}

/** Probabilities of the arms, in their order: the softmax of the logits. Only the trainer uses them; searches take the greedy arm. */
export function probabilitiesOf(policy: RoutePolicy, features: Features, arms: readonly Arm[]): number[] {
  return softmax(logitsOf(policy, features, arms));
}

/** The most probable arm. The last one wins a tie, because the rule decomposes a question whose score equals the threshold. */
export function greedyArm(policy: RoutePolicy, features: Features, arms: readonly Arm[]): Arm {
  const logits = logitsOf(policy, features, arms);
  return arms[logits.lastIndexOf(Math.max(...logits))]!;
}

/** exp(x) / Σ exp(x). The greatest logit is subtracted first, so that no exponential overflows. */
export function softmax(logits: readonly number[]): number[] {
  const greatest = Math.max(...logits);
  const powers = logits.map((logit) => Math.exp(logit - greatest));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}
