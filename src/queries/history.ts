import type { Cause, TenantContext } from '../domain/access/context.ts';
import { canonicalJson, type JsonValue } from '../domain/json.ts';
import { affirmationsAfter, neverAffirmed, type AffirmationEvent } from '../domain/memory/affirmation.ts';
import type { MemoryEvent } from '../domain/memory/events.ts';
import { evolve, hasValue, initialState, type MemoryState } from '../domain/memory/memory.ts';
import { affirmationsStream } from '../domain/streams.ts';
import type { EventStore } from '../ports/event-store.ts';
import { loadVisible, type WithheldAccess } from './get-memory.ts';

export interface Version {
  readonly revision: number;
  readonly type: MemoryEvent['type'] | AffirmationEvent['type'];
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

/** All versions of a memory and each time that it was told again, oldest first, with who did it, when and why. */
export async function readHistory(
  store: EventStore,
  caller: TenantContext,
  memoryId: string,
  withheld?: WithheldAccess,
): Promise<Version[]> {
  let state: MemoryState = initialState;
  let affirmations = neverAffirmed;
  let revision = 0;
  const { loaded: events } = await loadVisible(store, caller, memoryId, withheld);
  const affirmed = await store.load<AffirmationEvent>(affirmationsStream(caller.tenant, memoryId));
  const all = [...events, ...affirmed].sort((left, right) => left.position - right.position);
  return all.map((loaded) => {
    const { event, metadata } = loaded;
    const before = { ...fieldsOf(state), ...affirmations };
    if (event.type === 'MemoryAffirmed') affirmations = affirmationsAfter(event);
    else [state, revision] = [evolve(state, event), loaded.revision];
    return {
      revision,
      type: event.type,
      at: loaded.time,
      actor: metadata.actor,
      ...(metadata.onBehalfOf !== undefined && { onBehalfOf: metadata.onBehalfOf }),
      cause: metadata.cause,
      ...(loaded.reason !== undefined && { reason: loaded.reason }),
      changes: difference(before, { ...fieldsOf(state), ...affirmations }),
      position: loaded.position,
    };
  });
}

function fieldsOf(state: MemoryState): Record<string, JsonValue> {
  if (!hasValue(state)) return {};
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
