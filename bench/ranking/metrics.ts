// Retrieval and calibration measures.

export interface RankingScores {
  readonly ndcg: number;
  readonly recall: number;
  /** Reciprocal rank of the first relevant result among the first 10, else 0. */
  readonly mrr: number;
}

/**
 * Binary nDCG@10 (gain 1 / log2(rank + 1), ideal over min(|gold|, 10)), recall@10 and MRR@10 of one ranked list.
 * Source: Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", ACM TOIS 20(4), 2002.
 */
export function rankingScores(ranked: readonly string[], gold: ReadonlySet<string>): RankingScores {
  let dcg = 0;
  let ideal = 0;
  let found = 0;
  let mrr = 0;
  for (let i = 0; i < 10; i++) {
    const gain = 1 / Math.log2(i + 2);
    if (i < gold.size) ideal += gain;
    if (!gold.has(ranked[i] ?? '')) continue;
    dcg += gain;
    found++;
    mrr ||= 1 / (i + 1);
  }
  return { ndcg: dcg / ideal, recall: found / gold.size, mrr };
}

/** A predicted probability, and the outcome. */
export interface Outcome {
  readonly score: number;
  readonly relevant: boolean;
}

/**
 * Expected calibration error over bins of equal mass: the mean distance between the mean score and the share of relevant
 * results. Source: Naeini, Cooper, Hauskrecht, "Obtaining well calibrated probabilities using Bayesian binning", AAAI 2015.
 */
export function calibrationError(outcomes: readonly Outcome[], bins = 10): number {
  const sorted = [...outcomes].sort((a, b) => a.score - b.score);
  let error = 0;
  for (let bin = 0; bin < bins; bin++) {
    const part = sorted.slice(
      Math.round((bin * sorted.length) / bins),
      Math.round(((bin + 1) * sorted.length) / bins),
    );
    const gap = part.reduce((sum, { score, relevant }) => sum + score - (relevant ? 1 : 0), 0);
    error += Math.abs(gap);
  }
  return error / sorted.length;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
