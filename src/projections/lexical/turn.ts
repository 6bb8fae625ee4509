import { hash } from 'node:crypto';
import { scopeKeys, type Layer, type Scope } from '../../domain/layers.ts';
import { attributedSpeaker, labelledSpeaker } from '../../domain/ranking/speaker.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { MemoryEvent } from '../../domain/memory/events.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import type { RowOf } from '../../read-models/table.ts';

/**
 * The place of a memory among the turns of its session, and its speaker; outside of a session all but `occurred_at` is empty. `said_at`
 * is when it occurred, or was stored if that is unknown; the position of its first event orders equal times. `attributed` is the speaker
 * according to the metadata, `labelled` the one that the text names at its beginning.
 */
export const turnColumns = {
  session_key: 'text?',
  said_at: 'timestamptz?',
  position: 'bigint?',
  attributed: 'text?',
  labelled: 'text?',
  occurred_at: 'timestamptz?',
} as const;

export type Turn = RowOf<typeof turnColumns>;

const noTurn = {
  session_key: undefined,
  said_at: undefined,
  position: undefined,
  attributed: undefined,
  labelled: undefined,
} as const;

type Stored = Extract<MemoryEvent, { type: 'MemoryStored' }>;

export function turnOf({ event, metadata, position, time }: LoadedEvent<Stored>): Turn {
  const { layer, scope, content, metadata: about, occurredAt } = event.data;
  const occurred = occurredAt === undefined ? undefined : new Date(occurredAt);
  if (scope.session === undefined) return { ...noTurn, occurred_at: occurred };
  return {
    session_key: sessionKey(metadata.tenant, layer, scope),
    said_at: occurred ?? time,
    position,
    attributed: attributedSpeaker(about),
    labelled: labelledSpeaker(content),
    occurred_at: occurred,
  };
}

/** The changed speaker of a turn after an update of its metadata, its text, or both. */
export function updatedSpeaker(
  turn: Turn,
  {
    content,
    metadata,
  }: { readonly content?: string | undefined; readonly metadata?: JsonObject | undefined },
): Partial<Turn> {
  if (turn.session_key === undefined) return {};
  return {
    ...(metadata !== undefined && { attributed: attributedSpeaker(metadata) }),
    ...(content !== undefined && { labelled: labelledSpeaker(content) }),
  };
}

/**
 * A key that all memories in a session share which the same callers see. It contains tenant, layer and every identifier of the scope,
 * so a window contains no text that a reader of its turn may not read. It is hashed because identifiers are long.
 */
function sessionKey(tenant: string, layer: Layer, scope: Scope): string {
  const place = [tenant, layer, ...scopeKeys.map((key) => scope[key] ?? null)];
  return hash('sha256', JSON.stringify(place), 'base64url');
}
