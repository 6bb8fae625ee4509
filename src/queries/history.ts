import type { Cause, TenantContext } from '../domain/access/context.ts';
import { canonicalJson, type JsonValue } from '../domain/json.ts';
import type { MemoryEvent } from '../domain/memory/events.ts';
import { evolve, initialState, type MemoryState } from '../domain/memory/memory.ts';
import type { EventStore } from '../ports/event-store.ts';
import { loadVisible } from './get-memory.ts';

export interface Version {
  readonly revision: number;
  readonly type: MemoryEvent['type'];
  readonly at: Date;
  readonly actor: string;
  /** The user that an agent acted for. */
  readonly onBehalfOf?: string;
  readonly cause: Cause;
  readonly reason?: string;
  /** The fields that differ from the previous version. */
  readonly changes: Readonly<Record<string, { from?: JsonValue; to?: JsonValue }>>;
  readonly position: number;
}

/** All versions of a memory, oldest first, with who made each, when and why. */
export async function readHistory(
  store: EventStore,
  caller: TenantContext,
  memoryId: string,
): Promise<Version[]> {
  let state: MemoryState = initialState;
  const { loaded: events } = await loadVisible(store, caller, memoryId);
  return events.map((loaded) => {
    const next = evolve(state, loaded.event);
    const version: Version = {
      revision: loaded.revision,
      type: loaded.event.type,
      at: loaded.time,
      actor: loaded.metadata.actor,
      ...(loaded.metadata.onBehalfOf !== undefined && { onBehalfOf: loaded.metadata.onBehalfOf }),
      cause: loaded.metadata.cause,
      ...(loaded.reason !== undefined && { reason: loaded.reason }),
      changes: difference(fieldsOf(state), fieldsOf(next)),
      position: loaded.position,
    };
    state = next;
    return version;
  });
}

function fieldsOf(state: MemoryState): Record<string, JsonValue> {
  if (state.status !== 'active' && state.status !== 'deleted') return {};
  const { id: _, claim: __, createdBy: ___, ...fields } = state.value;
  return { ...(fields as Record<string, JsonValue>), state: state.status };
}

function difference(before: Record<string, JsonValue>, after: Record<string, JsonValue>): Version['changes'] {
  const changes: Record<string, { from?: JsonValue; to?: JsonValue }> = {};
  for (const field of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [from, to] = [before[field], after[field]];
    if (canonicalJson(from) === canonicalJson(to)) continue;
    changes[field] = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  }
  return changes;
}
