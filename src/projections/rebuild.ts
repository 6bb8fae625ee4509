import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../domain/problems.ts';
import type { Sql } from '../ports/sql.ts';
import type { EventFeed } from './event-feed.ts';
import { Generation, isPassing } from './generation.ts';
import {
  createBeside,
  dropGeneration,
  readGenerations,
  setState,
  type GenerationRow,
} from './generations.ts';
import type { Projection } from './projection.ts';

/** A database or an embedder that does not answer is asked again after so long. */
const retryMs = 1_000;

export interface RebuildProgress {
  readonly projection: string;
  readonly generation: number;
  readonly position: number;
  readonly head: number;
}

export interface RebuildResult {
  readonly projection: string;
  readonly generation: number;
  /** Position at which both were compared. */
  readonly position: number;
  readonly digest: string;
  readonly liveDigest: string;
}

/** Refuses a second rebuild of the same projection and clears away what an interrupted one left. */
export async function beginRebuild(sql: Sql, projection: Projection): Promise<Generation> {
  const rows = (await readGenerations(sql)).filter((row) => row.name === projection.name);
  for (const row of rows) {
    if (row.active) continue;
    await dropGeneration(sql, projection, row.generation);
  }
  return createBeside(sql, projection);
}

/**
 * Fills the new generation from the log, beside the live one, until both stand at the same bookmark, and compares
 * their digests there. It does not switch: queries read the live one until `switchTo`.
 */
export async function fill(
  sql: Sql,
  feed: EventFeed,
  generation: Generation,
  onProgress: (progress: RebuildProgress) => void,
  signal: AbortSignal,
): Promise<RebuildResult> {
  const { name } = generation.projection;
  let standing = await generation.standing();
  for (;;) {
    signal.throwIfAborted();
    const page = await feed.nextNow(standing.bookmark);
    if (page) {
      try {
        standing = await generation.apply(page, standing);
      } catch (error) {
        if (!isPassing(error)) throw error;
        await sleep(retryMs, undefined, { signal });
        standing = await generation.standing();
        continue;
      }
      onProgress({
        projection: name,
        generation: generation.number,
        position: standing.bookmark,
        head: await headOf(sql, name),
      });
      continue;
    }
    const result = await compare(sql, generation);
    if (result) return result;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function headOf(sql: Sql, name: string): Promise<number> {
  const rows = await readGenerations(sql);
  return rows.find((row) => row.name === name && row.active)?.bookmark ?? 0;
}

/** Both digests at one bookmark, or undefined while the live generation stands elsewhere. Neither can move meanwhile. */
async function compare(sql: Sql, generation: Generation): Promise<RebuildResult | undefined> {
  const { projection, number } = generation;
  return sql.transaction(async (tx) => {
    const rows = await tx.query<{ generation: number; bookmark: number; signature: string; active: boolean }>(
      `select g.generation, g.bookmark, g.signature, a.generation is not null as active
       from read.generations g left join read.active a on a.name = g.name and a.generation = g.generation
       where g.name = $1 and (g.generation = $2 or a.generation is not null) for update of g`,
      [projection.name, number],
    );
    const live = rows.find((row) => row.active);
    const fresh = rows.find((row) => row.generation === number);
    if (!live || !fresh) return undefined;
    // One of another signature holds other rows and projects no more: there is nothing to compare with.
    const comparable = live.signature === fresh.signature;
    if (comparable && live.bookmark !== fresh.bookmark) return undefined;
    const digest = await generation.digest(tx);
    const liveDigest = comparable ? await new Generation(sql, projection, live.generation).digest(tx) : '';
    await setState(tx, projection.name, number, 'ready', { digest, equal: digest === liveDigest });
    return { projection: projection.name, generation: number, position: fresh.bookmark, digest, liveDigest };
  });
}

/**
 * Lets queries read `generation`: one row, changed once it is at least as far as the live one. The other stays behind
 * as `standby` and keeps projecting, so that a roll-back loses nothing.
 */
export async function switchTo(
  sql: Sql,
  name: string,
  generation: number,
): Promise<{ from: number; to: number }> {
  return sql.transaction(async (tx) => {
    const rows = await tx.query<GenerationRow & { active: boolean } & Record<string, unknown>>(
      `select g.generation, g.state, g.bookmark, a.generation is not null as active
       from read.generations g left join read.active a on a.name = g.name and a.generation = g.generation
       where g.name = $1 for update of g`,
      [name],
    );
    const live = rows.find((row) => row.active);
    const next = rows.find((row) => row.generation === generation);
    if (!live || !next || next === live || (next.state !== 'ready' && next.state !== 'standby')) {
      throw new Problem('rebuild-not-ready', `${name} has no other generation that is ready`);
    }
    if (next.bookmark < live.bookmark) {
      throw new Problem(
        'rebuild-not-ready',
        `generation ${generation} of ${name} is at ${next.bookmark}, the live one at ${live.bookmark}: try again`,
        { retryAfter: 1 },
      );
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
}
