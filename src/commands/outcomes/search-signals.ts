import type { OutcomeEvent } from '../../domain/learning/events.ts';
import { checkedSignals, type OutcomeSignal } from '../../domain/learning/outcome.ts';
import { answeredMemories } from '../../domain/retrieval/answered-memories.ts';
import type { RetrievalEvent } from '../../domain/retrieval/events.ts';
import { outcomeStream, retrievalStream } from '../../domain/streams.ts';
import type { EventStore } from '../../ports/event-store.ts';

/**
 * All signals of a search, without memories that were not in the answer. While the search itself is not recorded, that is not known,
 * and signals that name memories are left out.
 */
export async function signalsOf(
  store: EventStore,
  tenant: string,
  search: string,
): Promise<readonly OutcomeSignal[]> {
  const outcomes = await store.load<OutcomeEvent>(outcomeStream(tenant, search));
  const signals = outcomes.map(({ event }) => event.data);
  if (signals.every(({ memoryIds }) => memoryIds.length === 0)) return signals;
  const events = await store.load<RetrievalEvent>(retrievalStream(tenant, search));
  return checkedSignals(signals, answeredMemories(events));
}
