import { sqlState, type Sql, type SqlExecutor } from '../ports/sql.ts';
import { variantOf } from '../read-models/generation-variant.ts';
import type { GenerationState } from './generations.ts';
import { tablesOf, type Projection } from './projection.ts';

/** SQLSTATE class of transactions that lost a deadlock or a race: other users of the tables may lock them in another order. */
const lostRaces = /^40/;
const mostAttempts = 5;

/** Repeats work that lost a race. */
async function withRetries<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!lostRaces.test(sqlState(error) ?? '') || attempt === mostAttempts) throw error;
    }
  }
}

/**
 * Drops a generation with its tables. The last generation of a variant also takes the tables that its generations share. The live one is
 * never dropped.
 */
export async function dropGeneration(sql: Sql, projection: Projection, generation: number): Promise<void> {
  await withRetries(() => dropOnce(sql, projection, generation, () => true));
}

/** Drops a generation that is not complete, with its tables. Returns false, and drops nothing, if it is complete. */
export function dropUnfinished(sql: Sql, projection: Projection, generation: number): Promise<boolean> {
  const mayDrop: MayDrop = (state) => state === 'building' || state === 'failed';
  return withRetries(() => dropOnce(sql, projection, generation, mayDrop));
}

/** Whether a generation in this state may be dropped. */
type MayDrop = (state: GenerationState) => boolean;

async function dropOnce(
  sql: Sql,
  projection: Projection,
  generation: number,
  mayDrop: MayDrop,
): Promise<boolean> {
  return sql.transaction(async (tx) => {
    // No generation of the variant can be created meanwhile.
    await tx.query('select pg_advisory_xact_lock(727002)');
    const state = await lockGeneration(tx, projection.name, generation);
    if (state && !mayDrop(state)) return false;
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
    await deletePositions(tx, projection.name, generation);
    await dropTables(tx, projection, generation);
    for (const { signature } of dropped) await dropShared(tx, projection, variantOf(signature));
    // Last: if an earlier step fails, the store is intact; if this one fails, the generation can be dropped again.
    await projection.external?.drop(generation);
    return true;
  });
}

/** Like `lockGenerations` for one generation, whose state it returns. Waits for transactions that write to its rows. */
async function lockGeneration(
  tx: SqlExecutor,
  name: string,
  generation: number,
): Promise<GenerationState | undefined> {
  const [row] = await tx.query<{ state: GenerationState }>(
    'select state from read.generations where name = $1 and generation = $2 for update',
    [name, generation],
  );
  // In the order of `ParkedTable.lock`: parked streams before checkpoints.
  for (const [of, order] of [
    ['parked', 'stream'],
    ['checkpoints', 'partition'],
  ])
    await tx.query(
      `select 1 from follow.${of} where name = $1 and generation = $2 order by ${order} for update`,
      [name, generation],
    );
  return row?.state;
}

async function dropTables(tx: SqlExecutor, projection: Projection, generation: number): Promise<void> {
  const tables = tablesOf(generation);
  for (const table of projection.tables) await tx.query(`drop table if exists ${tables(table)}`);
}

/**
 * Records why a generation that was being built is abandoned, and drops its rows: no query will read them, and no erasure would reach
 * them. Without checkpoints nothing can be written to it any more. A complete generation stays as it is: queries may read it by now.
 */
export function failBuilding(
  sql: Sql,
  projection: Projection,
  generation: number,
  error: string,
): Promise<void> {
  return withRetries(() => failOnce(sql, projection, generation, error));
}

async function failOnce(sql: Sql, projection: Projection, generation: number, error: string): Promise<void> {
  await sql.transaction(async (tx) => {
    // No generation of the variant can be created meanwhile.
    await tx.query('select pg_advisory_xact_lock(727002)');
    await lockGeneration(tx, projection.name, generation);
    for (const statement of await orphansOf(tx, projection, generation)) await tx.query(statement);
    const [failed] = await tx.query<{ signature: string }>(
      `update read.generations set state = 'failed', error = $3, failing_since = null
       where name = $1 and generation = $2 and state = 'building' returning signature`,
      [projection.name, generation, error],
    );
    if (!failed) return;
    await deletePositions(tx, projection.name, generation);
    await dropTables(tx, projection, generation);
    await dropShared(tx, projection, variantOf(failed.signature));
    await projection.external?.drop(generation);
  });
}

/** Deletes the checkpoints and parked streams of a generation. */
async function deletePositions(tx: SqlExecutor, name: string, generation: number): Promise<void> {
  for (const of of ['checkpoints', 'parked'])
    await tx.query(`delete from follow.${of} where name = $1 and generation = $2`, [name, generation]);
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
 * Statements that delete from shared tables what an incomplete generation may have written after it was erased, provided that the live
 * generation is at least as far. A generation that follows the log deletes such rows itself.
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
       select 1 from follow.checkpoints own
       join follow.checkpoints l on l.name = own.name and l.partition = own.partition and l.generation = a.generation
       where own.name = g.name and own.generation = g.generation and l.position < own.position)`,
    [name, generation],
  );
  return given ? purgeShared(variantOf(given.signature), tablesOf(given.live)) : [];
}
