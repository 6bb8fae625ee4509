import { expect } from 'vitest';
import type { LoadedEvent, LoadedPage } from '../../src/ports/event-store.ts';
import { Generation } from '../../src/projections/generation.ts';
import { tablesOf, type Projection } from '../../src/projections/projection.ts';
import { nothing, type Write } from '../../src/projections/write.ts';
import type { TestStore } from './event-store.ts';

/** Removes all events and read models. */
export async function startAfresh(test: TestStore): Promise<void> {
  await test.sql.query('truncate log.events');
  await dropReadModels(test);
}

/** Removes all read models, as if their tables were lost. */
export async function dropReadModels({ sql }: TestStore): Promise<void> {
  await sql.query(
    'truncate read.generations, read.generation_numbers, follow.checkpoints, read.active, read.refused_texts, follow.parked',
  );
  const tables = await sql.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname = 'read' and (tablename ~ '_g[0-9]+$' or tablename ~ '^(kept|passage)_')`,
  );
  if (tables.length > 0) await sql.query(`drop table ${tables.map(({ name }) => name).join(', ')}`);
}

/** All rows of all tables of the read models, as text with the table's name. */
export async function rowsOfReadModels({ sql }: TestStore): Promise<string[]> {
  const tables = await sql.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'read'`,
  );
  const dumps: string[] = [];
  for (const { name } of tables) {
    const rows = await sql.query<{ row: string }>(`select to_jsonb(t)::text as row from ${name} t`);
    dumps.push(...rows.map(({ row }) => `${name} ${row}`));
  }
  return dumps;
}

/** All events of the log after `after`, decrypted with the present keys. */
export async function eventsOf({ store }: TestStore, after = 0): Promise<readonly LoadedEvent[]> {
  const { events, unreadable } = await store.readAll({ after, limit: 10_000 });
  if (unreadable[0]) throw unreadable[0].error;
  return events;
}

let generations = 1_000;

/** What these events change in the tables of a generation, which exist; not written yet. */
export async function planned(
  { sql }: Pick<TestStore, 'sql'>,
  projection: Projection,
  generation: number,
  batch: readonly LoadedEvent[],
): Promise<Write> {
  const tables = tablesOf(generation);
  const events = batch.filter(({ event }) => (projection.handles as readonly string[]).includes(event.type));
  if (events.length === 0) return nothing;
  const prepared = await projection.prepare?.(events, { sql, tables, generation });
  return projection.plan(events, sql, tables, prepared);
}

/**
 * The digest of a read model after these batches. Without the runner there is no checkpoint, so events may come in another
 * order than in the log. Begins with an empty generation and removes it afterwards.
 */
export async function digestAfter(
  { sql }: Pick<TestStore, 'sql'>,
  projection: Projection,
  batches: readonly (readonly LoadedEvent[])[],
): Promise<string> {
  const number = ++generations;
  const tables = tablesOf(number);
  for (const statement of projection.create(tables)) await sql.query(statement);
  await projection.external?.create(number);
  const kept = `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'read' and tablename ~ '^kept_'`;
  for (const { name } of await sql.query<{ name: string }>(kept)) await sql.query(`truncate ${name}`);
  for (const batch of batches) await sql.transaction(await planned({ sql }, projection, number, batch));
  const digest = await new Generation(sql, projection, number).digest();
  for (const table of projection.tables) await sql.query(`drop table ${tables(table)}`);
  await projection.external?.drop(number);
  return digest;
}

/** Expects the same digest whether the events of the log are applied at once, one by one or in batches. Returns the digest. */
export async function expectSameInAnyDivision(test: TestStore, projection: Projection): Promise<string> {
  const handled = projection.handles as readonly string[];
  const events = (await eventsOf(test)).filter(({ event }) => handled.includes(event.type));
  expect(events.length).toBeGreaterThan(20);
  const digest = await digestAfter(test, projection, [events]);
  for (const size of [1, 7])
    expect(
      await digestAfter(
        test,
        projection,
        split(events, () => size),
      ),
      `batches of ${size}`,
    ).toBe(digest);
  return digest;
}

/** The rows of each table of a read model after these batches, in a fixed order. Begins and ends as `digestAfter` does. */
export async function rowsAfter(
  { sql }: Pick<TestStore, 'sql'>,
  projection: Projection,
  batches: readonly (readonly LoadedEvent[])[],
): Promise<Record<string, Record<string, unknown>[]>> {
  const number = ++generations;
  const tables = tablesOf(number);
  for (const statement of projection.create(tables)) await sql.query(statement);
  for (const batch of batches) await sql.transaction(await planned({ sql }, projection, number, batch));
  const rows: Record<string, Record<string, unknown>[]> = {};
  for (const table of projection.tables) {
    const all = await sql.query<{ row: Record<string, unknown> }>(
      `select to_jsonb(t) as row from ${tables(table)} t order by to_jsonb(t)::text`,
    );
    rows[table] = all.map(({ row }) => row);
    await sql.query(`drop table ${tables(table)}`);
  }
  return rows;
}

/** Advances a generation to the end of the log in pages of these sizes. */
export async function follow(
  { store }: TestStore,
  generation: Generation,
  sizes: () => number,
  onPage: (page: LoadedPage) => void = () => {},
): Promise<void> {
  let state = await generation.checkpoint();
  for (;;) {
    const page = await store.readAll({ after: state.position, limit: sizes() });
    if (page.scannedTo <= state.position) return;
    state = await generation.apply(page, state);
    onPage(page);
  }
}

/** Shuffles events but keeps the order within each stream. `choose(n)` returns a number below n. */
export function interleaved(
  events: readonly LoadedEvent[],
  choose: (n: number) => number,
): readonly LoadedEvent[] {
  const streams = new Map<string, LoadedEvent[]>();
  for (const event of events) {
    const queue = streams.get(event.stream) ?? [];
    queue.push(event);
    streams.set(event.stream, queue);
  }
  const queues = [...streams.values()];
  const mixed: LoadedEvent[] = [];
  while (queues.length > 0) {
    const at = choose(queues.length);
    mixed.push(queues[at]!.shift()!);
    if (queues[at]!.length === 0) queues.splice(at, 1);
  }
  return mixed;
}

export function split<T>(items: readonly T[], size: () => number): readonly (readonly T[])[] {
  const batches: T[][] = [];
  for (let at = 0; at < items.length;) {
    const next = at + size();
    batches.push(items.slice(at, next));
    at = next;
  }
  return batches;
}

/**
 * Expects the same rows and digest for another order of the streams and other batches, and no row that names one of the erased memories.
 * `choose` draws a number below its argument.
 */
export async function expectNoErasedRows(
  test: TestStore,
  projection: Projection,
  events: readonly LoadedEvent[],
  erased: readonly { readonly tenant: string; readonly memoryId: string }[],
  choose: (below: number) => number,
): Promise<void> {
  const expected = await rowsAfter(test, projection, [events]);
  const batches = split(interleaved(events, choose), () => 1 + choose(5));
  expect(await rowsAfter(test, projection, batches)).toEqual(expected);
  expect(await digestAfter(test, projection, batches)).toBe(await digestAfter(test, projection, [events]));
  const rows = Object.values(expected)
    .flat()
    .map((row) => JSON.stringify(row));
  for (const { tenant, memoryId } of erased)
    expect(rows.filter((row) => row.includes(memoryId) && row.includes(`"tenant":"${tenant}"`))).toEqual([]);
}
