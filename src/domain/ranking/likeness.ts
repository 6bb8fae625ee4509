import { dotProduct } from '../dot-product.ts';
import type { ModelScale } from './calibration.ts';
import { UNKNOWN_MODEL } from './scales.ts';

/** What a result says, as far as it is compared with other results: its text, or the passage of it that matched. */
export interface Substance {
  /** Vector of unit length, of the same model for all results; absent if there is none. */
  readonly vector?: Float32Array | undefined;
  /** Its distinct terms (`termCounts`). */
  readonly terms: ReadonlySet<string>;
}

/** Log-odds for texts of which every word is shared. */
const WORDS = 10;
/** Log-odds used if the vectors cannot be compared: those of two notes on different subjects in one place. */
const NOT_COMPARED = -4.3;

/**
 * How alike two texts are: the log-odds that one answers the other as a question by meaning alone, plus the cosine of their
 * sets of words. The former makes cosines of different models comparable. A model whose cosines were not measured says nothing.
 */
export function likeness(left: Substance, right: Substance, scale: ModelScale): number {
  const { intercept, slope } = scale.denseOnly;
  const isMeasured = scale !== UNKNOWN_MODEL && left.vector && right.vector;
  const meaning = isMeasured ? intercept + slope * dotProduct(left.vector, right.vector) : NOT_COMPARED;
  return meaning + WORDS * sharedWords(left.terms, right.terms);
}

/** Cosine of two sets, 0..1. */
function sharedWords(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  const [small, large] = left.size <= right.size ? [left, right] : [right, left];
  let shared = 0;
  for (const term of small) if (large.has(term)) shared++;
  return shared === 0 ? 0 : shared / Math.sqrt(left.size * right.size);
}
