import type { OutcomeEvent } from '../../domain/learning/events.ts';
import { checkedSignals, type OutcomeSignal } from '../../domain/learning/outcome.ts';
import { answeredMemories, isRecorded } from '../../domain/retrieval/answered-memories.ts';
import type { RetrievalEvent } from '../../domain/retrieval/events.ts';
import { outcomeStream, retrievalStream } from '../../domain/streams.ts';
import type { EventStore } from '../../ports/event-store.ts';

/** All signals of a search. What a caller posted before the search was recorded is checked against the answer here. */
export async function signalsOf(
  store: EventStore,
  tenant: string,
  search: string,
): Promise<readonly OutcomeSignal[]> {
  const outcomes = await store.load<OutcomeEvent>(outcomeStream(tenant, search));
  const signals = outcomes.map(({ event }) => event.data);
  if (!signals.some(({ source, kind }) => source === 'caller' && kind === 'used')) return signals;
  const events = await store.load<RetrievalEvent>(retrievalStream(tenant, search));
  return isRecorded(events) ? checkedSignals(signals, answeredMemories(events)) : signals;
}
