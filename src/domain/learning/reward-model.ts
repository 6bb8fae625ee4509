import { groupBy } from '../group-by.ts';
import type { Arm } from './logged-decision.ts';
import { featureOf, learnedFeatures, type Features } from './route-policy.ts';

/** What a reward model is fitted on: features of the question, the arm that was taken, and its reward. */
export interface RewardedDecision {
  readonly features: Features;
  readonly taken: Arm;
  readonly reward: number;
}

/** Expected reward of an arm for a question. */
export type RewardModel = (features: Features, arm: Arm) => number;

/** Penalty on each coefficient except the intercept; it weighs as much as this many decisions with a feature of 1. */
const ridge = 2;

/**
 * A linear model of the reward for each arm, fitted by ridge regression (Hoerl and Kennard 1970): the coefficients that minimize
 * Σ (r − β·x)² + 2 · Σ β², without a penalty on the intercept. An arm that was never taken gets the mean of all rewards.
 */
export function fitRewardModel(decisions: readonly RewardedDecision[]): RewardModel {
  const mean = decisions.reduce((sum, { reward }) => sum + reward, 0) / Math.max(1, decisions.length);
  const byArm = groupBy(decisions, ({ taken }) => taken);
  const models = new Map([...byArm].map(([arm, list]) => [arm, coefficientsOf(list)]));
  return (features, arm) => {
    const coefficients = models.get(arm);
    return coefficients
      ? learnedFeatures.reduce(
          (sum, name, index) => sum + coefficients[index]! * featureOf(features, name),
          0,
        )
      : mean;
  };
}

function coefficientsOf(decisions: readonly RewardedDecision[]): number[] {
  const size = learnedFeatures.length;
  // The normal equations, with the right-hand side as the last column.
  const rows = Array.from({ length: size }, (_, row) =>
    Array.from({ length: size + 1 }, (_, column) =>
      row === column && learnedFeatures[row] !== 'bias' ? ridge : 0,
    ),
  );
  for (const { features, reward } of decisions) {
    const x = learnedFeatures.map((name) => featureOf(features, name));
    for (const [row, sums] of rows.entries()) {
      for (let column = 0; column < size; column += 1) sums[column]! += x[row]! * x[column]!;
      sums[size]! += x[row]! * reward;
    }
  }
  return solve(rows);
}

/** Solves a symmetric positive definite system by elimination; the pivots of such a matrix are above 0 in any order. */
function solve(rows: number[][]): number[] {
  const size = rows.length;
  for (let pivot = 0; pivot < size; pivot += 1) {
    for (let row = pivot + 1; row < size; row += 1) {
      const factor = rows[row]![pivot]! / rows[pivot]![pivot]!;
      for (let column = pivot; column <= size; column += 1)
        rows[row]![column]! -= factor * rows[pivot]![column]!;
    }
  }
  const solution = Array.from({ length: size }, () => 0);
  for (let row = size - 1; row >= 0; row -= 1) {
    const known = solution.reduce(
      (sum, value, column) => (column > row ? sum + rows[row]![column]! * value : sum),
      0,
    );
    solution[row] = (rows[row]![size]! - known) / rows[row]![row]!;
  }
  return solution;
}
