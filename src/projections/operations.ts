import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../domain/problems.ts';
import type { OperationEvent } from '../domain/operation/events.ts';
import { projectionStream } from '../domain/streams.ts';
import { inBackground } from '../ports/background.ts';
import type { EventContext, EventStore } from '../ports/event-store.ts';
import type { Sql } from '../ports/sql.ts';
import { readGenerations, setState, type GenerationState } from './generations.ts';
import { beginRebuild, fill, switchTo, type RebuildProgress, type RebuildResult } from './rebuild.ts';
import type { ProjectionRunner } from './runner.ts';

export interface GenerationStatus {
  readonly generation: number;
  readonly state: GenerationState;
  readonly signature: string;
  readonly active: boolean;
  /** Which process keeps it up with the log: this one, another, or none. */
  readonly lock: 'here' | 'elsewhere' | 'free';
  readonly position: number;
  /** Events of the log that it has not seen yet. */
  readonly lag: number;
  readonly digest?: string;
  /** Whether the live one had the same digest at the same bookmark. */
  readonly equal?: boolean;
  readonly error?: string;
}

export interface ParkedStream {
  readonly stream: string;
  readonly position: number;
  readonly type: string;
  readonly error: string;
}

export interface ProjectionStatus {
  readonly name: string;
  readonly generations: readonly GenerationStatus[];
  readonly parked: readonly ParkedStream[];
  /** Of a rebuild that runs in this process. */
  readonly rebuilding?: RebuildProgress;
}

const levelWaitMs = 5_000;

/** What operators do to projections. Every act is an event. */
export class ProjectionOperations {
  readonly #sql: Sql;
  readonly #store: EventStore;
  readonly #runner: ProjectionRunner;
  readonly #running = new Map<string, { progress: RebuildProgress; done: Promise<RebuildResult> }>();
  readonly #stop = new AbortController();

  constructor(sql: Sql, store: EventStore, runner: ProjectionRunner) {
    this.#sql = sql;
    this.#store = store;
    this.#runner = runner;
  }

  async status(): Promise<ProjectionStatus[]> {
    const head = await this.#store.log.head();
    const rows = await readGenerations(this.#sql);
    const holders = await this.#runner.holders();
    const parked = await this.#sql.query<ParkedStream & { name: string }>(
      `select p.name, p.stream, p.position, p.type, p.error from read.parked p
       join read.active a on a.name = p.name and a.generation = p.generation order by p.position`,
    );
    return [...new Set(rows.map(({ name }) => name))].map((name) => ({
      name,
      generations: rows
        .filter((row) => row.name === name)
        .map(({ generation, state, signature, active, bookmark, digest, equal, error }) => ({
          generation,
          state,
          signature,
          active,
          lock: holders.get(`${name}/${generation}`) ?? 'free',
          position: bookmark,
          lag: Math.max(0, head - bookmark),
          ...(digest !== null && { digest }),
          ...(equal !== null && { equal }),
          ...(error !== null && { error }),
        })),
      parked: parked.filter((row) => row.name === name).map(({ name: _, ...row }) => row),
      ...(this.#running.has(name) && { rebuilding: this.#running.get(name)!.progress }),
    }));
  }

  /** Starts to build a generation beside the live one. `done` resolves when both were compared. */
  async rebuild(
    name: string,
    context: EventContext,
  ): Promise<{ generation: number; done: Promise<RebuildResult> }> {
    const projection = this.#runner.projection(name);
    if (!projection) throw unknownProjection(name);
    if (this.#running.has(name)) throw new Problem('rebuild-in-progress', `${name} is being rebuilt`);
    const progress: RebuildProgress = { projection: name, generation: 0, position: 0, head: 0 };
    const entry = { progress, done: Promise.resolve() as Promise<unknown> as Promise<RebuildResult> };
    this.#running.set(name, entry);
    try {
      const generation = await beginRebuild(this.#sql, projection);
      // Loops of the generations that it cleared away have nothing to run on.
      await this.#runner.refresh();
      entry.done = inBackground(() => this.#fill(name, generation, context, (now) => (entry.progress = now)));
      entry.done.catch(() => undefined);
      return { generation: generation.number, done: entry.done };
    } catch (error) {
      this.#running.delete(name);
      throw error;
    }
  }

  /** Lets queries read the rebuilt generation. */
  async switch(name: string, context: EventContext): Promise<{ from: number; to: number; position: number }> {
    return this.#switchTo(name, 'ready', false, context);
  }

  /** Lets queries read the generation again that was live before. */
  async rollback(
    name: string,
    context: EventContext,
  ): Promise<{ from: number; to: number; position: number }> {
    return this.#switchTo(name, 'standby', true, context);
  }

  /** Gives a parked stream to its projection again. Rejects with what is still wrong with it. */
  async retry(name: string, stream: string): Promise<void> {
    await this.#runner.retry(name, stream);
  }

  /** Rebuilds and switches what an older program left, one after another. */
  async renewStale(context: EventContext): Promise<void> {
    for (const name of await this.#runner.stale()) {
      const { done } = await this.rebuild(name, context);
      await done;
      await this.switch(name, context);
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled([...this.#running.values()].map(({ done }) => done));
  }

  async #fill(
    name: string,
    generation: Awaited<ReturnType<typeof beginRebuild>>,
    context: EventContext,
    onProgress: (progress: RebuildProgress) => void,
  ): Promise<RebuildResult> {
    try {
      const result = await fill(this.#sql, this.#runner.feed, generation, onProgress, this.#stop.signal);
      const { digest, liveDigest, position } = result;
      await this.#record(name, context, {
        type: 'ProjectionRebuilt',
        data: {
          projection: name,
          generation: generation.number,
          events: position,
          digest,
          liveDigest,
          equal: digest === liveDigest,
        },
      });
      await this.#runner.refresh();
      return result;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      await setState(this.#sql, name, generation.number, 'failed', { error: message }).catch(() => undefined);
      throw error;
    } finally {
      this.#running.delete(name);
    }
  }

  async #switchTo(
    name: string,
    state: GenerationState,
    rollback: boolean,
    context: EventContext,
  ): Promise<{ from: number; to: number; position: number }> {
    if (!this.#runner.projection(name)) throw unknownProjection(name);
    const rows = await readGenerations(this.#sql);
    const next = rows.findLast((row) => row.name === name && !row.active && row.state === state);
    if (!next) throw new Problem('rebuild-not-ready', `${name} has no generation that is ${state}`);
    const { from, to } = await this.#switchWhenLevel(name, next.generation);
    const position = await this.#record(name, context, {
      type: 'ProjectionSwitched',
      data: { projection: name, from, to, rollback },
    });
    await this.#runner.refresh();
    return { from, to, position };
  }

  /** A generation that is just ready trails the live one for moments, as both follow the log: it is waited for. */
  async #switchWhenLevel(name: string, generation: number): Promise<{ from: number; to: number }> {
    const deadline = performance.now() + levelWaitMs;
    for (;;) {
      try {
        return await switchTo(this.#sql, name, generation);
      } catch (error) {
        const trails = error instanceof Problem && error.retryAfter !== undefined;
        if (!trails || performance.now() >= deadline) throw error;
        await sleep(20);
      }
    }
  }

  async #record(name: string, context: EventContext, event: OperationEvent): Promise<number> {
    const { reason: _, ...unsealed } = context;
    const { position } = await this.#store.append(projectionStream(name), 'any', [event], unsealed);
    return position;
  }
}

function unknownProjection(name: string): Problem {
  return new Problem('not-found', `there is no projection ${name}`);
}
