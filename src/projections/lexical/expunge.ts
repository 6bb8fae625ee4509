import type { MemoryEvent } from '../../domain/memory/events.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import type { Tables } from '../../read-models/table.ts';
import { nothing, statement, type Write } from '../write.ts';
import { isErased } from './text-changes.ts';

/** A table that has a row while the files of the lexical index still contain words of erased memories. */
export const expungeTable = 'lexical_expunge';

/** Creates the table. Its rows belong to no tenant, so the query role cannot read it. */
export function createExpunge(tables: Tables): string[] {
  return [
    `create table ${tables(expungeTable)} (
      one boolean primary key default true,
      erasures bigint not null,
      due timestamptz not null
    )`,
  ];
}

/** How long erasures are collected: expunging may rewrite the whole index. */
const collectSeconds = 10;

/** Notes the erasures of a batch, in its transaction, so that pending work survives a crash. */
export function noteErasures(facts: readonly LoadedEvent<MemoryEvent>[], tables: Tables): Write {
  const erasures = facts.filter(isErased).length;
  if (erasures === 0) return nothing;
  return statement(
    `insert into ${tables(expungeTable)} as e (erasures, due) values ($1, now() + make_interval(secs => $2))
     on conflict (one) do update set erasures = e.erasures + excluded.erasures`,
    [erasures, collectSeconds],
  );
}

/** Claims the work for some seconds, so that one process does it. Undefined if there is none, or it is not due yet. */
export async function claimExpunge(
  sql: SqlExecutor,
  tables: Tables,
  seconds: number,
): Promise<number | undefined> {
  const [row] = await sql.query<{ erasures: number }>(
    `update ${tables(expungeTable)} set due = now() + make_interval(secs => $1) where due <= now() returning erasures`,
    [seconds],
  );
  return row?.erasures;
}

/** Marks the claimed work as done, unless more erasures were added meanwhile. */
export async function settleExpunge(sql: SqlExecutor, tables: Tables, erasures: number): Promise<void> {
  await sql.query(`delete from ${tables(expungeTable)} where erasures = $1`, [erasures]);
}

/** Makes claimed work that failed due again after some seconds. */
export async function postponeExpunge(sql: SqlExecutor, tables: Tables, seconds: number): Promise<void> {
  await sql.query(`update ${tables(expungeTable)} set due = now() + make_interval(secs => $1)`, [seconds]);
}
