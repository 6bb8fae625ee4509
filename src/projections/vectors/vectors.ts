import { createHash } from 'node:crypto';
import type { MemoryEvent } from '../../domain/memory/events.ts';
import type { Embedder } from '../../ports/embedder.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import { protect, type PrepareContext, type Projection, type Tables } from '../projection.ts';
import { scopeColumns, scopeRow } from '../scope-columns.ts';
import { KeptVectors, keptTable, type VectorRow } from './kept-vectors.ts';

/** Vectors made for this batch, by text hash; the others are kept already. */
type Prepared = ReadonlyMap<string, Float32Array>;

/**
 * Which text of each memory has a vector, by generation. The vectors themselves, with their HNSW index, are kept
 * once for each model under the memory's revision: a rebuild walks over them and embeds only what is missing, and a
 * generation that lags behind cannot undo what a newer event wrote.
 */
export function vectors(embedder: Embedder): Projection<Prepared> {
  const { model } = embedder;
  const kept = new KeptVectors(model);
  return {
    name: 'vectors',
    version: 1,
    variant: model.id,
    batchSize: 8,
    // Where the vectors are kept a slice costs little; where they are not, each takes milliseconds to index.
    rebuildBatchSize: 256,
    handles: ['MemoryStored', 'MemoryUpdated', 'MemoryDeleted', 'MemoryRestored', 'MemoryErased'],
    tables: ['vectors'],
    create: (tables) => [
      `create table ${tables('vectors')} (
        tenant text not null,
        memory_id uuid not null,
        revision integer not null,
        ${scopeColumns},
        text_hash text not null,
        active boolean not null,
        primary key (tenant, memory_id)
      )`,
      ...protect(tables('vectors')),
      ...kept.create(),
    ],
    prepare: (events, context) =>
      embedMissing(embedder, kept, events as readonly LoadedEvent<MemoryEvent>[], context),
    apply: (events, tx, tables, made) =>
      apply(kept, events as readonly LoadedEvent<MemoryEvent>[], tx, tables, made),
    // Tells also whether the kept vector is the one that this generation means.
    digest: (tables) => `
      select count(*)::text || ':' || coalesce(sum(('x' || substr(md5(concat_ws('|', v.tenant, v.memory_id, v.revision, v.text_hash, v.active,
        coalesce(k.text_hash = v.text_hash and (k.embedding is not null) = v.active, false))), 1, 15))::bit(60)::bigint), 0)::text as digest
      from ${tables('vectors')} v left join ${keptTable(model)} k using (tenant, memory_id)`,
  };
}

/** Names a text: a vector is used for this text and this model only. */
export function textHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

async function embedMissing(
  embedder: Embedder,
  kept: KeptVectors,
  events: readonly LoadedEvent<MemoryEvent>[],
  { sql }: PrepareContext,
): Promise<Prepared> {
  const wanted = await kept.missing(sql, latestTexts(events));
  const texts = new Map(wanted.map(({ text }) => [textHash(text), text]));
  const made = await embedder.embed([...texts.values()], 'passage');
  return new Map([...texts.keys()].map((hash, index) => [hash, made[index]!]));
}

interface Text {
  readonly tenant: string;
  readonly memory_id: string;
  readonly revision: number;
  readonly text: string;
}

/** The last text of each memory in the batch: one that the batch itself replaces needs no vector. */
function latestTexts(events: readonly LoadedEvent<MemoryEvent>[]): Text[] {
  const wanted = new Map<string, Text>();
  for (const { event, metadata, revision, erased } of events) {
    const { tenant } = metadata;
    const key = `${tenant}/${event.data.memoryId}`;
    if (erased || event.type === 'MemoryErased') wanted.delete(key);
    else if (
      (event.type === 'MemoryStored' || event.type === 'MemoryUpdated') &&
      event.data.content !== undefined
    ) {
      wanted.set(key, { tenant, memory_id: event.data.memoryId, revision, text: event.data.content });
    }
  }
  return [...wanted.values()];
}

async function apply(
  kept: KeptVectors,
  events: readonly LoadedEvent<MemoryEvent>[],
  tx: SqlExecutor,
  tables: Tables,
  made: Prepared,
): Promise<void> {
  const before = await loadRows(events, tx, tables);
  const after = new Map<string, VectorRow | undefined>();
  for (const fact of events) {
    const key = `${fact.metadata.tenant}/${fact.event.data.memoryId}`;
    after.set(key, next(after.has(key) ? after.get(key) : before.get(key), fact));
  }
  const present = [...after.values()].filter((row) => row !== undefined);
  const gone = events
    .map(({ event, metadata }) => ({ tenant: metadata.tenant, memory_id: event.data.memoryId }))
    .filter(({ tenant, memory_id }) => after.get(`${tenant}/${memory_id}`) === undefined);
  const table = tables('vectors');
  if (present.length > 0) {
    await tx.query(
      `insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1::text::jsonb)
       on conflict (tenant, memory_id) do update
       set revision = excluded.revision, text_hash = excluded.text_hash, active = excluded.active`,
      [JSON.stringify(present)],
    );
    await kept.write(tx, present, made);
  }
  if (gone.length > 0) {
    await tx.query(
      `delete from ${table} v using jsonb_to_recordset($1::text::jsonb) as gone(tenant text, memory_id uuid)
       where v.tenant = gone.tenant and v.memory_id = gone.memory_id`,
      [JSON.stringify(gone)],
    );
    await kept.purge(tx, gone);
  }
}

function next(row: VectorRow | undefined, fact: LoadedEvent<MemoryEvent>): VectorRow | undefined {
  const { event, metadata, revision, erased } = fact;
  if (erased || event.type === 'MemoryErased') return undefined;
  switch (event.type) {
    case 'MemoryStored': {
      const { memoryId, layer, scope, content } = event.data;
      return {
        tenant: metadata.tenant,
        memory_id: memoryId,
        revision,
        ...scopeRow(layer, scope),
        text_hash: textHash(content),
        active: true,
      };
    }
    case 'MemoryUpdated':
      if (!row) return row;
      return event.data.content === undefined
        ? { ...row, revision }
        : { ...row, revision, text_hash: textHash(event.data.content) };
    case 'MemoryDeleted':
      return row && { ...row, revision, active: false };
    case 'MemoryRestored':
      return row && { ...row, revision, active: true };
    default:
      return event satisfies never;
  }
}

async function loadRows(
  events: readonly LoadedEvent<MemoryEvent>[],
  tx: SqlExecutor,
  tables: Tables,
): Promise<Map<string, VectorRow>> {
  const wanted = events
    .filter(({ event }) => event.type !== 'MemoryStored')
    .map(({ event, metadata }) => ({ tenant: metadata.tenant, memory_id: event.data.memoryId }));
  if (wanted.length === 0) return new Map();
  const rows = await tx.query<VectorRow & Record<string, unknown>>(
    `select distinct on (v.tenant, v.memory_id) v.* from jsonb_to_recordset($1::text::jsonb) as wanted(tenant text, memory_id uuid)
     join ${tables('vectors')} v using (tenant, memory_id)`,
    [JSON.stringify(wanted)],
  );
  return new Map(rows.map((row) => [`${row.tenant}/${row.memory_id}`, row]));
}
