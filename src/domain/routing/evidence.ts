/**
 * What it does to the odds of a memory that it meets, or does not meet, what the question says outright: a place, a
 * time, a value of metadata. Twenty to one: above nearly everything that only resembles the question, and an exact quote
 * of .98 is still .7 without it.
 */
const oddsRatio = 20;

/** The probability of `score` after evidence for (`met`) or against it, by Bayes' rule. */
export function withEvidence(score: number, met: boolean): number {
  const ratio = met ? oddsRatio : 1 / oddsRatio;
  return (score * ratio) / (score * ratio + 1 - score);
}
