import type { Evidence, FusionWeights } from './fusion.ts';

/** Log-odds of a fused score: intercept + slope · fused. The slope is above 0, which preserves the order. */
export interface Line {
  readonly intercept: number;
  readonly slope: number;
}

/** Everything that was fitted for one embedding model. */
export interface ModelScale {
  readonly fusion: FusionWeights;
  /** Used for a candidate with both signals. */
  readonly both: Line;
  /** Used for a query without terms (only stop words or punctuation). */
  readonly denseOnly: Line;
  /** Used for a candidate without a comparable vector (the embedder does not answer, or the vector is not computed yet). */
  readonly lexicalOnly: Line;
}

/**
 * Probability of relevance, 0..1, of a fused score (Platt scaling: Platt, "Probabilistic outputs for support vector
 * machines", 1999). A candidate without any evidence has probability 0.
 */
export function probability(fused: number, found: Evidence, scale: ModelScale): number {
  const line = lineFor(found, scale);
  return line === undefined ? 0 : 1 / (1 + Math.exp(-(line.intercept + line.slope * fused)));
}

/** The line for the kinds of evidence that a memory has; undefined if it has none. */
export function lineFor({ cosine, lexical }: Evidence, scale: ModelScale): Line | undefined {
  if (cosine === undefined) return lexical === undefined ? undefined : scale.lexicalOnly;
  return lexical === undefined ? scale.denseOnly : scale.both;
}
