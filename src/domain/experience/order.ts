import type { TraceOutcome } from './trace.ts';

/** Traces whose similarity differs by less than this are equally similar. */
const bandWidth = 0.05;
/** A similarity of .3 belongs to the band that begins there, although .3 / .05 is a little less than 6. */
const tolerance = 1e-9;

export interface OrderedTrace {
  readonly similarity: number;
  readonly outcome: TraceOutcome;
  /** In the log. */
  readonly position: number;
}

/** The most useful outcome first. A failure says what to avoid, a pending attempt nothing yet. */
const outcomeOrder: readonly TraceOutcome[] = ['success', 'partial_success', 'failure', 'pending'];

/** By band of similarity, then successes first, then the newest. */
export function byExperience(left: OrderedTrace, right: OrderedTrace): number {
  return (
    bandOf(right.similarity) - bandOf(left.similarity) ||
    outcomeOrder.indexOf(left.outcome) - outcomeOrder.indexOf(right.outcome) ||
    right.position - left.position
  );
}

/** By band of similarity, then the newest, whatever the outcome. */
export function byNearness(left: OrderedTrace, right: OrderedTrace): number {
  return bandOf(right.similarity) - bandOf(left.similarity) || right.position - left.position;
}

function bandOf(similarity: number): number {
  return Math.floor(similarity / bandWidth + tolerance);
}
