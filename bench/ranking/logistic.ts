import type { Line } from '../../src/domain/ranking/calibration.ts';
import type { Outcome } from './metrics.ts';

/**
 * The maximum-likelihood line of log-odds over `score` (logistic regression by Newton's method). Throws if the outcomes do not
 * determine one.
 */
export function fitLine(outcomes: readonly Outcome[]): Line {
  let intercept = 0;
  let slope = 0;
  for (let step = 0; step < 50; step++) {
    let g0 = 0;
    let g1 = 0;
    let h00 = 0;
    let h01 = 0;
    let h11 = 0;
    for (const { score, relevant } of outcomes) {
      const p = 1 / (1 + Math.exp(-(intercept + slope * score)));
      const error = (relevant ? 1 : 0) - p;
      const weight = p * (1 - p);
      g0 += error;
      g1 += error * score;
      h00 += weight;
      h01 += weight * score;
      h11 += weight * score * score;
    }
    const determinant = h00 * h11 - h01 * h01;
    const d0 = (h11 * g0 - h01 * g1) / determinant;
    const d1 = (h00 * g1 - h01 * g0) / determinant;
    if (!Number.isFinite(d0) || !Number.isFinite(d1)) break;
    intercept += d0;
    slope += d1;
    if (Math.abs(d0) + Math.abs(d1) < 1e-9) return { intercept, slope };
  }
  throw new Error('no line fits these outcomes');
}

/** Outcomes with their probabilities by the line. */
export function applyLine(outcomes: readonly Outcome[], { intercept, slope }: Line): Outcome[] {
  return outcomes.map(({ score, relevant }) => ({
    score: 1 / (1 + Math.exp(-(intercept + slope * score))),
    relevant,
  }));
}
