import type { Sql, SqlExecutor } from '../ports/sql.ts';
import type { ModelComparison } from '../domain/retrieval/model-comparison.ts';
import { Generation } from './generation.ts';
import { undivided, type Positions, type Partitioning } from '../follow/partitions.ts';
import { signatureOf, tablesOf, type Projection } from './projection.ts';

export type GenerationState = 'live' | 'building' | 'ready' | 'standby' | 'failed';

export interface GenerationRow {
  readonly name: string;
  readonly generation: number;
  readonly signature: string;
  readonly state: GenerationState;
  readonly checkpoints: Positions;
  readonly digest: string | null;
  readonly equal: boolean | null;
  readonly error: string | null;
  /** While it is being built: since when `error` has stalled it. */
  readonly failingSince: Date | null;
  /** Comparison of the answers with those of the live model, for vectors of another model. */
  readonly comparison: ModelComparison | null;
}

/** Creates the first generation of a projection, with all its indexes, and makes it live. Does nothing if there is one. */
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
    'insert into follow.checkpoints (name, generation, partition) select $1, $2, unnest($3::text[])',
    [projection.name, number, partitioning.partitionsOf(projection)],
  );
  return number;
}

/** Creates an empty generation beside the live one. A rebuild fills it. */
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

/** Records what stalls a generation that is being built, or, without `error`, that it makes progress again. */
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
    Omit<GenerationRow, 'checkpoints'> & { active: boolean; checkpoints: Record<string, number> | null }
  >(
    `select g.name, g.generation, g.signature, g.state, g.digest, g.equal, g.error, g.failing_since as "failingSince", g.comparison, a.generation is not null as active,
       (select jsonb_object_agg(b.partition, b.position) from follow.checkpoints b
        where b.name = g.name and b.generation = g.generation) as checkpoints
     from read.generations g left join read.active a on a.name = g.name and a.generation = g.generation
     order by g.name, g.generation`,
    [],
    { onePlan: true },
  );
  return rows.map((row) => ({ ...row, checkpoints: new Map(Object.entries(row.checkpoints ?? {})) }));
}

/** The generations of a projection, locked until `tx` ends: neither their states nor their checkpoints change. */
export async function lockGenerations(
  tx: SqlExecutor,
  name: string,
): Promise<(GenerationRow & { active: boolean })[]> {
  await tx.query('select 1 from read.generations where name = $1 order by generation for update', [name]);
  await tx.query(
    'select 1 from follow.checkpoints where name = $1 order by generation, partition for update',
    [name],
  );
  return (await readGenerations(tx)).filter((row) => row.name === name);
}

/** Records how the answers of a generation's model compare with those of the live one, or why they were not compared. */
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
