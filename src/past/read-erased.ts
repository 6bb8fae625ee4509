import { memoryStream, tenantOfStream } from '../domain/streams.ts';
import type { EventStore, LoadedEvent } from '../ports/event-store.ts';

const pageSize = 2_000;

/**
 * The events of memories of a tenant that were erased after a position. Keys are destroyed after the event of an erasure, and other
 * processes may use them for a little longer, so these events are left out by what the log says.
 */
export async function readErased(
  store: EventStore,
  tenant: string,
  after: number,
): Promise<{ has(event: LoadedEvent): boolean }> {
  const streams = new Set<string>();
  for (let at = after; ;) {
    const { events, scannedTo } = await store.readAll({
      after: at,
      limit: pageSize,
      filter: { types: ['MemoryErased'] },
      routingOnly: true,
    });
    for (const { event, stream } of events)
      if (event.type === 'MemoryErased' && tenantOfStream(stream) === tenant)
        streams.add(memoryStream(tenant, event.data.memoryId));
    if (events.length === 0 || scannedTo <= at) break;
    at = scannedTo;
  }
  return { has: ({ stream }) => streams.has(stream) };
}
