import type { MemoryEvent } from '../../domain/memory/events.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import { Table, type Row, type Tables } from '../../read-models/table.ts';
import { rowsOf } from '../memory-rows.ts';
import { scopeColumnNames, scopeColumns } from '../scope-columns.ts';
import { removeRows, together, upsert, type Write } from '../write.ts';
import { turnColumns } from './turn.ts';
import type { TextChange } from './text-changes.ts';

/** The column type of the term counts. Writing `text` takes a quarter of the time; it suits variants whose statements rarely read them. */
export type CountsType = 'text' | 'json';

/** The table of texts by the type of its counts. */
export const textTables = { text: textTable('text'), json: textTable('json') } as const;

/**
 * A text is in `body` while its memory is active, in `shelved` while it is deleted. `revision` is that of the event that last changed,
 * deleted or restored it.
 */
function textTable(counts: CountsType) {
  return new Table('lexical', {
    columns: {
      tenant: 'text',
      memory_id: 'uuid',
      revision: 'integer',
      ...scopeColumns,
      body: 'text?',
      shelved: 'text?',
      counts,
      length: 'integer',
      passage_terms: `${counts}?`,
      passage_lengths: 'text?',
      ...turnColumns,
    } as const,
    key: ['tenant', 'memory_id'],
    collations: { session_key: 'C' },
    indexes: ['(tenant, session_key, said_at, position) where session_key is not null'],
    undigested: scopeColumnNames,
  });
}

export type TextRow = Row<typeof textTables.text>;

/** The columns for reading, with counts as text whatever their type. */
const stored = Object.keys(textTables.text.columns)
  .map((name) => (name === 'counts' || name === 'passage_terms' ? `t.${name}::text` : `t.${name}`))
  .join(', ');

/** The current rows of the memories that `facts` change. Memories that are stored by `facts` are not looked up. */
export function loadTextRows(
  facts: readonly LoadedEvent<MemoryEvent>[],
  executor: SqlExecutor,
  tables: Tables,
): Promise<ReadonlyMap<string, TextRow>> {
  return rowsOf(facts, executor, tables, textTables.text, stored);
}

/** The texts of rows by `memoryKey`; with `containing`, only of those whose texts contain it. */
export async function loadBodies(
  facts: readonly LoadedEvent<MemoryEvent>[],
  executor: SqlExecutor,
  tables: Tables,
  containing?: string,
): Promise<ReadonlyMap<string, string>> {
  const body = 'coalesce(t.body, t.shelved)';
  const wanted =
    containing === undefined ? body : `case when strpos(${body}, '${containing}') > 0 then ${body} end`;
  const columns = `t.tenant, t.memory_id, ${wanted} as body`;
  const rows = await rowsOf(facts, executor, tables, textTables.text, columns);
  return new Map([...rows].flatMap(([key, { body }]) => (body == null ? [] : [[key, body] as const])));
}

export function writeTextRows(changes: readonly TextChange[], tables: Tables, counts: CountsType): Write {
  const rows = changes.flatMap(({ row }) => row ?? []);
  const gone = changes
    .filter(({ row }) => row === undefined)
    .map(({ tenant, memoryId }) => ({ tenant, memory_id: memoryId }));
  return together(upsert(tables, textTables[counts], rows), removeRows(tables, textTables[counts], gone));
}
