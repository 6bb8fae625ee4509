import { nothing, type Write } from '../follow/handler.ts';
import type { SqlExecutor, SqlValue, StatementOptions } from '../ports/sql.ts';
import { allDone } from '../support/all-done.ts';
import type { Columns, Recordset } from '../read-models/recordset.ts';
import type { AnyTable, RowOf, Table, Tables } from '../read-models/table.ts';

export { nothing, type Write };

export function statement(text: string, params: readonly SqlValue[], options: StatementOptions = {}): Write {
  return (tx) => tx.query(text, params, options);
}

/** Rows are found by their keys, however many there are. */
const byKeys: StatementOptions = { onePlan: true };

/** Inserts rows into `table`, which `conflict` refers to as `t`. Does nothing without rows. */
export function insert(table: string, set: Recordset, rows: readonly object[], conflict = ''): Write {
  if (rows.length === 0) return nothing;
  return statement(
    `insert into ${table} as t (${set.names}) select ${set.names} from ${set.as('added')} ${conflict}`,
    set.bind(rows),
    byKeys,
  );
}

/** Deletes the rows of `table` that have these keys and meet `condition` on `t`. Does nothing without keys. */
export function remove(table: string, keys: Recordset, rows: readonly object[], condition = 'true'): Write {
  if (rows.length === 0) return nothing;
  return statement(
    `delete from ${table} t using ${keys.as('gone')} where ${keys.equal('t', 'gone')} and ${condition}`,
    keys.bind(rows),
    byKeys,
  );
}

/** Inserts rows of a table whose keys are new. Does nothing without rows. */
export function insertRows<Declared extends Columns>(
  tables: Tables,
  table: Table<Declared>,
  rows: readonly RowOf<Declared>[],
): Write {
  return insert(tables(table.name), table.rows, rows);
}

/** Inserts the rows, or replaces those that have the same key, or combines them as the table declares. Does nothing without rows. */
export function upsert<Declared extends Columns>(
  tables: Tables,
  table: Table<Declared>,
  rows: readonly RowOf<Declared>[],
): Write {
  return insert(tables(table.name), table.rows, rows, table.onConflict);
}

/** Deletes the rows that have these keys and meet `condition` on `t`. Does nothing without keys. */
export function removeRows(
  tables: Tables,
  table: AnyTable,
  keys: readonly object[],
  condition?: string,
): Write {
  return remove(tables(table.name), table.keys, keys, condition);
}

/** The rows that have these keys, in any order. `select` are their columns as SQL on `t`. */
export async function findRows<Declared extends Columns, Key extends keyof Declared & string>(
  executor: SqlExecutor,
  tables: Tables,
  table: Table<Declared, Key>,
  keys: readonly Readonly<Record<Key, unknown>>[],
  select = 't.*',
): Promise<RowOf<Declared>[]> {
  if (keys.length === 0) return [];
  const rows = await executor.query(
    `select ${select} from ${table.keys.as('wanted')} join ${tables(table.name)} t on ${table.keys.equal('t', 'wanted')}`,
    table.keys.bind(keys),
    byKeys,
  );
  return rows.map((row) => table.rowOf(row));
}

/** Sends all statements without waiting for results in between. */
export function together(...writes: readonly Write[]): Write {
  return (tx) => allDone(writes.map((write) => write(tx)));
}
