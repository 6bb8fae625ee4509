/** How often a memory was of use, and how often one of its relevance should have been. Sums over the searches of one visibility scope. */
export interface MemoryUse {
  /** Times that it was shown and used. A use of a memory that was not shown does not count. */
  readonly uses: number;
  /** Sum of its relevance, 0 to 1, each time it was shown. */
  readonly expected: number;
}

export const noUse: MemoryUse = { uses: 0, expected: 0 };

/** Uses that are added to the observed and the expected ones: a memory that was shown three times at most is worth half of what it seems. */
export const priorUses = 3;

/** Greatest weight of a value in log-odds. More of it hurt on development sets. */
export const valueWeightLimit = 0.5;

/** Uses of several scopes that a caller can see, added up. */
export function addUses(uses: readonly MemoryUse[]): MemoryUse {
  return {
    uses: uses.reduce((sum, use) => sum + use.uses, 0),
    expected: uses.reduce((sum, use) => sum + use.expected, 0),
  };
}

/**
 * Value of a memory (requirement C5): log((uses + 3) / (Σ relevance when shown + 3)), the logarithm of observed over expected uses,
 * shrunk as by a gamma prior (DuMouchel 1999). 0 for a memory that was never shown or is used as often as its relevance
 * says; so a memory loses nothing by being shown where it hardly matters.
 */
export function memoryValue({ uses, expected }: MemoryUse): number {
  return Math.log((uses + priorUses) / (expected + priorUses));
}

/** The value as an importance, 0 to 1: (uses + 3) / (uses + expected + 6), so 0.5 while nothing is known. */
export function importanceOf({ uses, expected }: MemoryUse): number {
  return (uses + priorUses) / (uses + expected + 2 * priorUses);
}

/**
 * Relevance with the value added in log-odds: logit⁻¹(logit(relevance) + weight · value). Certain relevances, 0 and 1, stay.
 *
 * @param relevance 0 to 1.
 * @param value From `memoryValue`.
 * @param weight 0 to 0.5; greater ones are cut.
 */
export function relevanceWithValue(relevance: number, value: number, weight: number): number {
  if (relevance <= 0 || relevance >= 1) return relevance;
  const factor = Math.exp(Math.min(weight, valueWeightLimit) * value);
  return (relevance * factor) / (relevance * factor + 1 - relevance);
}
