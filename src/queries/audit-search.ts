import { setTimeout as sleep } from 'node:timers/promises';
import type { TenantContext } from '../domain/access/context.ts';
import { Problem } from '../domain/problems.ts';
import type { OutcomeEvent } from '../domain/learning/events.ts';
import type { RetrievalEvent } from '../domain/retrieval/events.ts';
import { timeOfSearch } from '../domain/retrieval/search-id.ts';
import { outcomeStream, retrievalStream } from '../domain/streams.ts';
import type { EventStore, LoadedEvent } from '../ports/event-store.ts';
import { assertAuditor } from './audit-events.ts';
import { defaultWaitMs } from './read-models.ts';

type Of<Type extends RetrievalEvent['type']> = LoadedEvent<Extract<RetrievalEvent, { type: Type }>>;

/** The recorded events of one search. */
export interface AuditedSearch {
  readonly performed: Of<'SearchPerformed'>;
  /** The steps of the run, if the question was decomposed. */
  readonly trajectory: Of<'TrajectoryRecorded'> | undefined;
  readonly context: Of<'ContextAssembled'> | undefined;
  /** What became of the answer, in the order in which it was recorded. */
  readonly outcomes: readonly LoadedEvent<OutcomeEvent>[];
}

/**
 * How long after the beginning of a search its record may still be missing: it may be answered after a minute, and is recorded after its
 * answer was sent.
 */
const writtenWithinMs = 70_000;
const pollMs = 50;

/**
 * A search of the caller's tenant by its id, with or without the signature. Throws `forbidden` unless the caller is an auditor
 * or admin, and `not-found` if the tenant has no such search.
 */
export async function readAuditedSearch(
  store: EventStore,
  caller: TenantContext,
  searchId: string,
  now: Date,
  waitMs = defaultWaitMs,
): Promise<AuditedSearch> {
  assertAuditor(caller);
  const [id = ''] = searchId.split('.');
  const at = timeOfSearch(id);
  const isFresh = at !== undefined && now.getTime() - at.getTime() < writtenWithinMs;
  const deadline = performance.now() + (isFresh ? waitMs : 0);
  for (;;) {
    const events = at ? await store.load<RetrievalEvent>(retrievalStream(caller.tenant, id)) : [];
    const performed = firstOf('SearchPerformed', events);
    const named = searchId === id || performed?.event.data.searchId === searchId;
    if (performed && named) {
      return {
        performed,
        trajectory: firstOf('TrajectoryRecorded', events),
        context: firstOf('ContextAssembled', events),
        outcomes: await store.load<OutcomeEvent>(outcomeStream(caller.tenant, id)),
      };
    }
    if (performed || performance.now() >= deadline) throw new Problem('not-found', 'no such search');
    await sleep(pollMs);
  }
}

function firstOf<Type extends RetrievalEvent['type']>(
  type: Type,
  events: readonly LoadedEvent<RetrievalEvent>[],
): Of<Type> | undefined {
  return events.find((one): one is Of<Type> => one.event.type === type);
}
