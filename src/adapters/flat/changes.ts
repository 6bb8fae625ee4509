import type { Sql, SqlExecutor } from '../../ports/sql.ts';
import type { VectorSet } from '../../ports/vector-index.ts';

/** Wakes who follows the changes. */
export const changesChannel = 'vector_changes';

/** So many vectors are read at a time: the one connection is free again after some milliseconds. */
const pageSize = 500;

export interface Vectors {
  readonly ids: readonly string[];
  /** One behind the other. */
  readonly numbers: Float32Array;
}

export interface VectorPage extends Vectors {
  /** There are no more. */
  readonly isLast: boolean;
}

interface Changes {
  /** The number of the last of them, undefined where there is none. */
  readonly last: number | undefined;
  /** There are no more. */
  readonly isLast: boolean;
  readonly put: Vectors;
  readonly removed: readonly string[];
}

const kinds = [
  ['insert', 'new'],
  ['update', 'new'],
  ['delete', 'old'],
] as const;

/** From now on every change of the table's rows is noted in `read.vector_changes`, in the transaction that makes it. */
export function noteChanges(sql: Sql, table: string): Promise<void> {
  const triggers = kinds.map(
    ([kind, rows]) =>
      `create or replace trigger note_${kind} after ${kind} on ${table}
       referencing ${rows} table as changed for each statement execute function read.note_vector_changes()`,
  );
  return sql.execute(triggers.join(';\n'));
}

/** The number of the last change that was noted. */
export async function lastChange(executor: SqlExecutor): Promise<number> {
  const [row] = await executor.query<{ last: number }>(
    `select coalesce(max(number), 0) as last from read.vector_changes`,
  );
  return row!.last;
}

export async function forgetChanges(executor: SqlExecutor, until: number): Promise<void> {
  await executor.query(`delete from read.vector_changes where number <= $1`, [until]);
}

/** How many vectors a set has, and how many numbers each of them; 0 where there is none. */
export interface SetSize {
  readonly count: number;
  readonly dimension: number;
}

export async function sizeOf(executor: SqlExecutor, { table, tenant }: VectorSet): Promise<SetSize> {
  const [row] = await executor.query<SetSize>(
    `select count(*) as count, ${dimensionIn(table)} as dimension from ${table} where tenant = $1`,
    [tenant],
  );
  return row!;
}

/** Of the tenants with more vectors than `above` in a table, the largest first. */
export function sizesIn(
  executor: SqlExecutor,
  table: string,
  above: number,
): Promise<(SetSize & { readonly tenant: string })[]> {
  return executor.query(
    `select tenant, count(*) as count, ${dimensionIn(table)} as dimension from ${table}
     group by tenant having count(*) > $1 order by count(*) desc`,
    [above],
  );
}

/** Of all vectors of a table, which are of one model. */
function dimensionIn(table: string): string {
  return `coalesce((select vector_dims(embedding) from ${table} where embedding is not null limit 1), 0)`;
}

/** The vectors of a set by their memories' ids, those after `after`. */
export async function readVectors(
  executor: SqlExecutor,
  { table, tenant }: VectorSet,
  after: string,
): Promise<VectorPage> {
  const rows = await executor.query<{ memory_id: string; numbers: Uint8Array }>(
    `select memory_id, ${numbersOf('embedding')} as numbers from ${table}
     where tenant = $1 and memory_id > $2 and embedding is not null order by memory_id limit ${pageSize}`,
    [tenant, after],
  );
  return { ...joined(rows), isLast: rows.length < pageSize };
}

/** What the memories of a set have become that changed after the change numbered `after`, a page of them. */
export async function readChanges(
  executor: SqlExecutor,
  { table, tenant }: VectorSet,
  after: number,
): Promise<Changes> {
  const rows = await executor.query<{ number: number; memory_id: string; numbers: Uint8Array | null }>(
    `select changed.number, changed.memory_id, ${numbersOf('k.embedding')} as numbers
     from (
       select memory_id, max(number) as number from read.vector_changes
       where kept = $1 and tenant = $2 and number > $3 group by memory_id order by number limit ${pageSize}
     ) changed
     left join lateral (
       select embedding from ${table} k where k.tenant = $2 and k.memory_id = changed.memory_id limit 1
     ) k on true
     order by changed.number`,
    [table.replace('read.', ''), tenant, after],
  );
  return {
    last: rows.at(-1)?.number,
    isLast: rows.length < pageSize,
    put: joined(rows.filter(hasNumbers)),
    removed: rows.filter((row) => !hasNumbers(row)).map((row) => row.memory_id),
  };
}

/** As pgvector sends it in binary, without its header. */
function numbersOf(embedding: string): string {
  return `substring(vector_send(${embedding}) from 5)`;
}

function hasNumbers<R extends { readonly numbers: Uint8Array | null }>(
  row: R,
): row is R & { readonly numbers: Uint8Array } {
  return row.numbers !== null;
}

function joined(rows: readonly { readonly memory_id: string; readonly numbers: Uint8Array }[]): Vectors {
  const size = rows[0]?.numbers.length ?? 0;
  const bytes = Buffer.from(new ArrayBuffer(rows.length * size));
  rows.forEach((row, at) => bytes.set(row.numbers, at * size));
  // PostgreSQL sends the most significant byte first.
  bytes.swap32();
  return { ids: rows.map((row) => row.memory_id), numbers: new Float32Array(bytes.buffer) };
}
