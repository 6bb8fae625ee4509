/**
 * Factor for the odds of a memory that meets, or does not meet, an explicit condition of the question: a place, a time, a
 * metadata value. With twenty to one, such a memory ranks above nearly everything that only resembles the question, and an
 * exact quote of .98 that does not meet the condition still scores .7.
 */
const oddsRatio = 20;

/**
 * The probability `score` updated by Bayes' rule. `evidence`: 1 if all conditions are met, less if only weaker ones are,
 * 0 if there are no conditions, -1 if none is met.
 */
export function withEvidence(score: number, evidence: number): number {
  const ratio = oddsRatio ** evidence;
  return (score * ratio) / (score * ratio + 1 - score);
}
