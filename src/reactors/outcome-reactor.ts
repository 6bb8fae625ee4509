import type { CommandContext } from '../commands/context.ts';
import type { Reactor } from '../follow/reactor.ts';
import { OutcomeBatch, type Followed, type OutcomeParts } from './outcome-batch.ts';

/** Names the checkpoint of the reactor. */
export const outcomesName = 'outcomes';

/**
 * Follows searches until their outcome is known: in sessions, and where there was a choice of a route. Detects refinements, takes
 * feedback as a signal, and keeps the table of decisions. It reads nothing that is sealed, except the questions of one session that
 * were asked shortly after each other.
 */
export function outcomeReactor(parts: OutcomeParts, context: CommandContext): Reactor {
  return {
    name: outcomesName,
    handles: [
      'SearchPerformed',
      'ContextAssembled',
      'FeedbackGiven',
      'OutcomeObserved',
      'SessionEnded',
      'PolicyUpdated',
    ],
    routingOnly: true,
    // Nothing waits for an outcome but learning.
    lingerMs: 500,
    async handle(events) {
      const batch = new OutcomeBatch(parts, context);
      await batch.load(events as readonly Followed[]);
      for (const event of events as readonly Followed[]) await batch.take(event);
      return batch.effects;
    },
  };
}
