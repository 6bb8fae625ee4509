/**
 * The published scale of `score`: a strictly increasing function of `relevance`, the calibrated probability. It is linear in
 * the log-odds, so that equal differences of scores mean equal evidence:
 *
 *     score = .7 + .03 · (ln(relevance / (1 − relevance)) − FLOOR)
 *
 * `FLOOR`, the log-odds of the least evidence at which a memory is ever worth showing, has the score .7, the default
 * threshold. Beyond a score of .94 and below one of .06 the line bends towards 1 and 0.
 */
export const FLOOR = -5;

/** The default threshold. */
export const SCORE_OF_FLOOR = 0.7;
const perLogOdds = 0.03;
/** Within this distance of 0 and 1 the score approaches them exponentially. */
const bend = 0.06;

/** Log-odds of a probability; infinite for 0 and 1. */
export function logOdds(relevance: number): number {
  return Math.log(relevance / (1 - relevance));
}

/** Score, in [0, 1], of a relevance in [0, 1]. */
export function scoreOf(relevance: number): number {
  const line = SCORE_OF_FLOOR + perLogOdds * (logOdds(relevance) - FLOOR);
  if (line < bend) return bend * Math.exp((line - bend) / bend);
  return line > 1 - bend ? 1 - bend * Math.exp((1 - bend - line) / bend) : line;
}

/** Relevance of a score; inverse of `scoreOf` up to rounding. */
export function relevanceOf(score: number): number {
  const line =
    score < bend
      ? bend + bend * Math.log(score / bend)
      : score > 1 - bend
        ? 1 - bend - bend * Math.log((1 - score) / bend)
        : score;
  return 1 / (1 + Math.exp(-(FLOOR + (line - SCORE_OF_FLOOR) / perLogOdds)));
}
