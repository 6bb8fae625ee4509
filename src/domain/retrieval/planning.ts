import type { ModelFailure } from './model-call.ts';
import type { Lack } from './trajectory.ts';

/** Why a question was not planned by the language model that is configured. */
export type PlanningReason =
  'disabled' | 'no-tokens' | 'no-time' | 'breaker-open' | 'nothing-proposed' | ModelFailure;

/**
 * What an answer lacks for it: nothing where the model was not to be asked, or has answered. A run that may spend no more on
 * models is whole without them.
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
