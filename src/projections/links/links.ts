import type { LinkEvent } from '../../domain/links/links.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import { digestOf, protect, type Projection, type Tables } from '../projection.ts';

/** Typed links between memories, found from both ends. */
export const links: Projection = {
  name: 'links',
  version: 1,
  handles: ['MemoriesLinked', 'MemoriesUnlinked'],
  tables: ['links'],
  create: (tables) => [
    `create table ${tables('links')} (
      tenant text not null,
      source uuid not null,
      target uuid not null,
      type text not null,
      confidence double precision not null,
      primary key (tenant, source, target, type)
    )`,
    `create index on ${tables('links')} (tenant, target)`,
    ...protect(tables('links')),
  ],
  apply,
  digest: (tables) => digestOf(tables('links'), ['tenant', 'source', 'target', 'type', 'confidence']),
};

async function apply(events: readonly LoadedEvent[], tx: SqlExecutor, tables: Tables): Promise<void> {
  const last = new Map<string, { tenant: string } & LinkEvent['data'] & { linked: boolean }>();
  for (const { event, metadata } of events as readonly LoadedEvent<LinkEvent>[]) {
    const { source, target, type } = event.data;
    const linked = event.type === 'MemoriesLinked';
    last.set(`${metadata.tenant} ${source} ${target} ${type}`, {
      tenant: metadata.tenant,
      ...event.data,
      linked,
    });
  }
  const rows = [...last.values()];
  await tx.query(
    `delete from ${tables('links')} l
     using jsonb_to_recordset($1::text::jsonb) as gone(tenant text, source uuid, target uuid, type text, linked boolean)
     where not gone.linked and (l.tenant, l.source, l.target, l.type) = (gone.tenant, gone.source, gone.target, gone.type)`,
    [JSON.stringify(rows)],
  );
  await tx.query(
    `insert into ${tables('links')} (tenant, source, target, type, confidence)
     select tenant, source, target, type, confidence
     from jsonb_to_recordset($1::text::jsonb)
       as n(tenant text, source uuid, target uuid, type text, confidence double precision, linked boolean)
     where linked
     on conflict (tenant, source, target, type) do update set confidence = excluded.confidence`,
    [JSON.stringify(rows)],
  );
}
