import type { MemoryEvent } from '../../domain/memory/events.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import type { Tables } from '../projection.ts';
import { scopeColumnNames, scopeColumns } from '../scope-columns.ts';
import { turnColumnNames, turnColumns } from './turn.ts';
import { keyOf, type TextChange, type TextRow } from './text-changes.ts';

export function createTextRows(tables: Tables): string[] {
  return [
    `create table ${tables('lexical')} (
    tenant text not null,
    memory_id uuid not null,
    revision integer not null,
    ${scopeColumns},
    body text,
    shelved text,
    counts jsonb not null,
    length integer not null,
    ${turnColumns},
    primary key (tenant, memory_id)
  )`,
    `create index on ${tables('lexical')} (tenant, session_key, said_at, position) where session_key is not null`,
  ];
}

const columns = [
  'tenant',
  'memory_id',
  'revision',
  ...scopeColumnNames,
  'body',
  'shelved',
  'counts',
  'length',
  ...turnColumnNames,
].join(', ');

interface StoredRow extends Record<string, unknown> {
  tenant: string;
  memory_id: string;
  revision: number;
  body: string | null;
  shelved: string | null;
  counts: Record<string, number>;
  length: number;
  session_key: string | null;
  said_at: Date | null;
  position: number | null;
  attributed: string | null;
  labelled: string | null;
  occurred_at: Date | null;
}

/** The rows of the memories that `facts` tell of, as they stand; but for those that the facts themselves make. */
export async function loadTextRows(
  facts: readonly LoadedEvent<MemoryEvent>[],
  executor: SqlExecutor,
  tables: Tables,
): Promise<ReadonlyMap<string, TextRow>> {
  const wanted = facts
    .filter(({ event }) => event.type !== 'MemoryStored')
    .map(({ event, metadata }) => ({ tenant: metadata.tenant, memory_id: event.data.memoryId }));
  const rows = new Map<string, TextRow>();
  if (wanted.length === 0) return rows;
  const found = await executor.query<StoredRow>(
    `select distinct on (l.tenant, l.memory_id) l.* from jsonb_to_recordset($1::text::jsonb) as wanted(tenant text, memory_id uuid)
     join ${tables('lexical')} l using (tenant, memory_id)`,
    [JSON.stringify(wanted)],
  );
  for (const row of found) rows.set(keyOf(row.tenant, row.memory_id), textRowOf(row));
  return rows;
}

function textRowOf({ body, shelved, said_at, occurred_at, ...row }: StoredRow): TextRow {
  return {
    ...row,
    ...(body !== null && { body }),
    ...(shelved !== null && { shelved }),
    session_key: row.session_key ?? undefined,
    said_at: said_at?.toISOString(),
    position: row.position ?? undefined,
    attributed: row.attributed ?? undefined,
    labelled: row.labelled ?? undefined,
    occurred_at: occurred_at?.toISOString(),
  };
}

export async function writeTextRows(
  changes: readonly TextChange[],
  tx: SqlExecutor,
  tables: Tables,
): Promise<void> {
  const written = changes.flatMap(({ row }) => row ?? []);
  const gone = changes
    .filter(({ row }) => row === undefined)
    .map(({ tenant, memoryId }) => ({ tenant, memory_id: memoryId }));
  if (written.length > 0) {
    await tx.query(
      `insert into ${tables('lexical')} (${columns})
       select ${columns} from jsonb_populate_recordset(null::${tables('lexical')}, $1::text::jsonb)
       on conflict (tenant, memory_id) do update
       set revision = excluded.revision, body = excluded.body, shelved = excluded.shelved, counts = excluded.counts,
         length = excluded.length, attributed = excluded.attributed, labelled = excluded.labelled`,
      [JSON.stringify(written)],
    );
  }
  if (gone.length > 0) {
    await tx.query(
      `delete from ${tables('lexical')} l using jsonb_to_recordset($1::text::jsonb) as gone(tenant text, memory_id uuid)
       where l.tenant = gone.tenant and l.memory_id = gone.memory_id`,
      [JSON.stringify(gone)],
    );
  }
}
