import { Problem } from '../domain/problems.ts';
import type { OperationEvent } from '../domain/operation/events.ts';
import { variantOf } from '../domain/retrieval/generation-variant.ts';
import { projectionStream } from '../domain/streams.ts';
import { inBackground } from '../ports/background.ts';
import type { EventContext, EventStore } from '../ports/event-store.ts';
import type { Sql } from '../ports/sql.ts';
import type { Generation } from './generation.ts';
import {
  dropGeneration,
  failBuilding,
  readGenerations,
  setComparison,
  type GenerationRow,
  type GenerationState,
} from './generations.ts';
import type { EventPlace } from './parked-table.ts';
import { beginRebuild, type RebuildProgress, type RebuildResult } from './rebuild.ts';
import { RebuildWalk } from './rebuild-walk.ts';
import { tablesOf, type Tables } from './projection.ts';
import type { ProjectionRunner } from './runner.ts';
import type { ComparedQuery, ShadowComparison } from './shadow.ts';
import { readStatus, type ProjectionStatus } from './status.ts';
import { switchWhenLevel } from './switch-when-level.ts';

export interface RebuildOptions {
  /** Id of the model that vectors are made with; that of the live ones by default. */
  readonly variant?: string;
  /** To compare the models by. */
  readonly queries?: readonly ComparedQuery[];
}

interface RunningRebuild {
  /** Undefined while it begins. */
  generation?: Generation;
  progress: RebuildProgress;
  done: Promise<RebuildResult>;
  /** It was filled and compared. */
  isReady: boolean;
}

export interface OperationOptions {
  /** Is asked where a new generation has vectors of another model than the live one. */
  readonly compare?: ShadowComparison;
  /** What searches need of a generation beside its tables is made ready before they read it. */
  readonly beforeSwitch?: (generation: { readonly name: string; readonly tables: Tables }) => Promise<void>;
  /** Is told of each error that a rebuild waits for, once. */
  readonly onFailure?: (projection: string, error: unknown) => void;
}

/** What queries read before and after an act. */
export interface Switched {
  readonly from: number;
  readonly to: number;
  /** Of the event of the act. */
  readonly position: number;
  /** `from` was still being built, and is gone: queries read `to`, as before. */
  readonly ended?: true;
}

/** What operators do to projections. Every act is an event. */
export class ProjectionOperations {
  readonly #sql: Sql;
  readonly #store: EventStore;
  readonly #runner: ProjectionRunner;
  readonly #running = new Map<string, RunningRebuild>();
  readonly #stop = new AbortController();
  readonly #walk: RebuildWalk;
  readonly #compare: ShadowComparison | undefined;
  readonly #beforeSwitch: OperationOptions['beforeSwitch'];

  constructor(
    sql: Sql,
    store: EventStore,
    runner: ProjectionRunner,
    { compare, beforeSwitch, onFailure }: OperationOptions = {},
  ) {
    this.#sql = sql;
    this.#store = store;
    this.#runner = runner;
    this.#walk = new RebuildWalk(sql, store, this.#stop.signal, onFailure);
    this.#compare = compare;
    this.#beforeSwitch = beforeSwitch;
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
    // Another process ended it: its fill would find that out with its next step.
    else if (before?.generation && !(await this.#isThere(before.generation))) await this.#leave(before);
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
      entry.generation = generation;
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
  async switch(name: string, context: EventContext): Promise<Switched> {
    return this.#switchTo(name, 'ready', false, context);
  }

  /** Ends a rebuild that is under way, in whatever process, or lets queries read the generation again that was live before. */
  async rollback(name: string, context: EventContext): Promise<Switched> {
    const rows = await readGenerations(this.#sql);
    const building = rows.findLast((row) => row.name === name && row.state === 'building');
    return building ? this.#end(building, context) : this.#switchTo(name, 'standby', true, context);
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

  /**
   * Rebuilds and switches what an older program left, one after another, and drops what cannot be kept up with the log here: what is
   * erased would stay in it.
   */
  async renewStale(context: EventContext): Promise<void> {
    for (const name of await this.#runner.stale()) {
      const { done } = await this.rebuild(name, context);
      await done;
      await this.switch(name, context);
    }
    for (const row of await readGenerations(this.#sql)) {
      const projection = this.#runner.projection(row.name);
      const isWhole = row.state === 'standby' || row.state === 'ready';
      if (projection && isWhole && !this.#runner.generation(row))
        await dropGeneration(this.#sql, projection, row.generation);
    }
  }

  /** Ends the rebuilds of a process that is no more: for the one that has the database to itself. */
  async endInterrupted(context: EventContext): Promise<void> {
    for (const row of await readGenerations(this.#sql)) {
      const isLeft = row.state === 'building' && !this.#running.has(row.name);
      if (isLeft && this.#runner.projection(row.name)) await this.#end(row, context);
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
      await failBuilding(this.#sql, generation.projection, generation.number, message).catch(() => undefined);
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

  async #isThere({ projection: { name }, number }: Generation): Promise<boolean> {
    const rows = await readGenerations(this.#sql);
    return rows.some((row) => row.name === name && row.generation === number);
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
  ): Promise<Switched> {
    if (!this.#runner.projection(name)) throw unknownProjection(name);
    const rows = await readGenerations(this.#sql);
    const next = rows.findLast((row) => row.name === name && !row.active && row.state === state);
    if (!next) throw new Problem('rebuild-not-ready', `${name} has no generation that is ${state}`);
    await this.#beforeSwitch?.({ name, tables: tablesOf(next.generation) });
    const { from, to } = await switchWhenLevel(
      { sql: this.#sql, store: this.#store, runner: this.#runner },
      next,
    );
    const position = await this.#record(name, context, {
      type: 'ProjectionSwitched',
      data: { projection: name, from, to, rollback },
    });
    await this.#runner.refresh();
    return { from, to, position };
  }

  async #end({ name, generation }: GenerationRow, context: EventContext): Promise<Switched> {
    const projection = this.#runner.projection(name);
    const live = await this.#live(name);
    if (!projection || !live) throw unknownProjection(name);
    const running = this.#running.get(name);
    if (running?.generation?.number === generation) await this.#leave(running);
    // Where another process fills it, that one finds it gone.
    await dropGeneration(this.#sql, projection, generation);
    await this.#runner.refresh();
    const position = await this.#record(name, context, {
      type: 'ProjectionRebuildEnded',
      data: { projection: name, generation },
    });
    return { from: generation, to: live.generation, position, ended: true };
  }

  async #leave({ generation, done }: RunningRebuild): Promise<void> {
    this.#walk.end(generation!, new Error('it was given up'));
    await done.catch(() => undefined);
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
