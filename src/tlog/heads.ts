import { CheckpointSigned, type CheckpointEvent } from '../domain/tlog/events.ts';
import type { EventStore, LoadedEvent } from '../ports/event-store.ts';

/** A head is signed at least this often, so that silence shows. */
export const longestSilenceMs = 3_600_000;

const filter = { categories: [CheckpointSigned.category], types: [CheckpointSigned.type] };

/** The heads that were signed, newest first, before a position. */
export async function signedHeads(
  store: EventStore,
  limit: number,
  before?: number,
): Promise<readonly LoadedEvent<CheckpointEvent>[]> {
  const { events } = await store.readAll({
    direction: 'backwards',
    limit,
    filter,
    ...(before !== undefined && { after: before }),
  });
  return events as readonly LoadedEvent<CheckpointEvent>[];
}

/**
 * Milliseconds since the next head should have been signed; 0 if it is not due. `intervalMs` is how long new events wait for a head. Any
 * process can tell, also while none signs.
 */
export async function overdueMs(store: EventStore, intervalMs: number, now: Date): Promise<number> {
  const [last] = await signedHeads(store, 1);
  const { events } = await store.log.readAll({ after: last?.position ?? 0, limit: 1 });
  const [waiting] = events;
  const due = waiting ? waiting.time.getTime() + intervalMs : last && last.time.getTime() + longestSilenceMs;
  return due === undefined ? 0 : Math.max(0, now.getTime() - due);
}
