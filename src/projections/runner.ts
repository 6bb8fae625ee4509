import { Problem } from '../domain/problems.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { LeaseHolder, Leases } from '../ports/leases.ts';
import type { Sql } from '../ports/sql.ts';
import type { Surface } from '../ports/surface.ts';
import { LeaseLost, type EventProcessor } from '../follow/processor.ts';
import { ProcessorRunner } from '../follow/processor-runner.ts';
import { variantOf } from '../read-models/generation-variant.ts';
import { inBackground } from '../support/background.ts';
import { pause } from '../support/pause.ts';
import type { WakeUp } from '../support/wake-up.ts';
import { ErasedStreamRelease } from '../follow/erased-stream-release.ts';
import { Generation } from './generation.ts';
import { ensureLive, readGenerations, type GenerationRow } from './generations.ts';
import { LogSource } from './log-source.ts';
import { ParkedStreams } from '../follow/parked-streams.ts';
import type { EventPlace } from '../follow/parked-table.ts';
import { samePartitions, type Partitioning } from '../follow/partitions.ts';
import { signatureOf, type Projection } from './projection.ts';
import type { Source } from './source.ts';
import { readModelSurfaces } from './surfaces.ts';
import { TopicSource, type Topics } from './topic-source.ts';

/** How often generations that another process has built, switched or dropped are looked for. */
const refreshMs = 2_000;

export interface RunnerOptions {
  readonly sql: Sql;
  readonly store: EventStore;
  readonly projections: readonly Projection[];
  /** Woken whenever a checkpoint has moved, for queries that wait for a position. */
  readonly progress: WakeUp;
  /** Decide which process runs a projection that several processes may run. */
  readonly leases: Leases;
  /** Where the relay publishes the log; without it the projections read the log itself. */
  readonly topics?: Topics;
  readonly onError: (projection: string, error: unknown) => void;
}

/** Keeps every generation of every projection up to date, each at its own pace. */
export class ProjectionRunner {
  readonly #options: RunnerOptions;
  readonly #source: Source;
  readonly #parked: ParkedStreams;
  readonly #stop = new AbortController();
  /** The runners, by the key of their generation. */
  readonly #runners = new Map<string, ProcessorRunner>();
  readonly #release: ProcessorRunner;
  #background: readonly Promise<void>[] = [];
  #refreshing: Promise<void> = Promise.resolve();

  constructor(options: RunnerOptions) {
    this.#options = options;
    const { sql, store, leases, topics, onError } = options;
    this.#source = topics ? new TopicSource(topics, sql, store, leases) : new LogSource(sql, store);
    this.#parked = new ParkedStreams({
      sql,
      store,
      followersOf: (name) => this.#generationsOf(name),
      signal: this.#stop.signal,
    });
    const release = new ErasedStreamRelease({
      sql,
      log: store.log,
      parked: this.#parked,
      isProjection: (name) => this.projection(name) !== undefined,
      onError,
    });
    this.#release = this.#runnerOf(release, release.name);
  }

  get leases(): Leases {
    return this.#options.leases;
  }

  /** Where this process holds content of memories: the read models, and the events that are being applied. */
  get surfaces(): readonly Surface[] {
    const { sql, projections } = this.#options;
    const generationsOf = (name: string) => this.#generationsOf(name);
    return [...readModelSurfaces(projections, { sql, generationsOf }), ...this.#source.surfaces];
  }

  partitioningOf(projection: Projection): Partitioning {
    return this.#source.partitioningOf(projection);
  }

  /** Creates missing generations: from then on queries find every read model. */
  async prepare(): Promise<void> {
    const { projections, sql } = this.#options;
    for (const projection of projections) await ensureLive(sql, projection, this.partitioningOf(projection));
  }

  /** Starts running. Generations of another signature stay as they are: see `stale`. */
  async start(): Promise<void> {
    this.#background = [
      inBackground(() => this.#source.follow(this.#stop.signal)),
      inBackground(() => this.#refreshRegularly()),
    ];
    this.#release.start();
    await this.refresh();
  }

  /** Starts generations that were added and stops those that were dropped. Does nothing before `start`. */
  async refresh(): Promise<void> {
    if (this.#background.length === 0) return;
    const refreshed = this.#refreshing.then(() => this.#refresh());
    this.#refreshing = refreshed.catch(() => undefined);
    await refreshed;
  }

  /**
   * The read models whose live generation must be rebuilt: it was built by another version of the projection, or from a log with
   * other partitions.
   */
  async stale(): Promise<string[]> {
    const rows = await readGenerations(this.#options.sql);
    return rows
      .filter((row) => row.active && this.projection(row.name) && !this.generation(row))
      .map((row) => row.name);
  }

  /** Which process runs each generation, by `name/generation`. */
  holders(): Promise<Map<string, LeaseHolder>> {
    return this.#options.leases.holders();
  }

  /** Undefined if it belongs to another version of the projection, or to a log with other partitions. */
  generation(row: GenerationRow): Generation | undefined {
    const projection = this.projection(row.name, variantOf(row.signature));
    if (!projection || row.signature !== signatureOf(projection)) return undefined;
    const partitioning = this.partitioningOf(projection);
    if (!samePartitions(row.checkpoints, partitioning.partitionsOf(projection))) return undefined;
    return new Generation(this.#options.sql, projection, row.generation, partitioning);
  }

  /** The projection in the configured variant, or in the given one if this process can maintain it. */
  projection(name: string, variant?: string): Projection | undefined {
    const projection = this.#options.projections.find((candidate) => candidate.name === name);
    const isOther = variant !== undefined && variant !== (projection?.variant ?? '');
    return isOther ? projection?.inVariant?.(variant) : projection;
  }

  /** See `ParkedStreams.retry`. */
  retry(name: string, stream: string): Promise<boolean> {
    return this.#parked.retry(name, stream);
  }

  /** See `ParkedStreams.parkedAt`. */
  parkedAt(name: string, stream: string): Promise<EventPlace | undefined> {
    return this.#parked.parkedAt(name, stream);
  }

  /** See `ParkedStreams.skip`. */
  skip(name: string, stream: string, revision: number): Promise<boolean> {
    return this.#parked.skip(name, stream, revision);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all([
      ...this.#background,
      this.#release.stop(),
      ...[...this.#runners.values()].map((runner) => runner.stop()),
    ]);
  }

  async #generationsOf(name: string): Promise<Generation[]> {
    if (!this.projection(name)) throw new Problem('not-found', `no projection ${name}`);
    const rows = await readGenerations(this.#options.sql);
    return rows.flatMap((row) =>
      row.name === name && row.state !== 'failed' ? (this.generation(row) ?? []) : [],
    );
  }

  /** An unreachable database is reported by the processors. */
  async #refreshRegularly(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await pause(refreshMs, signal);
      if (!signal.aborted) await this.refresh().catch(() => undefined);
    }
  }

  async #refresh(): Promise<void> {
    const wanted = new Map<string, Generation>();
    for (const row of await readGenerations(this.#options.sql)) {
      const generation = this.generation(row);
      if (!generation || row.state === 'building' || row.state === 'failed') continue;
      wanted.set(generation.key, generation);
    }
    const dropped = [...this.#runners].filter(([key]) => !wanted.has(key));
    await Promise.all(dropped.map(([, runner]) => runner.stop()));
    for (const [key] of dropped) this.#runners.delete(key);
    for (const [key, generation] of wanted) {
      if (this.#runners.has(key) || this.#stop.signal.aborted) continue;
      const runner = this.#runnerOf(this.#source.processorOf(generation), generation.projection.name);
      this.#runners.set(key, runner);
      runner.start();
    }
  }

  #runnerOf(processor: EventProcessor, name: string): ProcessorRunner {
    const { leases, progress, onError } = this.#options;
    return new ProcessorRunner(processor, {
      leases,
      onProgress: () => progress.wake(),
      onError: (error) => {
        // Another process runs the generation now.
        if (!(error instanceof LeaseLost)) onError(name, error);
      },
    });
  }
}
