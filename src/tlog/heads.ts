import { CheckpointSigned, type CheckpointEvent } from '../domain/tlog/events.ts';
import type { EventStore, LoadedEvent } from '../ports/event-store.ts';

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
