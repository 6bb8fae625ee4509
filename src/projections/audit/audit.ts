import { eventDefinitions, type EventType, type StratalogEvent } from '../../domain/events/registry.ts';
import { FactClaimed } from '../../domain/memory/affirmation.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import type { Row, SqlExecutor } from '../../ports/sql.ts';
import { digestOf, digestOfAll } from '../../read-models/digest.ts';
import type { Projection } from '../projection.ts';
import { protect, type Tables } from '../../read-models/table.ts';
import { Recordset } from '../../read-models/recordset.ts';
import { insert, together, type Write } from '../write.ts';

const placeColumns = {
  tenant: 'text',
  position: 'bigint',
  stream: 'text',
  revision: 'integer',
  type: 'text',
  actor: 'text',
  time: 'timestamptz',
} as const;

const namedColumns = { tenant: 'text', memory_id: 'text', position: 'bigint' } as const;

/**
 * The place of each event of a tenant in the log with the attributes that auditors filter by, and a row for each memory that the event
 * names. The event itself is read from the log.
 */
export const audit: Projection = {
  name: 'audit',
  version: 2,
  handles: [...eventDefinitions.keys()] as EventType[],
  tables: ['audit', 'audit_memories'],
  create: (tables) => [
    `create table ${tables('audit')} (
      tenant text not null,
      position bigint not null,
      stream text not null,
      revision integer not null,
      type text not null,
      actor text not null,
      time timestamptz not null,
      primary key (tenant, position)
    )`,
    `create table ${tables('audit_memories')} (
      tenant text not null,
      memory_id text not null,
      position bigint not null,
      primary key (tenant, memory_id, position)
    )`,
    ...protect(tables('audit')),
    ...protect(tables('audit_memories')),
  ],
  plan,
  holds: { nothing: 'who did what to which memory, never its content' },
  digest: (tables) =>
    digestOfAll(digestOf(tables('audit'), placeColumns), digestOf(tables('audit_memories'), namedColumns)),
};

async function plan(events: readonly LoadedEvent[], _: SqlExecutor, tables: Tables): Promise<Write> {
  return together(
    insert(tables('audit'), places, events.map(placeOf)),
    insert(tables('audit_memories'), named, events.flatMap(namedBy)),
  );
}

const places = new Recordset(placeColumns);
const named = new Recordset(namedColumns);

function placeOf({ event, metadata, position, stream, revision, time }: LoadedEvent): Row {
  const { tenant, actor } = metadata;
  return { tenant, position, stream, revision, type: event.type, actor, time };
}

function namedBy({ event, metadata, position }: LoadedEvent): Row[] {
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
