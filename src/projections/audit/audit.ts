import { eventDefinitions, type EventType, type StratalogEvent } from '../../domain/events/registry.ts';
import { FactClaimed } from '../../domain/memory/affirmation.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { Table, type Row, type Tables } from '../../read-models/table.ts';
import { declaredBy, type Projection } from '../projection.ts';
import { auditPlaces, outcomeOf, placeOf } from './places.ts';
import { insertRows, together, type Write } from '../write.ts';

const events = new Table('audit', {
  columns: {
    tenant: 'text',
    position: 'bigint',
    stream: 'text',
    revision: 'integer',
    type: 'text',
    actor: 'text',
    time: 'timestamptz',
    outcome: 'text?',
  },
  key: ['tenant', 'position'],
});

const named = new Table('audit_memories', {
  columns: { tenant: 'text', memory_id: 'text', position: 'bigint' },
  key: ['tenant', 'memory_id', 'position'],
});

/**
 * The place of each event of a tenant in the log with the attributes that auditors filter by, a row for each memory that the event
 * names, and one for the place that it names. The event itself is read from the log.
 */
export const audit: Projection = {
  name: 'audit',
  version: 3,
  handles: [...eventDefinitions.keys()] as EventType[],
  ...declaredBy(events, named, auditPlaces),
  plan: (loaded, _, tables) => Promise.resolve(plan(loaded, tables)),
  holds: { nothing: 'who did what to which memory and where, never its content' },
};

function plan(loaded: readonly LoadedEvent[], tables: Tables): Write {
  return together(
    insertRows(tables, events, loaded.map(rowOf)),
    insertRows(tables, named, loaded.flatMap(namedBy)),
    insertRows(tables, auditPlaces, loaded.flatMap(placeOf)),
  );
}

function rowOf(loaded: LoadedEvent): Row<typeof events> {
  const { event, metadata, position, stream, revision, time } = loaded;
  const { tenant, actor } = metadata;
  const outcome = outcomeOf(loaded);
  return { tenant, position, stream, revision, type: event.type, actor, time, outcome };
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
