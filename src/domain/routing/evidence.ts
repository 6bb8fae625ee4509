/**
 * What it does to the odds of a memory that it meets, or does not meet, what the question says outright: a place, a
 * time, a value of metadata. Twenty to one: above nearly everything that only resembles the question, and an exact quote
 * of .98 is still .7 without it.
 */
const strength = Math.log(20);

/** The probability of `score` after evidence for (`true`) or against (`false`) it. */
export function withEvidence(score: number, met: boolean): number {
  if (score <= 0 || score >= 1) return score;
  const logOdds = Math.log(score / (1 - score)) + (met ? strength : -strength);
  return 1 / (1 + Math.exp(-logOdds));
}
