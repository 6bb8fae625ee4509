import type { FeedbackKind } from '../retrieval/events.ts';
import type { ModelScale } from './calibration.ts';
import { UNKNOWN_MODEL } from './scales.ts';
import { logOdds } from './score-scale.ts';

/** What one caller said about a memory. */
export interface Judgement {
  readonly kind: FeedbackKind;
  /** Who said it. */
  readonly principal: string;
  /** −1..1, in the direction of its kind; a score in the other direction withdraws what the same caller said before. */
  readonly score: number;
  /** Position in the log. */
  readonly position: number;
  /** Whether the memory's writer or an admin said it. */
  readonly isAuthoritative: boolean;
  /** Cosine of the question that was asked now with the one that the caller judged; absent if they cannot be compared. */
  readonly cosine?: number | undefined;
}

/** Log-odds that a judgement with a score of 1 adds for each kind. By the default scores: 1.5, −2, −2, −2.5 and −1. */
const WEIGHTS: Readonly<Record<FeedbackKind, number>> = {
  helpful: 1.5,
  irrelevant: 4,
  outdated: 4,
  inaccurate: 2.5,
  duplicate: 4,
};
/** However many callers agree, the log-odds move by less than this. */
export const MOST_FEEDBACK = 3;

/** Kinds that are about a memory as the answer to one question, and count for questions like it. */
export const questionKinds: readonly FeedbackKind[] = ['helpful', 'irrelevant'];

/** Kinds that say that a memory does not hold, the worse first. Summaries and profiles leave such a memory out. */
export const refutingKinds = ['inaccurate', 'outdated'] as const satisfies readonly FeedbackKind[];
export type Refutation = (typeof refutingKinds)[number];

/** How callers judge a memory that does not hold; undefined if none does. `feedback`: callers for each kind who have not withdrawn it. */
export function refutationOf(feedback: Readonly<Record<FeedbackKind, number>>): Refutation | undefined {
  return refutingKinds.find((kind) => feedback[kind] > 0);
}

/** Whether the writer of the memory or an admin says that it does not hold, and has not withdrawn it. */
export function isRefuted(judgements: readonly Judgement[]): boolean {
  const latest = new Map<string, Judgement>();
  for (const judgement of judgements) {
    const { kind, principal, position, isAuthoritative } = judgement;
    if (!isAuthoritative || !refutingKinds.some((refuting) => refuting === kind)) continue;
    const key = `${kind} ${principal}`;
    if (position > (latest.get(key)?.position ?? -1)) latest.set(key, judgement);
  }
  return [...latest.values()].some(({ kind, score }) => counts(kind, score));
}

/** Log-odds, by meaning alone, at which two questions begin to be alike, and at which they are the same. */
const ALIKE = { from: -2, to: -0.5 };
/** Cosine of two questions that are equal, for a model whose cosines were not measured. */
const EQUAL = 0.98;

/**
 * Log-odds that feedback adds to the relevance of a memory, within ±`MOST_FEEDBACK`. Of each caller the latest judgement of each
 * kind counts; of `helpful` and `irrelevant` the latest about a question like this one.
 */
export function feedbackOf(judgements: readonly Judgement[], scale: ModelScale): number {
  const latest = new Map<string, Judgement & { readonly weight: number }>();
  for (const judgement of judgements) {
    const { kind, principal, position, cosine } = judgement;
    const weight = questionKinds.includes(kind) ? sameness(cosine, scale) : 1;
    const key = `${kind} ${principal}`;
    if (weight > 0 && position > (latest.get(key)?.position ?? -1)) latest.set(key, { ...judgement, weight });
  }
  let sum = 0;
  for (const { kind, score, weight } of latest.values())
    if (counts(kind, score)) sum += weight * WEIGHTS[kind] * score;
  return MOST_FEEDBACK * Math.tanh(sum / MOST_FEEDBACK);
}

/** Whether a judgement has the direction of its kind. Otherwise it only withdraws an earlier one. */
export function counts(kind: FeedbackKind, score: number): boolean {
  return kind === 'helpful' ? score > 0 : score < 0;
}

/** A relevance with the log-odds of its feedback. */
export function withFeedback(relevance: number, feedback: number): number {
  if (feedback === 0 || relevance <= 0 || relevance >= 1) return relevance;
  return 1 / (1 + Math.exp(-(logOdds(relevance) + feedback)));
}

/** How far two questions are the same, 0..1. */
function sameness(cosine: number | undefined, scale: ModelScale): number {
  if (cosine === undefined) return 0;
  if (scale === UNKNOWN_MODEL) return cosine >= EQUAL ? 1 : 0;
  const { intercept, slope } = scale.denseOnly;
  return Math.min(1, Math.max(0, (intercept + slope * cosine - ALIKE.from) / (ALIKE.to - ALIKE.from)));
}
