import { causedBy, type CommandContext, type CommandServices } from '../commands/context.ts';
import { resolveTrace } from '../commands/experience/resolve-trace.ts';
import type { OutcomeEvent } from '../domain/learning/events.ts';
import { searchOf } from '../domain/retrieval/search-id.ts';
import type { UseEvent } from '../domain/learning/value-events.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import type { Reactor } from '../follow/reactor.ts';

/**
 * Gives the traces of searches with experience their outcomes. An outcome that was posted before its search was recorded is not checked
 * yet; when it is, `UseObserved` follows.
 */
export function traceOutcomes(services: CommandServices, context: CommandContext): Reactor {
  return {
    name: 'trace-outcomes',
    handles: ['OutcomeObserved', 'UseObserved'],
    async handle(events) {
      for (const loaded of events as readonly LoadedEvent<OutcomeEvent | UseEvent>[]) {
        await resolveTrace(services, causedBy(context, loaded), searchOf(loaded.event.data.searchId));
      }
    },
  };
}
