import type { Sql, SqlExecutor } from '../ports/sql.ts';
import { Generation } from './generation.ts';
import { signatureOf, tablesOf, type Projection } from './projection.ts';

export type GenerationState = 'live' | 'building' | 'ready' | 'standby' | 'failed';

export interface GenerationRow {
  readonly name: string;
  readonly generation: number;
  readonly signature: string;
  readonly state: GenerationState;
  readonly bookmark: number;
  readonly digest: string | null;
  readonly equal: boolean | null;
  readonly error: string | null;
}

/** Creates the first generation of a projection that has none, with all its indexes, and makes it live. */
export async function ensureLive(sql: Sql, projection: Projection): Promise<void> {
  await sql.transaction(async (tx) => {
    await tx.query('select pg_advisory_xact_lock(727002)');
    const present = await tx.query('select 1 from read.active where name = $1', [projection.name]);
    if (present.length > 0) return;
    const generation = await createGeneration(tx, projection, 'live');
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
): Promise<number> {
  const [row] = await tx.query<{ next: number }>(
    'select coalesce(max(generation), 0) + 1 as next from read.generations where name = $1',
    [projection.name],
  );
  const number = row!.next;
  const tables = tablesOf(number);
  for (const statement of projection.create(tables)) await tx.query(statement);
  await tx.query(
    'insert into read.generations (name, generation, signature, state) values ($1, $2, $3, $4)',
    [projection.name, number, signatureOf(projection), state],
  );
  return number;
}

/** Creates an empty generation beside the live one. Its tables are filled by the runner. */
export async function createBeside(sql: Sql, projection: Projection): Promise<Generation> {
  return sql.transaction(async (tx) => {
    await tx.query('select pg_advisory_xact_lock(727002)');
    return new Generation(sql, projection, await createGeneration(tx, projection, 'building'));
  });
}

export async function setState(
  executor: SqlExecutor,
  name: string,
  generation: number,
  state: GenerationState,
  note: { digest?: string; equal?: boolean; error?: string } = {},
): Promise<void> {
  await executor.query(
    'update read.generations set state = $3, digest = coalesce($4, digest), equal = coalesce($5, equal), error = $6 where name = $1 and generation = $2',
    [name, generation, state, note.digest ?? null, note.equal ?? null, note.error ?? null],
  );
}

export async function readGenerations(
  executor: SqlExecutor,
): Promise<(GenerationRow & { active: boolean })[]> {
  return executor.query<GenerationRow & { active: boolean } & Record<string, unknown>>(
    `select g.name, g.generation, g.signature, g.state, g.bookmark, g.digest, g.equal, g.error, a.generation is not null as active
     from read.generations g left join read.active a on a.name = g.name and a.generation = g.generation
     order by g.name, g.generation`,
  );
}

/** Removes a generation with its tables. The live one is never dropped. */
export async function dropGeneration(sql: Sql, projection: Projection, generation: number): Promise<void> {
  await sql.transaction(async (tx) => {
    const live = await tx.query('select 1 from read.active where name = $1 and generation = $2', [
      projection.name,
      generation,
    ]);
    if (live.length > 0) throw new Error(`generation ${generation} of ${projection.name} is live`);
    await tx.query('delete from read.generations where name = $1 and generation = $2', [
      projection.name,
      generation,
    ]);
    await tx.query('delete from read.parked where name = $1 and generation = $2', [
      projection.name,
      generation,
    ]);
    const tables = tablesOf(generation);
    for (const table of projection.tables) await tx.query(`drop table if exists ${tables(table)}`);
  });
}
