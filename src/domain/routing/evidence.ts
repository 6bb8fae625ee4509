/**
 * What it does to the odds of a memory that it meets, or does not meet, what the question says outright: a place, a
 * time, a value of metadata. Twenty to one: above nearly everything that only resembles the question, and an exact quote
 * of .98 is still .7 without it.
 */
const oddsRatio = 20;

/**
 * The probability of `score` after evidence, by Bayes' rule: 1 for what meets all conditions, less for what meets weaker
 * ones, 0 where there are none, -1 for what meets none.
 */
export function withEvidence(score: number, evidence: number): number {
  const ratio = oddsRatio ** evidence;
  return (score * ratio) / (score * ratio + 1 - score);
}
