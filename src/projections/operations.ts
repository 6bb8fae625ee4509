import { Problem } from '../domain/problems.ts';
import type { OperationEvent } from '../domain/operation/events.ts';
import { variantOf } from '../read-models/generation-variant.ts';
import { inBackground } from '../support/background.ts';
import type { EventContext, EventStore } from '../ports/event-store.ts';
import { leaseRenewalMs, leaseTtlMs } from '../ports/leases.ts';
import { pause } from '../support/pause.ts';
import type { Sql } from '../ports/sql.ts';
import type { Generation } from './generation.ts';
import {
  dropGeneration,
  dropUnfinished,
  failBuilding,
  readGenerations,
  setComparison,
  type GenerationRow,
  type GenerationState,
} from './generations.ts';
import { OperatorActs } from './operator-acts.ts';
import type { EventPlace } from './parked-table.ts';
import { beginRebuild, type RebuildProgress, type RebuildResult } from './rebuild.ts';
import { RebuildCoordinator } from './rebuild-coordinator.ts';
import { tablesOf, type Tables } from './projection.ts';
import type { ProjectionRunner } from './runner.ts';
import type { ComparedQuery, ShadowComparison } from './shadow.ts';
import { readStatus, type ProjectionStatus } from './status.ts';
import { switchWhenLevel } from './switch-when-level.ts';

export interface RebuildOptions {
  /** Id of the model for vectors; the model of the live ones by default. */
  readonly variant?: string;
  /** Queries for comparing the models. */
  readonly queries?: readonly ComparedQuery[];
}

interface RunningRebuild {
  /** Undefined while the rebuild is being set up. */
  generation?: Generation;
  progress: RebuildProgress;
  done: Promise<RebuildResult>;
  /** The generation is filled and compared. */
  isReady: boolean;
  /** Releases the lease of the rebuild. */
  releaseLease?: () => Promise<void>;
}

export interface OperationOptions {
  /** Compares the models if a new generation has vectors of another model than the live one. */
  readonly compare?: ShadowComparison;
  /** Prepares what searches need besides the tables of a generation, before they read it. */
  readonly beforeSwitch?: (generation: { readonly name: string; readonly tables: Tables }) => Promise<void>;
  /** Called once for each error that stalls a rebuild. */
  readonly onFailure?: (projection: string, error: unknown) => void;
}

/** The generations that queries read before and after an operation. */
export type GenerationChange = {
  readonly from: number;
  readonly to: number;
  /** `from` is still being built and is abandoned; queries read `to`, as before. */
  readonly ended?: true;
};

export type Switched = GenerationChange & {
  /** Position of the event of the operation. */
  readonly position: number;
};

/** The event to be skipped in a parked stream. */
export type ParkedEvent = Pick<EventPlace, 'revision' | 'type'>;

/**
 * What operators do to projections. Every operation is recorded as an event. An operation whose repetition would do more is planned first:
 * executed again with the same plan and the same command, it does what is left to do, or nothing.
 */
export class ProjectionOperations {
  readonly #sql: Sql;
  readonly #store: EventStore;
  readonly #runner: ProjectionRunner;
  readonly #running = new Map<string, RunningRebuild>();
  readonly #stop = new AbortController();
  readonly #rebuilds: RebuildCoordinator;
  readonly #acts: OperatorActs;
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
    this.#acts = new OperatorActs(store);
    this.#rebuilds = new RebuildCoordinator(sql, store, this.#stop.signal, onFailure);
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

  /** The generation that an earlier attempt of the command began to build, unless it failed, was dropped, or is no longer being built. */
  async begun(name: string, { commandId }: EventContext): Promise<number | undefined> {
    const numbers = commandId === undefined ? [] : await this.#acts.generationsBegun(name, commandId);
    if (numbers.length === 0) return undefined;
    const isBuilt = this.#running.has(name) || (await this.#runner.leases.holders()).has(rebuildLease(name));
    const lost: readonly GenerationState[] = isBuilt ? ['failed'] : ['failed', 'building'];
    const rows = (await readGenerations(this.#sql)).filter((row) => row.name === name);
    return rows.findLast(({ generation, state }) => !lost.includes(state) && numbers.includes(generation))
      ?.generation;
  }

  /** Starts building a generation beside the live one. `done` resolves when both have been compared. */
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
    // It is ready and is only being recorded.
    if (before?.isReady) await before.done.catch(() => undefined);
    // Another process has dropped it; its fill would notice with its next step.
    else if (before?.generation && !(await this.#exists(before.generation))) await this.#abandon(before);
    if (this.#running.has(name)) throw underWay(name);
    const entry: RunningRebuild = {
      progress: { projection: name, generation: 0, position: 0, head: 0 },
      done: Promise.resolve() as Promise<unknown> as Promise<RebuildResult>,
      isReady: false,
    };
    this.#running.set(name, entry);
    try {
      entry.releaseLease = await this.#takeLease(name, entry);
      const generation = await beginRebuild(this.#sql, projection, this.#runner.partitioning);
      entry.generation = generation;
      // Stops the processors of the generations that were dropped.
      await this.#runner.refresh();
      await this.#acts.record(name, context, {
        type: 'ProjectionRebuildBegun',
        data: { projection: name, generation: generation.number },
      });
      entry.done = inBackground(() => this.#fill(generation, context, queries, entry));
      entry.done.catch(() => undefined);
      return { generation: generation.number, done: entry.done };
    } catch (error) {
      if (entry.generation) await this.#fail(entry.generation, error);
      await entry.releaseLease?.();
      this.#running.delete(name);
      throw error;
    }
  }

  /** What `switch` or `rollback` would do now. Rejects with `rebuild-not-ready` if there is nothing to do. */
  async plan(operation: 'switch' | 'rollback', name: string): Promise<GenerationChange> {
    if (!this.#runner.projection(name)) throw unknownProjection(name);
    const rows = (await readGenerations(this.#sql)).filter((row) => row.name === name);
    const live = rows.find((row) => row.active);
    if (!live) throw unknownProjection(name);
    const building = rows.findLast((row) => row.state === 'building');
    if (operation === 'rollback' && building)
      return { from: building.generation, to: live.generation, ended: true };
    const state = operation === 'switch' ? 'ready' : 'standby';
    const next = rows.findLast((row) => !row.active && row.state === state);
    if (!next) throw new Problem('rebuild-not-ready', `${name} has no generation that is ${state}`);
    return { from: live.generation, to: next.generation };
  }

  /** Makes the rebuilt generation live. */
  async switch(name: string, context: EventContext, plan?: GenerationChange): Promise<Switched> {
    return this.#switchTo(name, plan ?? (await this.plan('switch', name)), false, context);
  }

  /** Ends a running rebuild, in whatever process, or makes the previous generation live again. */
  async rollback(name: string, context: EventContext, plan?: GenerationChange): Promise<Switched> {
    const change = plan ?? (await this.plan('rollback', name));
    return change.ended ? this.#end(name, change, context) : this.#switchTo(name, change, true, context);
  }

  /** Gives the events of a parked stream to the projection again. Rejects with `still-parked` and the reason. */
  async retry(name: string, stream: string, context: EventContext): Promise<void> {
    await this.#acts.record(name, context, {
      type: 'ParkedStreamRetried',
      data: { projection: name, stream },
    });
    await this.#runner.retry(name, stream);
  }

  /** The event at which a stream is parked. Rejects with `not-found` if it is not parked. */
  async parkedAt(name: string, stream: string): Promise<ParkedEvent> {
    const place = await this.#runner.parkedAt(name, stream);
    if (!place) throw new Problem('not-found', `${stream} is not parked in ${name}`);
    return { revision: place.revision, type: place.type };
  }

  /** Skips the event at which a stream is parked. The rest of the stream is applied, or is parked at a later event. */
  async skip(name: string, stream: string, context: EventContext, plan?: ParkedEvent): Promise<ParkedEvent> {
    const skipped = plan ?? (await this.parkedAt(name, stream));
    await this.#runner.skip(name, stream, skipped.revision);
    await this.#acts.record(name, context, {
      type: 'ParkedEventSkipped',
      data: { projection: name, stream, ...skipped },
    });
    await this.#runner.retry(name, stream);
    return skipped;
  }

  /**
   * Rebuilds and switches generations of older versions of the program, one after another. Drops generations that cannot be kept up to
   * date here: erased content would stay in them.
   */
  async renewStale(context: EventContext): Promise<void> {
    for (const name of await this.#runner.stale()) {
      const { done } = await this.rebuild(name, context);
      await done;
      await this.switch(name, context);
    }
    for (const row of await readGenerations(this.#sql)) {
      const projection = this.#runner.projection(row.name);
      const isComplete = row.state === 'standby' || row.state === 'ready';
      if (projection && isComplete && !this.#runner.generation(row))
        await dropGeneration(this.#sql, projection, row.generation);
    }
  }

  /** Ends the rebuilds of processes that have terminated: erasures do not reach what they have built. */
  async endInterrupted(context: EventContext): Promise<void> {
    const left = await this.#abandoned();
    if (left.length === 0) return;
    // A process that was only delayed renews its lease meanwhile.
    await pause(leaseTtlMs, this.#stop.signal);
    let failure: unknown;
    for (const row of left) {
      if (this.#stop.signal.aborted) return;
      // A failure must not keep the others from being ended.
      await this.#endAbandoned(row, context).catch((error: unknown) => (failure ??= error));
    }
    if (failure !== undefined) throw failure;
  }

  async #endAbandoned({ name, generation }: GenerationRow, context: EventContext): Promise<void> {
    const { leases } = this.#runner;
    if (this.#running.has(name) || (await leases.hold(rebuildLease(name))) === undefined) return;
    try {
      const rows = await readGenerations(this.#sql);
      const isStillBuilt = rows.some(
        (row) => row.name === name && row.generation === generation && row.state === 'building',
      );
      const live = isStillBuilt && !this.#running.has(name) ? await this.#live(name) : undefined;
      if (live) await this.#end(name, { from: generation, to: live.generation, ended: true }, context);
    } finally {
      if (!this.#running.has(name)) await leases.release(rebuildLease(name));
    }
  }

  /** Generations in the state `building` whose lease nobody holds. */
  async #abandoned(): Promise<readonly GenerationRow[]> {
    const rows = await readGenerations(this.#sql);
    const held = await this.#runner.leases.holders();
    return rows.filter(
      ({ name, state }) =>
        state === 'building' &&
        !this.#running.has(name) &&
        !held.has(rebuildLease(name)) &&
        this.#runner.projection(name),
    );
  }

  /**
   * Takes the lease of a rebuild and renews it until the returned function is called. Rejects with `rebuild-in-progress` if another
   * process holds it. If another process has dropped the generation, its fill ends here.
   */
  async #takeLease(name: string, running: RunningRebuild): Promise<() => Promise<void>> {
    const { leases } = this.#runner;
    if ((await leases.hold(rebuildLease(name))) === undefined) throw underWay(name);
    const renew = async (): Promise<void> => {
      await leases.hold(rebuildLease(name));
      const { generation, isReady } = running;
      if (generation && !isReady && !(await this.#exists(generation)))
        this.#rebuilds.end(generation, new Error('it was abandoned'));
    };
    let renewed = Promise.resolve();
    const renewal = setInterval(() => {
      const renewing = renew().catch(() => undefined);
      renewed = Promise.all([renewed, renewing]).then(() => undefined);
    }, leaseRenewalMs);
    return async () => {
      clearInterval(renewal);
      // A pending renewal would take the lease again after its release.
      await renewed;
      await leases.release(rebuildLease(name)).catch(() => undefined);
    };
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
      const result = await this.#rebuilds.fill(generation, (now) => (running.progress = now));
      running.isReady = true;
      const { digest, liveDigest, position } = result;
      await this.#acts.record(name, context, {
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
      await this.#fail(generation, error);
      throw error;
    } finally {
      await running.releaseLease?.();
      this.#running.delete(name);
    }
  }

  /** If this cannot be recorded either, the rebuild is ended later like one of a terminated process. */
  async #fail({ projection, number }: Generation, error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    await failBuilding(this.#sql, projection, number, message).catch(() => undefined);
  }

  /** Only for vectors of another model. The generation is ready even if the models cannot be compared. */
  async #compareModels(
    { projection: { name, variant: model }, number }: Generation,
    context: EventContext,
    queries: readonly ComparedQuery[] | undefined,
  ): Promise<void> {
    const live = await this.#live(name);
    if (!this.#compare || name !== 'vectors' || model === undefined) return;
    // This process cannot embed queries with the live model.
    if (!live || !this.#runner.generation(live)) return;
    const liveModel = variantOf(live.signature);
    if (model === liveModel) return;
    try {
      const comparison = await this.#compare({ model, liveModel, queries }, this.#stop.signal);
      await setComparison(this.#sql, name, number, { comparison });
      await this.#acts.record(name, context, {
        type: 'ModelsCompared',
        data: { projection: name, generation: number, ...comparison },
      });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      await setComparison(this.#sql, name, number, { error: `not compared: ${reason}` });
    }
  }

  async #exists({ projection: { name }, number }: Generation): Promise<boolean> {
    const rows = await readGenerations(this.#sql);
    return rows.some((row) => row.name === name && row.generation === number);
  }

  async #live(name: string): Promise<GenerationRow | undefined> {
    const rows = await readGenerations(this.#sql);
    return rows.find((row) => row.name === name && row.active);
  }

  async #switchTo(
    name: string,
    { from, to }: GenerationChange,
    rollback: boolean,
    context: EventContext,
  ): Promise<Switched> {
    const switched: OperationEvent = {
      type: 'ProjectionSwitched',
      data: { projection: name, from, to, rollback },
    };
    // An earlier attempt has switched; somebody may have switched back since.
    const before = await this.#acts.recorded(name, context, switched);
    if (before) return { from, to, position: before.position };
    const rows = (await readGenerations(this.#sql)).filter((row) => row.name === name);
    const next = rows.find((row) => row.generation === to);
    if (!next?.active) {
      if (!next || !rows.some((row) => row.active && row.generation === from))
        throw new Problem('rebuild-not-ready', `${name} was switched to another generation meanwhile`);
      await this.#beforeSwitch?.({ name, tables: tablesOf(to) });
      const switching = switchWhenLevel({ sql: this.#sql, store: this.#store, runner: this.#runner }, next);
      await switching.catch(async (error: unknown) => {
        // A concurrent repetition of the command was faster.
        if (!(error instanceof Problem) || (await this.#live(name))?.generation !== to) throw error;
      });
    }
    const position = await this.#acts.record(name, context, switched);
    await this.#runner.refresh();
    return { from, to, position };
  }

  async #end(name: string, { from, to }: GenerationChange, context: EventContext): Promise<Switched> {
    const projection = this.#runner.projection(name);
    if (!projection) throw unknownProjection(name);
    const running = this.#running.get(name);
    if (running?.generation?.number === from) await this.#abandon(running);
    // If another process fills it, that process finds it dropped.
    if (!(await dropUnfinished(this.#sql, projection, from)))
      throw new Problem('rebuild-not-ready', `generation ${from} of ${name} has been completed meanwhile`);
    await this.#runner.refresh();
    const position = await this.#acts.record(name, context, {
      type: 'ProjectionRebuildEnded',
      data: { projection: name, generation: from },
    });
    return { from, to, position, ended: true };
  }

  async #abandon({ generation, done }: RunningRebuild): Promise<void> {
    this.#rebuilds.end(generation!, new Error('it was abandoned'));
    await done.catch(() => undefined);
  }
}

/** The holder of this lease builds a generation of the projection. */
const rebuildLease = (name: string): string => `rebuild/${name}`;

function underWay(name: string): Problem {
  return new Problem('rebuild-in-progress', `${name} is being rebuilt`, { retryAfter: 5 });
}

function unknownProjection(name: string): Problem {
  return new Problem('not-found', `there is no projection ${name}`);
}
