import type { MemoryEvent } from '../../domain/memory/events.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import type { Tables } from '../../read-models/table.ts';
import { rowsOf } from '../memory-rows.ts';
import { memoryKeys, Recordset } from '../../read-models/recordset.ts';
import { scopeColumns, scopeColumnTypes } from '../scope-columns.ts';
import { insert, remove, together, type Write } from '../write.ts';
import { turnColumns, turnColumnTypes } from './turn.ts';
import type { TextChange, TextRow } from './text-changes.ts';

/** The column type of the term counts. Writing `text` takes a quarter of the time; it suits variants whose statements rarely read them. */
export type CountsType = 'text' | 'jsonb';

export function createTextRows(tables: Tables, counts: CountsType): string[] {
  return [
    `create table ${tables('lexical')} (
    tenant text not null,
    memory_id uuid not null,
    revision integer not null,
    ${scopeColumns},
    body text,
    shelved text,
    counts ${counts} not null,
    length integer not null,
    passage_terms ${counts},
    passage_lengths text,
    ${turnColumns},
    primary key (tenant, memory_id)
  )`,
    `create index on ${tables('lexical')} (tenant, session_key, said_at, position) where session_key is not null`,
  ];
}

const columns = {
  tenant: 'text',
  memory_id: 'uuid',
  revision: 'integer',
  ...scopeColumnTypes,
  body: 'text',
  shelved: 'text',
  counts: 'text',
  length: 'integer',
  passage_terms: 'text',
  passage_lengths: 'text',
  ...turnColumnTypes,
} as const;
const written = {
  text: new Recordset(columns),
  jsonb: new Recordset({ ...columns, counts: 'json', passage_terms: 'json' }),
};

/** The columns for reading, with counts as text whatever their type. */
const stored = Object.keys(columns)
  .map((name) => (name === 'counts' || name === 'passage_terms' ? `r.${name}::text` : `r.${name}`))
  .join(', ');

interface StoredRow extends Record<string, unknown> {
  tenant: string;
  memory_id: string;
  revision: number;
  body: string | null;
  shelved: string | null;
  counts: string;
  length: number;
  passage_terms: string | null;
  passage_lengths: string | null;
  session_key: string | null;
  said_at: Date | null;
  position: number | null;
  attributed: string | null;
  labelled: string | null;
  occurred_at: Date | null;
}

/** The current rows of the memories that `facts` change. Memories that are stored by `facts` are not looked up. */
export async function loadTextRows(
  facts: readonly LoadedEvent<MemoryEvent>[],
  executor: SqlExecutor,
  tables: Tables,
): Promise<ReadonlyMap<string, TextRow>> {
  const found = await rowsOf<StoredRow>(facts, executor, tables('lexical'), stored);
  return new Map([...found].map(([key, row]) => [key, textRowOf(row)]));
}

function textRowOf({ body, shelved, said_at, occurred_at, ...row }: StoredRow): TextRow {
  return {
    ...row,
    ...(body !== null && { body }),
    ...(shelved !== null && { shelved }),
    passage_terms: row.passage_terms ?? undefined,
    passage_lengths: row.passage_lengths ?? undefined,
    session_key: row.session_key ?? undefined,
    said_at: said_at?.toISOString(),
    position: row.position ?? undefined,
    attributed: row.attributed ?? undefined,
    labelled: row.labelled ?? undefined,
    occurred_at: occurred_at?.toISOString(),
  };
}

export function writeTextRows(changes: readonly TextChange[], tables: Tables, counts: CountsType): Write {
  const rows = changes.flatMap(({ row }) => row ?? []);
  const gone = changes
    .filter(({ row }) => row === undefined)
    .map(({ tenant, memoryId }) => ({ tenant, memory_id: memoryId }));
  return together(
    insert(
      tables('lexical'),
      written[counts],
      rows,
      `on conflict (tenant, memory_id) do update
       set revision = excluded.revision, body = excluded.body, shelved = excluded.shelved, counts = excluded.counts,
         length = excluded.length, passage_terms = excluded.passage_terms, passage_lengths = excluded.passage_lengths,
         attributed = excluded.attributed, labelled = excluded.labelled`,
    ),
    remove(tables('lexical'), memoryKeys, gone),
  );
}
