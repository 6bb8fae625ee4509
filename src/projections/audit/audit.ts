import { eventDefinitions, type EventType, type StratalogEvent } from '../../domain/events/registry.ts';
import { FactClaimed } from '../../domain/memory/affirmation.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { Table, type Row, type Tables } from '../../read-models/table.ts';
import { declaredBy, type Projection } from '../projection.ts';
import { insertRows, together, type Write } from '../write.ts';

const places = new Table('audit', {
  columns: {
    tenant: 'text',
    position: 'bigint',
    stream: 'text',
    revision: 'integer',
    type: 'text',
    actor: 'text',
    time: 'timestamptz',
  },
  key: ['tenant', 'position'],
});

const named = new Table('audit_memories', {
  columns: { tenant: 'text', memory_id: 'text', position: 'bigint' },
  key: ['tenant', 'memory_id', 'position'],
});

/**
 * The place of each event of a tenant in the log with the attributes that auditors filter by, and a row for each memory that the event
 * names. The event itself is read from the log.
 */
export const audit: Projection = {
  name: 'audit',
  version: 2,
  handles: [...eventDefinitions.keys()] as EventType[],
  ...declaredBy(places, named),
  plan: (events, _, tables) => Promise.resolve(plan(events, tables)),
  holds: { nothing: 'who did what to which memory, never its content' },
};

function plan(events: readonly LoadedEvent[], tables: Tables): Write {
  return together(
    insertRows(tables, places, events.map(placeOf)),
    insertRows(tables, named, events.flatMap(namedBy)),
  );
}

function placeOf({ event, metadata, position, stream, revision, time }: LoadedEvent): Row<typeof places> {
  const { tenant, actor } = metadata;
  return { tenant, position, stream, revision, type: event.type, actor, time };
}

function namedBy({ event, metadata, position }: LoadedEvent): Row<typeof named>[] {
  return memoriesOf(event).map((memoryId) => ({ tenant: metadata.tenant, memory_id: memoryId, position }));
}

/**
 * The memories that an event names. For a search, a separate event names the memories that it returned. The claim of a fact is left out
 * of the events of its memory: nearly every memory has one, which says no more than that it was stored.
 */
function memoriesOf({ type, data }: StratalogEvent): string[] {
  if (type === FactClaimed.type) return [];
  const { memoryId, memoryIds = [], source, target } = data as Partial<Naming>;
  return [...new Set([memoryId, source, target, ...memoryIds])].filter((id): id is string => Boolean(id));
}

/** The fields by which events name memories. */
interface Naming {
  readonly memoryId: string;
  readonly memoryIds: readonly string[];
  readonly source: string;
  readonly target: string;
}
