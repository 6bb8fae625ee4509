/** Amount of evidence at the first look: matched deviations, or searches. Each later look has twice as much. */
const firstLook = 50;

/** Amount of evidence that the next look needs after `looks` looks: 50, 100, 200, … */
export function evidenceForLook(looks: number): number {
  return firstLook * 2 ** looks;
}

/**
 * Number of looks once this evidence was looked at, after `before` earlier looks. Evidence may have doubled more than once since the last
 * look. That is one look, but the next one needs twice as much as this one.
 */
export function looksAfter(before: number, evidence: number): number {
  return Math.max(before + 1, Math.floor(Math.log2(evidence / firstLook)) + 1);
}
