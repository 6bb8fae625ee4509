import { counts } from '../ranking/feedback.ts';
import type { FeedbackKind } from '../retrieval/events.ts';

export interface Use {
  /** When what it says was true, else when it was stored. */
  readonly time: Date;
  readonly accesses: number;
  /** The latest judgement of each caller and kind. */
  readonly judgements: readonly { readonly kind: FeedbackKind; readonly score: number }[];
}

/** A memory that is this much older than the newest one of its scope weighs half. */
const halfLifeMs = 180 * 24 * 60 * 60 * 1_000;
/** The recency that very old memories approach. */
const leastRecency = 0.5;
/** Log-odds of the weight for each tenfold use (`ofUse`), and for all judgements together (`ofFeedback`). */
const ofUse = 0.5;
const ofFeedback = 1;

/**
 * How much a memory counts in a summary, 0..1: more for new, used and helpful ones. Time is measured from the newest memory of the
 * scope and not from now, so that the same state has the same summary.
 */
export function importanceOf({ time, accesses, judgements }: Use, newest: Date): number {
  const age = Math.max(0, newest.getTime() - time.getTime());
  const recency = leastRecency + (1 - leastRecency) * 2 ** (-age / halfLifeMs);
  const judged = judgements.filter(({ kind, score }) => counts(kind, score));
  const feedback = Math.tanh(judged.reduce((sum, { score }) => sum + score, 0));
  const logOdds = ofUse * Math.log10(1 + accesses) + ofFeedback * feedback;
  return recency / (1 + Math.exp(-logOdds));
}
