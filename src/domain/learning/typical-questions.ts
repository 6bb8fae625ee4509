import { scoreOf } from '../routing/complexity.ts';
import type { Features } from './route-policy.ts';

/**
 * Questions by their signals: how many of 440 questions of organisations resemble it, then layers, aggregation, comparison and structure.
 * The counts come from a development set in which half of the questions are complex.
 */
const typicalSignals: readonly (readonly [number, number, number, number, number])[] = [
  [60, 0, 0, 0, 0.1],
  [60, 0, 0, 0, 0.3],
  [50, 0.25, 0, 0, 0.2],
  [37, 0.25, 0, 0, 0.5],
  [22, 0, 0, 0, 0.9],
  [40, 0, 1, 0, 0.3],
  [41, 0.25, 1, 0, 0.3],
  [60, 0.25, 1, 0, 0.6],
  [25, 1, 0, 0, 0.7],
  [15, 0, 0, 1, 0.8],
  [24, 1, 1, 0, 0.4],
  [6, 1, 1, 1, 0.5],
];

export interface TypicalQuestion {
  readonly count: number;
  /** Signals and score, without a threshold. */
  readonly features: Features;
}

export const typicalQuestions: readonly TypicalQuestion[] = typicalSignals.map(
  ([count, layers, aggregation, comparison, structure]) => {
    const signals = { layers, aggregation, comparison, structure };
    return { count, features: { ...signals, score: scoreOf(signals) } };
  },
);

const all = typicalQuestions.reduce((sum, { count }) => sum + count, 0);

/** Mean of a function over typical questions. */
export function typicalMean(of: (features: Features) => number): number {
  return typicalQuestions.reduce((sum, { count, features }) => sum + count * of(features), 0) / all;
}
