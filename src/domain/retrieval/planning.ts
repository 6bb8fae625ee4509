import type { ModelFailure } from './model-call.ts';
import type { Lack } from './trajectory.ts';

/** Why the configured language model did not plan a question. */
export type PlanningReason =
  'disabled' | 'no-tokens' | 'no-time' | 'breaker-open' | 'nothing-proposed' | ModelFailure;

/**
 * What the answer lacks for that reason. Undefined if the model answered or was not to be used, and if the run had no budget for
 * models: then the answer is complete without them.
 */
export function lackOfPlan(reason: PlanningReason | undefined): Lack | undefined {
  switch (reason) {
    case undefined:
    case 'disabled':
    case 'no-tokens':
    case 'nothing-proposed':
      return undefined;
    case 'no-time':
    case 'timed-out':
      return 'planning-timed-out';
    default:
      return 'planning-failed';
  }
}
