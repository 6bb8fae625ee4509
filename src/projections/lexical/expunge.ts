import type { MemoryEvent } from '../../domain/memory/events.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import type { Tables } from '../projection.ts';
import { nothing, statement, type Write } from '../write.ts';
import { isErased } from './text-changes.ts';

/** Holds a row while an erasure has left words in the files of the lexical index. */
export const expungeTable = 'lexical_expunge';

/** No tenant's rows: hidden from the query role. */
export function createExpunge(tables: Tables): string[] {
  return [
    `create table ${tables(expungeTable)} (
      one boolean primary key default true,
      erasures bigint not null,
      due timestamptz not null
    )`,
  ];
}

/** How long erasures are gathered: taking them out may rewrite the whole index. */
const gatherSeconds = 10;

/** In the transaction of their batch: what is to be taken out of the files survives a crash. */
export function noteErasures(facts: readonly LoadedEvent<MemoryEvent>[], tables: Tables): Write {
  const erasures = facts.filter(isErased).length;
  if (erasures === 0) return nothing;
  return statement(
    `insert into ${tables(expungeTable)} as e (erasures, due) values ($1, now() + make_interval(secs => $2))
     on conflict (one) do update set erasures = e.erasures + excluded.erasures`,
    [erasures, gatherSeconds],
  );
}

/** Takes the work over for so long, so that one process does it; undefined where there is none, or it is not due yet. */
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

/** What was claimed is done; erasures that came meanwhile stay to be done. */
export async function settleExpunge(sql: SqlExecutor, tables: Tables, erasures: number): Promise<void> {
  await sql.query(`delete from ${tables(expungeTable)} where erasures = $1`, [erasures]);
}

/** What was claimed has failed: it is due again after so long. */
export async function postponeExpunge(sql: SqlExecutor, tables: Tables, seconds: number): Promise<void> {
  await sql.query(`update ${tables(expungeTable)} set due = now() + make_interval(secs => $1)`, [seconds]);
}
