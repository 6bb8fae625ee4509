import { sqlState, type Sql, type SqlExecutor } from '../ports/sql.ts';
import { variantOf } from '../read-models/generation-variant.ts';
import type { ModelComparison } from '../domain/retrieval/model-comparison.ts';
import { Generation } from './generation.ts';
import { undivided, type Bookmarks, type Partitioning } from './partitions.ts';
import { signatureOf, tablesOf, type Projection } from './projection.ts';

export type GenerationState = 'live' | 'building' | 'ready' | 'standby' | 'failed';

export interface GenerationRow {
  readonly name: string;
  readonly generation: number;
  readonly signature: string;
  readonly state: GenerationState;
  readonly bookmarks: Bookmarks;
  readonly digest: string | null;
  readonly equal: boolean | null;
  readonly error: string | null;
  /** While it is being built: since when `error` keeps it from going on. */
  readonly failingSince: Date | null;
  /** With the answers of another model's vectors. */
  readonly comparison: ModelComparison | null;
}

/** Creates the first generation of a projection that has none, with all its indexes, and makes it live. */
export async function ensureLive(
  sql: Sql,
  projection: Projection,
  partitioning: Partitioning = undivided,
): Promise<void> {
  await sql.transaction(async (tx) => {
    await tx.query('select pg_advisory_xact_lock(727002)');
    const present = await tx.query('select 1 from read.active where name = $1', [projection.name]);
    if (present.length > 0) return;
    const generation = await createGeneration(tx, projection, 'live', partitioning);
    await tx.query('insert into read.active (name, generation) values ($1, $2)', [
      projection.name,
      generation,
    ]);
  });
}

async function createGeneration(
  tx: SqlExecutor,
  projection: Projection,
  state: GenerationState,
  partitioning: Partitioning,
): Promise<number> {
  const [row] = await tx.query<{ last: number }>(
    `insert into read.generation_numbers as n (name, last) values ($1, 1)
     on conflict (name) do update set last = n.last + 1 returning last`,
    [projection.name],
  );
  const number = row!.last;
  const tables = tablesOf(number);
  for (const statement of projection.create(tables)) await tx.query(statement);
  await projection.external?.create(number);
  await tx.query(
    'insert into read.generations (name, generation, signature, state) values ($1, $2, $3, $4)',
    [projection.name, number, signatureOf(projection), state],
  );
  await tx.query(
    'insert into read.bookmarks (name, generation, partition) select $1, $2, unnest($3::text[])',
    [projection.name, number, partitioning.partitionsOf(projection)],
  );
  return number;
}

/** Creates an empty generation beside the live one. Its tables are filled by the runner. */
export async function createBeside(
  sql: Sql,
  projection: Projection,
  partitioning: Partitioning = undivided,
): Promise<Generation> {
  return sql.transaction(async (tx) => {
    await tx.query('select pg_advisory_xact_lock(727002)');
    const number = await createGeneration(tx, projection, 'building', partitioning);
    return new Generation(sql, projection, number, partitioning);
  });
}

export async function setState(
  executor: SqlExecutor,
  name: string,
  generation: number,
  state: GenerationState,
  note: { digest?: string; equal?: boolean } = {},
): Promise<void> {
  await executor.query(
    'update read.generations set state = $3, digest = coalesce($4, digest), equal = coalesce($5, equal), error = null, failing_since = null where name = $1 and generation = $2',
    [name, generation, state, note.digest ?? null, note.equal ?? null],
  );
}

const longestError = 500;

/** Notes what keeps a generation that is being built from going on, or, without `error`, that it goes on. */
export async function noteFailure(
  executor: SqlExecutor,
  name: string,
  generation: number,
  error?: string,
): Promise<void> {
  await executor.query(
    `update read.generations set error = $3,
       failing_since = case when $3::text is not null then coalesce(failing_since, now()) end
     where name = $1 and generation = $2 and state = 'building'`,
    [name, generation, error?.slice(0, longestError) ?? null],
  );
}

export async function readGenerations(
  executor: SqlExecutor,
): Promise<(GenerationRow & { active: boolean })[]> {
  const rows = await executor.query<
    Omit<GenerationRow, 'bookmarks'> & { active: boolean; bookmarks: Record<string, number> | null }
  >(
    `select g.name, g.generation, g.signature, g.state, g.digest, g.equal, g.error, g.failing_since as "failingSince", g.comparison, a.generation is not null as active,
       (select jsonb_object_agg(b.partition, b.bookmark) from read.bookmarks b
        where b.name = g.name and b.generation = g.generation) as bookmarks
     from read.generations g left join read.active a on a.name = g.name and a.generation = g.generation
     order by g.name, g.generation`,
  );
  return rows.map((row) => ({ ...row, bookmarks: new Map(Object.entries(row.bookmarks ?? {})) }));
}

/**
 * The generations of a projection, which stay as they are until `tx` ends: neither their states nor their bookmarks
 * change.
 */
export async function lockGenerations(
  tx: SqlExecutor,
  name: string,
): Promise<(GenerationRow & { active: boolean })[]> {
  await tx.query('select 1 from read.generations where name = $1 order by generation for update', [name]);
  await tx.query('select 1 from read.bookmarks where name = $1 order by generation, partition for update', [
    name,
  ]);
  return (await readGenerations(tx)).filter((row) => row.name === name);
}

/** SQLSTATEs of a transaction that had to give way: writers and readers of the tables may lock them in another order. */
const lostRaces = /^40/;
const mostAttempts = 5;

/** Does it again where it had to give way. */
async function insisting<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!lostRaces.test(sqlState(error) ?? '') || attempt === mostAttempts) throw error;
    }
  }
}

/**
 * Removes a generation with its tables, and what it had in common with others of its variant where it is the last of
 * these. The live one is never dropped.
 */
export async function dropGeneration(sql: Sql, projection: Projection, generation: number): Promise<void> {
  await insisting(() => dropOnce(sql, projection, generation, () => true));
}

/** The same of one that is not built to its end. Answers false, and drops nothing, where it is. */
export function dropUnfinished(sql: Sql, projection: Projection, generation: number): Promise<boolean> {
  const mayGo: MayGo = (state) => state === 'building' || state === 'failed';
  return insisting(() => dropOnce(sql, projection, generation, mayGo));
}

/** Whether a generation in this state may go. */
type MayGo = (state: GenerationState) => boolean;

async function dropOnce(
  sql: Sql,
  projection: Projection,
  generation: number,
  mayGo: MayGo,
): Promise<boolean> {
  return sql.transaction(async (tx) => {
    // None of the variant is created meanwhile.
    await tx.query('select pg_advisory_xact_lock(727002)');
    const state = await lockGeneration(tx, projection.name, generation);
    if (state && !mayGo(state)) return false;
    const live = await tx.query('select 1 from read.active where name = $1 and generation = $2', [
      projection.name,
      generation,
    ]);
    if (live.length > 0) throw new Error(`generation ${generation} of ${projection.name} is live`);
    for (const statement of await orphansOf(tx, projection, generation)) await tx.query(statement);
    const dropped = await tx.query<{ signature: string }>(
      'delete from read.generations where name = $1 and generation = $2 returning signature',
      [projection.name, generation],
    );
    await forgetPlaces(tx, projection.name, generation);
    await dropTables(tx, projection, generation);
    for (const { signature } of dropped) await dropShared(tx, projection, variantOf(signature));
    // Last: what fails before leaves it whole, and if it fails itself the generation is there to be dropped again.
    await projection.external?.drop(generation);
    return true;
  });
}

/** As `lockGenerations`, of one alone, whose state it answers: who is at work on its rows is waited for. */
async function lockGeneration(
  tx: SqlExecutor,
  name: string,
  generation: number,
): Promise<GenerationState | undefined> {
  const [row] = await tx.query<{ state: GenerationState }>(
    'select state from read.generations where name = $1 and generation = $2 for update',
    [name, generation],
  );
  // As `ParkedTable.lock` does: what waits before the bookmarks.
  for (const [of, order] of [
    ['parked', 'stream'],
    ['bookmarks', 'partition'],
  ])
    await tx.query(
      `select 1 from read.${of} where name = $1 and generation = $2 order by ${order} for update`,
      [name, generation],
    );
  return row?.state;
}

async function dropTables(tx: SqlExecutor, projection: Projection, generation: number): Promise<void> {
  const tables = tablesOf(generation);
  for (const table of projection.tables) await tx.query(`drop table if exists ${tables(table)}`);
}

/**
 * Notes why a generation that was being built is given up, and drops its rows: nobody will read them, and no erasure reaches them.
 * Without bookmarks nothing can be written to it any more. One that was built to its end stays as it is: queries may read it by now.
 */
export function failBuilding(
  sql: Sql,
  projection: Projection,
  generation: number,
  error: string,
): Promise<void> {
  return insisting(() => failOnce(sql, projection, generation, error));
}

async function failOnce(sql: Sql, projection: Projection, generation: number, error: string): Promise<void> {
  await sql.transaction(async (tx) => {
    // None of the variant is created meanwhile.
    await tx.query('select pg_advisory_xact_lock(727002)');
    await lockGeneration(tx, projection.name, generation);
    for (const statement of await orphansOf(tx, projection, generation)) await tx.query(statement);
    const [failed] = await tx.query<{ signature: string }>(
      `update read.generations set state = 'failed', error = $3, failing_since = null
       where name = $1 and generation = $2 and state = 'building' returning signature`,
      [projection.name, generation, error],
    );
    if (!failed) return;
    await forgetPlaces(tx, projection.name, generation);
    await dropTables(tx, projection, generation);
    await dropShared(tx, projection, variantOf(failed.signature));
    await projection.external?.drop(generation);
  });
}

/** How far it has come, and what waits. */
async function forgetPlaces(tx: SqlExecutor, name: string, generation: number): Promise<void> {
  for (const of of ['bookmarks', 'parked'])
    await tx.query(`delete from read.${of} where name = $1 and generation = $2`, [name, generation]);
}

async function dropShared(tx: SqlExecutor, projection: Projection, variant: string): Promise<void> {
  const left = await tx.query<{ signature: string }>(
    `select signature from read.generations where name = $1 and state <> 'failed'`,
    [projection.name],
  );
  if (left.some(({ signature }) => variantOf(signature) === variant)) return;
  for (const table of projection.sharedTables?.(variant) ?? [])
    await tx.query(`drop table if exists ${table}`);
}

/**
 * What takes out of the tables that a generation shares with others what it may have written there after it was erased: of one that was
 * not built to its end, where the live one is as far. One that follows the log takes that out by itself.
 */
async function orphansOf(
  tx: SqlExecutor,
  projection: Projection,
  generation: number,
): Promise<readonly string[]> {
  const { name, purgeShared } = projection;
  if (!purgeShared) return [];
  const [given] = await tx.query<{ signature: string; live: number }>(
    `select g.signature, a.generation as live from read.generations g join read.active a using (name)
     where g.name = $1 and g.generation = $2 and g.state = 'building' and not exists (
       select 1 from read.bookmarks own
       join read.bookmarks l on l.name = own.name and l.partition = own.partition and l.generation = a.generation
       where own.name = g.name and own.generation = g.generation and l.bookmark < own.bookmark)`,
    [name, generation],
  );
  return given ? purgeShared(variantOf(given.signature), tablesOf(given.live)) : [];
}

/** Notes how the answers of a generation's model compare with those of the live one, or why they were not compared. */
export async function setComparison(
  executor: SqlExecutor,
  name: string,
  generation: number,
  { comparison, error }: { comparison?: ModelComparison; error?: string },
): Promise<void> {
  await executor.query(
    `update read.generations set comparison = $3::text::jsonb, error = coalesce($4, error)
     where name = $1 and generation = $2`,
    [name, generation, comparison ? JSON.stringify(comparison) : null, error ?? null],
  );
}
