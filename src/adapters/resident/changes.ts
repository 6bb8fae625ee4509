import type { Sql, SqlExecutor } from '../../ports/sql.ts';

/** The rows of one tenant in one table of a read model. */
export interface RowSet {
  readonly tenant: string;
  readonly table: string;
}

/** The part of a memory's row that is cached. */
export interface KeptRow {
  readonly memory_id: string;
}

/** What to read of each row; `k` is the table in both expressions. */
export interface Selection {
  readonly columns: string;
  /** Whether there is anything to cache. */
  readonly condition: string;
  /** Whether the columns are aggregates over the several rows that a memory has. */
  readonly isGrouped?: boolean | undefined;
  /** Number of rows read at a time, so that the only connection is free again after some milliseconds. */
  readonly pageSize: number;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly isLast: boolean;
}

interface Changes<Row> extends Page<Row> {
  /** Number of the last change; undefined if there is none. */
  readonly last: number | undefined;
  readonly removed: readonly string[];
}

const events = [
  ['insert', 'new'],
  ['update', 'new'],
  ['delete', 'old'],
] as const;

/** The channel that announces changes of one kind of rows. */
export function changesChannel(kind: string): string {
  return `noted_${kind}`;
}

/** Starts to record every change of the table's rows in `read.noted_changes`, in the transaction that makes the change. */
export function recordChanges(sql: Sql, kind: string, table: string): Promise<void> {
  const triggers = events.map(
    ([event, rows]) =>
      `create or replace trigger note_${event} after ${event} on ${table}
       referencing ${rows} table as changed for each statement execute function read.note_changes('${kind}')`,
  );
  return sql.execute(triggers.join(';\n'));
}

/** Reverts `recordChanges`. */
export function ignoreChanges(sql: Sql, table: string): Promise<void> {
  return sql.execute(events.map(([event]) => `drop trigger if exists note_${event} on ${table}`).join(';\n'));
}

/** The tables whose changes are recorded for one kind of rows, also those that an earlier process recorded. */
export async function recordedTables(executor: SqlExecutor, kind: string): Promise<string[]> {
  const rows = await executor.query<{ name: string }>(
    `select distinct format('%s.%s', n.nspname, c.relname) as name
     from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
     where t.tgname = any ($1) and encode(t.tgargs, 'escape') = $2 || '\\000'`,
    [events.map(([event]) => `note_${event}`), kind],
  );
  return rows.map(({ name }) => name);
}

/** Number of the last recorded change of one kind; 0 if there is none. */
export async function lastChange(executor: SqlExecutor, kind: string): Promise<number> {
  const [row] = await executor.query<{ last: number }>(
    `select coalesce(max(number), 0) as last from read.noted_changes where kind = $1`,
    [kind],
    { onePlan: true },
  );
  return row!.last;
}

/** The sets that have changes up to the number `until`. */
export async function changedSets(executor: SqlExecutor, kind: string, until: number): Promise<RowSet[]> {
  return executor.query<RowSet & Record<string, unknown>>(
    `select distinct 'read.' || kept as table, tenant from read.noted_changes where kind = $1 and number <= $2`,
    [kind, until],
  );
}

export async function forgetChanges(executor: SqlExecutor, kind: string, until: number): Promise<void> {
  await executor.query(`delete from read.noted_changes where kind = $1 and number <= $2`, [kind, until]);
}

/** A page of the rows of a set, ordered by memory id, after the id `after`. */
export async function readRows<Row extends KeptRow>(
  executor: SqlExecutor,
  { table, tenant }: RowSet,
  { columns, condition, isGrouped, pageSize }: Selection,
  after: string,
): Promise<Page<Row>> {
  const rows = await executor.query<Row & Record<string, unknown>>(
    `select k.memory_id, ${columns} from ${table} k
     where k.tenant = $1 and k.memory_id > $2 and ${condition}
     ${isGrouped ? 'group by k.memory_id' : ''} order by k.memory_id limit ${pageSize}`,
    [tenant, after],
  );
  return { rows, isLast: rows.length < pageSize };
}

/** A page of the memories of a set that changed after the change numbered `after`, as they are now. */
export async function readChanges<Row extends KeptRow>(
  executor: SqlExecutor,
  { table, tenant }: RowSet,
  { columns, condition, isGrouped, pageSize }: Selection,
  after: number,
): Promise<Changes<Row>> {
  const rows = await executor.query<Row & { number: number; there: true | null }>(
    `select changed.number, changed.memory_id, kept.*
     from (
       select memory_id, max(number) as number from read.noted_changes
       where kept = $1 and tenant = $2 and number > $3 group by memory_id order by number limit ${pageSize}
     ) changed
     left join lateral (
       select true as there, ${columns} from ${table} k
       where k.tenant = $2 and k.memory_id = changed.memory_id and ${condition}
       ${isGrouped ? 'group by k.memory_id' : ''} limit 1
     ) kept on true
     order by changed.number`,
    [table.replace('read.', ''), tenant, after],
  );
  return {
    last: rows.at(-1)?.number,
    isLast: rows.length < pageSize,
    rows: rows.filter(({ there }) => there),
    removed: rows.filter(({ there }) => !there).map((row) => row.memory_id),
  };
}
