import { eventDefinitions, type EventType } from '../../domain/events/registry.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import { digestOf, protect, type Projection, type Tables } from '../projection.ts';

/** Where each event of a tenant stands in the log, by what auditors ask for. The event itself is read from the log. */
export const audit: Projection = {
  name: 'audit',
  version: 1,
  handles: [...eventDefinitions.keys()] as EventType[],
  tables: ['audit'],
  create: (tables) => [
    `create table ${tables('audit')} (
      tenant text not null,
      position bigint not null,
      stream text not null,
      revision integer not null,
      type text not null,
      actor text not null,
      memory_id text,
      time timestamptz not null,
      primary key (tenant, position)
    )`,
    `create index on ${tables('audit')} (tenant, memory_id, position) where memory_id is not null`,
    ...protect(tables('audit')),
  ],
  apply,
  digest: (tables) =>
    digestOf(tables('audit'), ['tenant', 'position', 'stream', 'revision', 'type', 'actor', 'memory_id']),
};

async function apply(events: readonly LoadedEvent[], tx: SqlExecutor, tables: Tables): Promise<void> {
  const rows = events.map(({ event, metadata, position, stream, revision, time }) => {
    const { memoryId, source } = event.data as { memoryId?: string; source?: string };
    const memory = memoryId || source;
    return {
      tenant: metadata.tenant,
      position,
      stream,
      revision,
      type: event.type,
      actor: metadata.actor,
      ...(memory !== undefined && { memory_id: memory }),
      time,
    };
  });
  await tx.query(
    `insert into ${tables('audit')} select * from jsonb_populate_recordset(null::${tables('audit')}, $1::text::jsonb)`,
    [JSON.stringify(rows)],
  );
}
