import type { RetrievalEvent } from './events.ts';

type Recorded = readonly { readonly event: RetrievalEvent }[];

/** The memories that a caller received for a search, by its results or in a context. `events` are those of the search's stream. */
export function answeredMemories(events: Recorded): ReadonlySet<string> {
  return new Set(
    events.flatMap(({ event }) => {
      if (event.type === 'SearchPerformed') return event.data.results.map(({ memoryId }) => memoryId);
      return event.type === 'ContextAssembled' ? event.data.items.map(({ memoryId }) => memoryId) : [];
    }),
  );
}

/** Whether the answer to a search is in the log already. */
export function isRecorded(events: Recorded): boolean {
  return events.some(({ event }) => event.type === 'SearchPerformed');
}
