import { Problem } from '../domain/problems.ts';
import type { LoadedPage } from '../ports/event-store.ts';
import type { Sql } from '../ports/sql.ts';
import { digestsOf, Generation, NotLevel } from './generation.ts';
import { dropGeneration } from './drop-generation.ts';
import { createBeside, lockGenerations, readGenerations, setState } from './generations.ts';
import { leastOf, reaches, samePartitions, type Positions, type Partitioning } from '../follow/partitions.ts';
import type { Projection } from './projection.ts';

export interface RebuildProgress {
  readonly projection: string;
  readonly generation: number;
  readonly position: number;
  readonly head: number;
}

export interface RebuildResult {
  readonly projection: string;
  readonly generation: number;
  /** Position at which both were compared: the lowest of their checkpoints. */
  readonly position: number;
  readonly digest: string;
  readonly liveDigest: string;
}

/**
 * Creates a generation beside the live one and drops all others, such as the remains of an interrupted rebuild. They are dropped last, so
 * tables that they share with the new one are kept.
 */
export async function beginRebuild(
  sql: Sql,
  projection: Projection,
  partitioning: Partitioning,
): Promise<Generation> {
  const generation = await createBeside(sql, projection, partitioning);
  for (const row of await readGenerations(sql)) {
    // Not generations that were created later.
    if (row.name !== projection.name || row.active || row.generation >= generation.number) continue;
    await dropGeneration(sql, projection, row.generation);
  }
  return generation;
}

/** The checkpoints of the live generation; undefined if it cannot be compared with this one. */
export async function liveCheckpoints(
  sql: Sql,
  { projection, number, partitions }: Generation,
): Promise<Positions | undefined> {
  const rows = (await readGenerations(sql)).filter(({ name }) => name === projection.name);
  const live = rows.find(({ active }) => active);
  const own = rows.find(({ generation }) => generation === number);
  const comparable =
    live && live.signature === own?.signature && samePartitions(live.checkpoints, partitions);
  return comparable ? live.checkpoints : undefined;
}

/** The digests differ, but later events may make them equal. */
export class NotEqualYet extends Error {
  override readonly name = 'NotEqualYet';
}

export interface Comparison {
  /** The events after the checkpoint of the new generation. */
  readonly ahead?: LoadedPage | undefined;
  /** The lowest position at which both may be compared. */
  readonly from: number;
  /** Whether different digests are a result. Otherwise they reject with `NotEqualYet`, and nothing is written. */
  readonly final: boolean;
}

/**
 * Both digests at the same checkpoints, which are locked meanwhile; undefined while the live generation has others. Several partitions
 * move one by one and are hardly ever level. So the events that the new generation lacks are first applied to it, from `ahead`.
 */
export async function compareWithLive(
  sql: Sql,
  generation: Generation,
  { ahead, from, final }: Comparison,
): Promise<RebuildResult | undefined> {
  const { projection, number, partitions } = generation;
  const compare = sql.transaction(async (tx) => {
    const rows = await lockGenerations(tx, projection.name);
    const live = rows.find((row) => row.active);
    const fresh = rows.find((row) => row.generation === number);
    if (!live || !fresh) return undefined;
    // A generation with another signature holds other rows and cannot be compared.
    const comparable = live.signature === fresh.signature && samePartitions(live.checkpoints, partitions);
    const position = leastOf(comparable ? live.checkpoints : fresh.checkpoints);
    if (comparable && (position < from || !reaches(live.checkpoints, fresh.checkpoints))) return undefined;
    if (comparable && !reaches(fresh.checkpoints, live.checkpoints)) {
      if (!ahead) return undefined;
      await generation.level(tx, fresh.checkpoints, live.checkpoints, ahead);
    }
    const compared = comparable
      ? [generation, new Generation(sql, projection, live.generation)]
      : [generation];
    const [digest = '', liveDigest = ''] = await digestsOf(compared, tx);
    if (comparable && !final && digest !== liveDigest)
      throw new NotEqualYet(`${generation.key} at ${position}`);
    await setState(tx, projection.name, number, 'ready', {
      digest,
      ...(comparable && { equal: digest === liveDigest }),
    });
    return { projection: projection.name, generation: number, position, digest, liveDigest };
  });
  return compare.catch((error: unknown) => {
    if (error instanceof NotLevel) return undefined;
    throw error;
  });
}

/**
 * Makes `generation` live by changing one row, once it is at least as far as the live one in every partition. The other one becomes
 * `standby` and is kept up to date, so a roll-back loses nothing. Events that are missing are applied from `ahead`, the events after the
 * checkpoint of `generation`.
 */
export async function switchTo(
  sql: Sql,
  name: string,
  generation: number,
  ahead?: { readonly generation: Generation; readonly page: LoadedPage },
): Promise<{ from: number; to: number }> {
  const switched = sql.transaction(async (tx) => {
    const rows = await lockGenerations(tx, name);
    const live = rows.find((row) => row.active);
    const next = rows.find((row) => row.generation === generation);
    if (!live || !next || next === live || (next.state !== 'ready' && next.state !== 'standby')) {
      throw new Problem('rebuild-not-ready', `${name} has no other generation that is ready`);
    }
    if (!reaches(next.checkpoints, live.checkpoints)) {
      if (!ahead)
        throw new NotLevel(`at ${leastOf(next.checkpoints)}, the live one at ${leastOf(live.checkpoints)}`);
      await ahead.generation.level(tx, next.checkpoints, live.checkpoints, ahead.page);
    }
    await setState(tx, name, live.generation, 'standby');
    await setState(tx, name, generation, 'live');
    await tx.query('update read.active set generation = $2, previous = $3 where name = $1', [
      name,
      generation,
      live.generation,
    ]);
    return { from: live.generation, to: generation };
  });
  return switched.catch((error: unknown) => {
    if (!(error instanceof NotLevel)) throw error;
    throw new Problem(
      'rebuild-not-ready',
      `generation ${generation} of ${name} is ${error.message}: try again`,
      {
        retryAfter: 1,
      },
    );
  });
}
