import { Problem } from '../domain/problems.ts';
import type { EventContext, EventStore } from '../ports/event-store.ts';
import { leaseRenewalMs, leaseTtlMs } from '../ports/leases.ts';
import type { Sql } from '../ports/sql.ts';
import { variantOf } from '../read-models/generation-variant.ts';
import { inBackground } from '../support/background.ts';
import { pause } from '../support/pause.ts';
import type { GenerationChange, Switched } from './generation-change.ts';
import type { Generation } from './generation.ts';
import { dropUnfinished, failBuilding } from './drop-generation.ts';
import { readGenerations, setComparison, type GenerationRow, type GenerationState } from './generations.ts';
import type { OperatorActs } from './operator-acts.ts';
import { beginRebuild, type RebuildProgress, type RebuildResult } from './rebuild.ts';
import { RebuildCoordinator } from './rebuild-coordinator.ts';
import type { ProjectionRunner } from './runner.ts';
import type { ComparedQuery, ShadowComparison } from './shadow.ts';

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
  /** True once the generation is filled and compared. */
  isReady: boolean;
  /** Releases the lease of the rebuild. */
  releaseLease?: () => Promise<void>;
}

export interface RebuildsOptions {
  readonly sql: Sql;
  readonly store: EventStore;
  readonly runner: ProjectionRunner;
  readonly acts: OperatorActs;
  /** Compares the models if a new generation has vectors of another model than the live one. */
  readonly compare?: ShadowComparison | undefined;
  /** Called once for each error that stalls a rebuild. */
  readonly onFailure?: ((projection: string, error: unknown) => void) | undefined;
}

/** The rebuilds of this process, at most one for each read model, and those that other processes left unfinished. */
export class Rebuilds {
  readonly #options: RebuildsOptions;
  readonly #sql: Sql;
  readonly #runner: ProjectionRunner;
  readonly #acts: OperatorActs;
  readonly #running = new Map<string, RunningRebuild>();
  readonly #stop = new AbortController();
  readonly #coordinator: RebuildCoordinator;

  constructor(options: RebuildsOptions) {
    const { sql, store, runner, acts, onFailure } = options;
    this.#options = options;
    this.#sql = sql;
    this.#runner = runner;
    this.#acts = acts;
    this.#coordinator = new RebuildCoordinator(sql, store, this.#stop.signal, onFailure);
  }

  /** The progress of a rebuild in this process. */
  progressOf(name: string): RebuildProgress | undefined {
    return this.#running.get(name)?.progress;
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
  async start(
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
    // The earlier rebuild is ready; only its event is still being written.
    if (before?.isReady) await before.done.catch(() => undefined);
    // Another process has dropped the generation, which its fill would notice only with its next step.
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
      const generation = await beginRebuild(this.#sql, projection, this.#runner.partitioningOf(projection));
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
      if (live) await this.end(name, { from: generation, to: live.generation, ended: true }, context);
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
        this.#coordinator.end(generation, new Error('it was abandoned'));
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

  /** Ends the rebuild of `from`, in whatever process. */
  async end(name: string, { from, to }: GenerationChange, context: EventContext): Promise<Switched> {
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
    this.#coordinator.end(generation!, new Error('it was abandoned'));
    await done.catch(() => undefined);
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
      const result = await this.#coordinator.fill(generation, (now) => (running.progress = now));
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

  /** Records that a rebuild has failed. If that fails too, the rebuild is ended later, like one of a terminated process. */
  async #fail({ projection, number }: Generation, error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    await failBuilding(this.#sql, projection, number, message).catch(() => undefined);
  }

  /** Compares the models of vectors, if they differ. The generation is ready even if the models cannot be compared. */
  async #compareModels(
    { projection: { name, variant: model }, number }: Generation,
    context: EventContext,
    queries: readonly ComparedQuery[] | undefined,
  ): Promise<void> {
    const live = await this.#live(name);
    if (!this.#options.compare || name !== 'vectors' || model === undefined) return;
    // This process cannot embed queries with the live model.
    if (!live || !this.#runner.generation(live)) return;
    const liveModel = variantOf(live.signature);
    if (model === liveModel) return;
    try {
      const comparison = await this.#options.compare({ model, liveModel, queries }, this.#stop.signal);
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
}

/** The holder of this lease builds a generation of the projection. */
const rebuildLease = (name: string): string => `rebuild/${name}`;

function underWay(name: string): Problem {
  return new Problem('rebuild-in-progress', `${name} is being rebuilt`, { retryAfter: 5 });
}

function unknownProjection(name: string): Problem {
  return new Problem('not-found', `there is no projection ${name}`);
}
