import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../domain/problems.ts';
import type { OperationEvent } from '../domain/operation/events.ts';
import { variantOf } from '../domain/retrieval/generation-variant.ts';
import type { ModelComparison } from '../domain/retrieval/model-comparison.ts';
import { projectionStream } from '../domain/streams.ts';
import { inBackground } from '../ports/background.ts';
import type { EventContext, EventStore, LoadedPage } from '../ports/event-store.ts';
import type { Sql } from '../ports/sql.ts';
import type { Generation } from './generation.ts';
import {
  readGenerations,
  setComparison,
  setState,
  type GenerationRow,
  type GenerationState,
} from './generations.ts';
import type { EventPlace } from './parked-table.ts';
import { beginRebuild, switchTo, type RebuildProgress, type RebuildResult } from './rebuild.ts';
import { RebuildWalk } from './rebuild-walk.ts';
import type { ProjectionRunner } from './runner.ts';
import { readStatus, type ProjectionStatus } from './status.ts';

/** A question that two models are compared by. */
export interface ComparedQuery {
  readonly tenant: string;
  readonly query: string;
}

export interface ShadowRequest {
  /** Ids of the models. */
  readonly model: string;
  readonly liveModel: string;
  /** Instead of those that were recorded. */
  readonly queries?: readonly ComparedQuery[] | undefined;
}

/** Lets two models answer the same queries; nobody sees the answers. */
export type ShadowComparison = (request: ShadowRequest, signal: AbortSignal) => Promise<ModelComparison>;

export interface RebuildOptions {
  /** Id of the model that vectors are made with; that of the live ones by default. */
  readonly variant?: string;
  /** To compare the models by. */
  readonly queries?: readonly ComparedQuery[];
}

interface RunningRebuild {
  progress: RebuildProgress;
  done: Promise<RebuildResult>;
  /** It was filled and compared. */
  isReady: boolean;
}

const levelWaitMs = 5_000;
/** What a switch applies at most, while it holds the locks. */
const levelEvents = 2_000;

/** What operators do to projections. Every act is an event. */
export class ProjectionOperations {
  readonly #sql: Sql;
  readonly #store: EventStore;
  readonly #runner: ProjectionRunner;
  readonly #running = new Map<string, RunningRebuild>();
  readonly #stop = new AbortController();
  readonly #walk: RebuildWalk;
  readonly #compare: ShadowComparison | undefined;

  /** `compare` is asked where a new generation has vectors of another model than the live one. */
  constructor(sql: Sql, store: EventStore, runner: ProjectionRunner, compare?: ShadowComparison) {
    this.#sql = sql;
    this.#store = store;
    this.#runner = runner;
    this.#walk = new RebuildWalk(sql, store, this.#stop.signal);
    this.#compare = compare;
  }

  async status(): Promise<ProjectionStatus[]> {
    const states = await readStatus(this.#sql, await this.#store.log.head(), await this.#runner.holders());
    return states.map((state) => {
      const running = this.#running.get(state.name);
      return running ? { ...state, rebuilding: running.progress } : state;
    });
  }

  /** Starts to build a generation beside the live one. `done` resolves when both were compared. */
  async rebuild(
    name: string,
    context: EventContext,
    { variant, queries }: RebuildOptions = {},
  ): Promise<{ generation: number; done: Promise<RebuildResult> }> {
    const live = await this.#live(name);
    const projection =
      this.#runner.projection(name, variant ?? (live && variantOf(live.signature))) ??
      this.#runner.projection(name);
    if (!projection) throw unknownProjection(name);
    const before = this.#running.get(name);
    // It shows as ready already, and is only being written down.
    if (before?.isReady) await before.done.catch(() => undefined);
    if (this.#running.has(name))
      throw new Problem('rebuild-in-progress', `${name} is being rebuilt`, { retryAfter: 5 });
    const entry: RunningRebuild = {
      progress: { projection: name, generation: 0, position: 0, head: 0 },
      done: Promise.resolve() as Promise<unknown> as Promise<RebuildResult>,
      isReady: false,
    };
    this.#running.set(name, entry);
    try {
      const generation = await beginRebuild(this.#sql, projection, this.#runner.partitioning);
      // Loops of the generations that it cleared away have nothing to run on.
      await this.#runner.refresh();
      entry.done = inBackground(() => this.#fill(generation, context, queries, entry));
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

  /**
   * Gives a parked stream to its projection again. Rejects with `not-found` where it is not parked, or with `still-parked`
   * and what is wrong with it.
   */
  async retry(name: string, stream: string): Promise<void> {
    if (!(await this.#runner.retry(name, stream))) throw notParked(name, stream);
  }

  /** Leaves out the event that a parked stream waits with. The rest of the stream is applied, or parks at the next one. */
  async skip(name: string, stream: string, context: EventContext): Promise<EventPlace> {
    const skipped = await this.#runner.skip(name, stream);
    if (!skipped) throw notParked(name, stream);
    const { revision, type } = skipped;
    await this.#record(name, context, {
      type: 'ParkedEventSkipped',
      data: { projection: name, stream, revision, type },
    });
    await this.#runner.retry(name, stream);
    return skipped;
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
    generation: Generation,
    context: EventContext,
    queries: readonly ComparedQuery[] | undefined,
    running: RunningRebuild,
  ): Promise<RebuildResult> {
    const { name } = generation.projection;
    try {
      const result = await this.#walk.fill(generation, (now) => (running.progress = now));
      running.isReady = true;
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
      await this.#compareModels(generation, context, queries);
      return result;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      await setState(this.#sql, name, generation.number, 'failed', { error: message }).catch(() => undefined);
      throw error;
    } finally {
      this.#running.delete(name);
    }
  }

  /** Where the new generation has vectors of another model. It is ready whether they can be compared or not. */
  async #compareModels(
    { projection: { name, variant: model }, number }: Generation,
    context: EventContext,
    queries: readonly ComparedQuery[] | undefined,
  ): Promise<void> {
    const live = await this.#live(name);
    if (!this.#compare || name !== 'vectors' || model === undefined) return;
    // Vectors that nobody can make here are compared with nothing.
    if (!live || !this.#runner.generation(live)) return;
    const liveModel = variantOf(live.signature);
    if (model === liveModel) return;
    try {
      const comparison = await this.#compare({ model, liveModel, queries }, this.#stop.signal);
      await setComparison(this.#sql, name, number, { comparison });
      await this.#record(name, context, {
        type: 'ModelsCompared',
        data: { projection: name, generation: number, ...comparison },
      });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      await setComparison(this.#sql, name, number, { error: `not compared: ${reason}` });
    }
  }

  async #live(name: string): Promise<GenerationRow | undefined> {
    const rows = await readGenerations(this.#sql);
    return rows.find((row) => row.name === name && row.active);
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
    const { from, to } = await this.#switchWhenLevel(next);
    const position = await this.#record(name, context, {
      type: 'ProjectionSwitched',
      data: { projection: name, from, to, rollback },
    });
    await this.#runner.refresh();
    return { from, to, position };
  }

  /**
   * A generation that is just ready trails the live one for moments, as both follow the log: it is waited for. Where
   * both move each partition by itself they are hardly ever level: then it is brought there.
   */
  async #switchWhenLevel(row: GenerationRow): Promise<{ from: number; to: number }> {
    const deadline = performance.now() + levelWaitMs;
    for (;;) {
      try {
        const ahead = row.bookmarks.size > 1 ? await this.#ahead(row) : undefined;
        return await switchTo(this.#sql, row.name, row.generation, ahead);
      } catch (error) {
        const trails = error instanceof Problem && error.retryAfter !== undefined;
        if (!trails || performance.now() >= deadline) throw error;
        await sleep(20);
      }
    }
  }

  async #ahead(row: GenerationRow): Promise<{ generation: Generation; page: LoadedPage } | undefined> {
    const generation = this.#runner.generation(row);
    if (!generation) return undefined;
    const standings = await generation.bookmarks.standings(generation.partitions);
    const after = Math.min(...standings.map(({ bookmark }) => bookmark));
    return { generation, page: await this.#store.readAll({ after, limit: levelEvents }) };
  }

  async #record(name: string, context: EventContext, event: OperationEvent): Promise<number> {
    const { position } = await this.#store.append(projectionStream(name), 'any', [event], context);
    return position;
  }
}

function unknownProjection(name: string): Problem {
  return new Problem('not-found', `there is no projection ${name}`);
}

function notParked(name: string, stream: string): Problem {
  return new Problem('not-found', `${stream} is not parked in ${name}`);
}
