/** How often a memory was used, and how often its relevance predicts a use. Sums over the searches of one visibility scope. */
export interface MemoryUse {
  /** Number of searches that showed it and whose caller used it. */
  readonly uses: number;
  /** Sum of its relevance, 0 to 1, over the searches that showed it. */
  readonly expected: number;
}

export const noUse: MemoryUse = { uses: 0, expected: 0 };

/** Uses that are added to the observed and to the expected ones, so that a few searches move the value little. */
export const priorUses = 3;

/** Weight of a value in log-odds while values rank. A greater one hurt on development sets. */
export const valueWeightLimit = 0.5;

/** The sum over several scopes, such as all those that a caller can see. */
export function addUses(uses: readonly MemoryUse[]): MemoryUse {
  return {
    uses: uses.reduce((sum, use) => sum + use.uses, 0),
    expected: uses.reduce((sum, use) => sum + use.expected, 0),
  };
}

/**
 * Value of a memory (requirement C5): log((uses + 3) / (Σ relevance when shown + 3)), the logarithm of observed over expected uses,
 * shrunk as by a gamma prior (DuMouchel 1999). 0 for a memory that was never shown or is used as often as its relevance
 * predicts, so a memory loses little by being shown where it is hardly relevant.
 */
export function memoryValue({ uses, expected }: MemoryUse): number {
  return Math.log((uses + priorUses) / (expected + priorUses));
}

/** The value as an importance, 0 to 1: (uses + 3) / (uses + expected + 6). 0.5 for a memory that was never shown. */
export function importanceOf({ uses, expected }: MemoryUse): number {
  return (uses + priorUses) / (uses + expected + 2 * priorUses);
}
