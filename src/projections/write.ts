import { nothing, type Write } from '../follow/handler.ts';
import type { SqlValue } from '../ports/sql.ts';
import { allDone } from '../support/all-done.ts';
import type { Recordset } from './recordset.ts';

export { nothing, type Write };

export function statement(text: string, params: readonly SqlValue[]): Write {
  return (tx) => tx.query(text, params);
}

/** Inserts rows into `table`, which `conflict` refers to as `t`. Does nothing without rows. */
export function insert(table: string, set: Recordset, rows: readonly object[], conflict = ''): Write {
  if (rows.length === 0) return nothing;
  return statement(
    `insert into ${table} as t (${set.names}) select ${set.names} from ${set.as('added')} ${conflict}`,
    set.bind(rows),
  );
}

/** Deletes the rows of `table` that have these keys and meet `condition` on `t`. Does nothing without keys. */
export function remove(table: string, keys: Recordset, rows: readonly object[], condition = 'true'): Write {
  if (rows.length === 0) return nothing;
  return statement(
    `delete from ${table} t using ${keys.as('gone')} where ${keys.equal('t', 'gone')} and ${condition}`,
    keys.bind(rows),
  );
}

/** Sends all statements without waiting for results in between. */
export function together(...writes: readonly Write[]): Write {
  return (tx) => allDone(writes.map((write) => write(tx)));
}
