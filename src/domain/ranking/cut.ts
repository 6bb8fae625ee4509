import { logOdds, relevanceOf, SCORE_OF_FLOOR, scoreOf } from './score-scale.ts';

/**
 * Which of the memories that a search found belong in its answer: those that reach a threshold on the scale of `score`, or, if
 * the caller gave none, those that a focused answer shows.
 */
export type Cut = { readonly threshold: number } | 'focused';

/** A question whose best memory has less than these log-odds has no answer here. Fitted by `bench/ranking/focus.ts`. */
const FOCUS = -4.19;
/**
 * A memory this far behind the best, in log-odds, does not answer the question. Fitted by `bench/ranking/focus.ts` (2.5), and lowered
 * since newer memories of the same matter are added (`SameMatter`).
 */
export const DISTANCE = 2.2;

/** Generous bound of the rounding errors of `relevanceOf`. */
const rounding = 1e-9;

/** Lower bound of the relevance in an answer. A search need not look at memories below it. */
export function leastRelevance(cut: Cut): number {
  return relevanceOf(thresholdOf(cut)) * (1 - rounding);
}

export interface CutOptions<Found> {
  readonly relevanceOf: (found: Found) => number;
  /** True for an answer made from several searches: each part is shown, however far it is behind the best. */
  readonly keepsDistant?: boolean;
}

/** The memories of an answer, in the given order: descending relevance. A threshold is applied exactly. */
export function cutOff<Found>(
  found: readonly Found[],
  cut: Cut,
  { relevanceOf: of, keepsDistant = false }: CutOptions<Found>,
): readonly Found[] {
  const reaching = found.filter((one) => passes(of(one), cut));
  if (cut !== 'focused') return reaching;
  const best = Math.max(...reaching.map((one) => logOdds(of(one))));
  return reaching.filter((one) => isFocused(logOdds(of(one)), best, keepsDistant));
}

/** Why a cut leaves a memory out. */
export const cutReasons = ['threshold', 'no-answer', 'far-behind'] as const;

/** Why `cutOff` leaves out a memory of this relevance; undefined if it keeps it. `best` is the greatest relevance that was found. */
export function reasonOfCut(
  relevance: number,
  best: number,
  cut: Cut,
  keepsDistant: boolean,
): (typeof cutReasons)[number] | undefined {
  if (!passes(relevance, cut)) return 'threshold';
  if (cut !== 'focused' || isFocused(logOdds(relevance), logOdds(best), keepsDistant)) return undefined;
  return logOdds(best) < FOCUS ? 'no-answer' : 'far-behind';
}

/** Whether a focused answer keeps a memory that passes and has the log-odds `own`; `best` are those of the best memory. */
function isFocused(own: number, best: number, keepsDistant: boolean): boolean {
  return best >= FOCUS && (keepsDistant || own >= best - DISTANCE);
}

/** The least score of a result. `best` is the greatest relevance that was found. */
export function leastScoreShown(best: number, cut: Cut, keepsDistant: boolean): number {
  if (cut !== 'focused') return cut.threshold;
  const least = logOdds(best) < FOCUS ? FOCUS : keepsDistant ? -Infinity : logOdds(best) - DISTANCE;
  return Math.max(SCORE_OF_FLOOR, scoreOf(1 / (1 + Math.exp(-least))));
}

/** Whether a memory of this relevance may be in the answer at all. */
export function passes(relevance: number, cut: Cut): boolean {
  return scoreOf(relevance) >= thresholdOf(cut);
}

function thresholdOf(cut: Cut): number {
  return cut === 'focused' ? SCORE_OF_FLOOR : cut.threshold;
}
