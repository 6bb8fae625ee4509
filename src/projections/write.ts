import type { SqlExecutor, SqlValue } from '../ports/sql.ts';
import { allDone } from './all-done.ts';
import type { Recordset } from './recordset.ts';

/**
 * What a transaction writes, made before it begins: while one is open on a database of one connection, everybody else
 * waits, and the database for whoever has still to make rows.
 */
export type Write = (tx: SqlExecutor) => Promise<unknown>;

export const nothing: Write = () => Promise.resolve();

export function statement(text: string, params: readonly SqlValue[]): Write {
  return (tx) => tx.query(text, params);
}

/** Rows into `table`, which `conflict` names `t`. Nothing where there are none. */
export function insert(table: string, set: Recordset, rows: readonly object[], conflict = ''): Write {
  if (rows.length === 0) return nothing;
  return statement(
    `insert into ${table} as t (${set.names}) select ${set.names} from ${set.as('added')} ${conflict}`,
    set.bind(rows),
  );
}

/** The rows out of `table` that have these keys, where they meet `condition` on `t`. Nothing where there are no keys. */
export function remove(table: string, keys: Recordset, rows: readonly object[], condition = 'true'): Write {
  if (rows.length === 0) return nothing;
  return statement(
    `delete from ${table} t using ${keys.as('gone')} where ${keys.equal('t', 'gone')} and ${condition}`,
    keys.bind(rows),
  );
}

/** Sent one behind the other, without waiting for answers in between. */
export function together(...writes: readonly Write[]): Write {
  return (tx) => allDone(writes.map((write) => write(tx)));
}
