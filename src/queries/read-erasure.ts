import { foldErasure, type ErasureState } from '../domain/erasure/erasure.ts';
import type { ErasureEvent } from '../domain/erasure/events.ts';
import { Problem } from '../domain/problems.ts';
import { erasureStream } from '../domain/streams.ts';
import type { EventStore, LoadedEvent } from '../ports/event-store.ts';

/** An erasure as far as it has come. */
export interface RecordedErasure {
  readonly state: ErasureState;
  readonly requested: LoadedEvent<ErasureEvent>;
  readonly completedAt?: Date;
}

/** Reads an erasure of the tenant from the log. Throws `not-found`. */
export async function readErasure(
  store: EventStore,
  tenant: string,
  erasureId: string,
): Promise<RecordedErasure> {
  const loaded = /^[0-9a-f-]{36}$/.test(erasureId)
    ? await store.load<ErasureEvent>(erasureStream(tenant, erasureId))
    : [];
  const state = foldErasure(loaded.map(({ event }) => event));
  if (!state) throw new Problem('not-found', 'no such erasure');
  const last = loaded.at(-1)!;
  return {
    state,
    requested: loaded[0]!,
    ...(last.event.type === 'ErasureCompleted' && { completedAt: last.time }),
  };
}
