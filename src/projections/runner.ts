import { Problem } from '../domain/problems.ts';
import { variantOf } from '../read-models/generation-variant.ts';
import type { StreamName } from '../ports/event-log.ts';
import { inBackground } from '../support/background.ts';
import type { EventStore, OpenedEvents } from '../ports/event-store.ts';
import type { LeaseHolder, Leases } from '../ports/leases.ts';
import { pause } from '../support/pause.ts';
import type { Sql } from '../ports/sql.ts';
import type { WakeUp } from '../support/wake-up.ts';
import { ErasedStreams } from './erased-streams.ts';
import { Generation } from './generation.ts';
import { retryParked, skipParked } from './parked.ts';
import type { EventPlace } from './parked-table.ts';
import { ensureLive, readGenerations, type GenerationRow } from './generations.ts';
import { LogSource } from './log-source.ts';
import { samePartitions, type Partitioning } from './partitions.ts';
import { isTransient } from '../processors/transient.ts';
import { signatureOf, type Projection } from './projection.ts';
import type { Source } from './source.ts';
import { TopicSource, type Topics } from './topic-source.ts';

/** Another process may have built, switched or dropped a generation. */
const refreshMs = 2_000;
/** Between two tries of what the log was faster than. */
const againMs = 50;

export interface RunnerOptions {
  readonly sql: Sql;
  readonly store: EventStore;
  readonly projections: readonly Projection[];
  /** Woken after each step, for queries that wait for a position. */
  readonly progress: WakeUp;
  /** Say which of the processes that may run the same projections does. */
  readonly leases: Leases;
  /** Where the relay publishes the log; without it the projections read the log itself. */
  readonly topics?: Topics;
  readonly onError: (projection: string, error: unknown) => void;
}

/** Keeps every generation of every projection up with the log, each at its own pace. */
export class ProjectionRunner {
  readonly #options: RunnerOptions;
  readonly #source: Source;
  readonly #stop = new AbortController();
  readonly #loops = new Map<string, { stop: AbortController; done: Promise<void> }>();
  #background: readonly Promise<void>[] = [];
  #refreshing: Promise<void> = Promise.resolve();
  readonly #erased: ErasedStreams;

  constructor(options: RunnerOptions) {
    this.#options = options;
    const { sql, store, leases, topics, progress, onError } = options;
    this.#erased = new ErasedStreams(store.log);
    const reports = { onStep: () => progress.wake(), onError };
    this.#source = topics
      ? new TopicSource(topics, sql, store, leases, reports)
      : new LogSource(sql, store, leases, reports);
  }

  get leases(): Leases {
    return this.#options.leases;
  }

  get partitioning(): Partitioning {
    return this.#source.partitioning;
  }

  /** Creates what is missing: from here on queries find every read model. */
  async prepare(): Promise<void> {
    const { projections, sql } = this.#options;
    for (const projection of projections) await ensureLive(sql, projection, this.partitioning);
  }

  /** Begins to run. Generations of another signature stay as they are: see `stale`. */
  async start(): Promise<void> {
    this.#background = [
      inBackground(() => this.#source.follow(this.#stop.signal)),
      inBackground(() => this.#regularly(() => this.refresh())),
      inBackground(() => this.#regularly(() => this.#releaseErased())),
    ];
    await this.refresh();
  }

  /** Starts loops for generations that came and ends those of generations that went. Nothing before `start`. */
  async refresh(): Promise<void> {
    if (this.#background.length === 0) return;
    const refreshed = this.#refreshing.then(() => this.#refresh());
    this.#refreshing = refreshed.catch(() => undefined);
    await refreshed;
  }

  /**
   * The live generations that were built by another version of their projection, or from a log that was divided
   * otherwise: to be rebuilt.
   */
  async stale(): Promise<string[]> {
    const rows = await readGenerations(this.#options.sql);
    return rows
      .filter((row) => row.active && this.projection(row.name) && !this.generation(row))
      .map((row) => row.name);
  }

  /** Which process runs each generation, by `name/generation`. */
  async holders(): Promise<Map<string, LeaseHolder>> {
    return this.#source.holders();
  }

  /** Undefined where it is of another version of the projection, or of a log that was divided otherwise. */
  generation(row: GenerationRow): Generation | undefined {
    const projection = this.projection(row.name, variantOf(row.signature));
    if (!projection || row.signature !== signatureOf(projection)) return undefined;
    if (!samePartitions(row.bookmarks, this.partitioning.partitionsOf(projection))) return undefined;
    return new Generation(this.#options.sql, projection, row.generation, this.partitioning);
  }

  /** Its rows in the variant that the configuration chooses, or in the one named, where it can be kept here. */
  projection(name: string, variant?: string): Projection | undefined {
    const projection = this.#options.projections.find((candidate) => candidate.name === name);
    const isOther = variant !== undefined && variant !== (projection?.variant ?? '');
    return isOther ? projection?.inVariant?.(variant) : projection;
  }

  /**
   * Gives a parked stream's events to its projection again. Answers whether it was parked; rejects with `still-parked`
   * where the projection cannot apply them yet.
   */
  async retry(name: string, stream: string): Promise<boolean> {
    let wasParked = false;
    let refusal: Problem | undefined;
    for (const generation of await this.#generationsOf(name)) {
      if (!(await generation.parked.at(this.#options.sql, stream))) continue;
      wasParked = true;
      try {
        while (!(await this.#retryOnce(generation, stream))) await this.#again();
      } catch (error) {
        if (isTransient(error) || this.#stop.signal.aborted) throw error;
        const detail = `${name} and ${stream}: ${(error as Error).message}`;
        refusal ??= new Problem('still-parked', detail, { cause: error });
      }
    }
    if (refusal) throw refusal;
    return wasParked;
  }

  /** The event that a parked stream waits with, undefined where it is not parked. */
  async parkedAt(name: string, stream: string): Promise<EventPlace | undefined> {
    for (const generation of await this.#generationsOf(name)) {
      const place = await generation.parked.at(this.#options.sql, stream);
      if (place) return place;
    }
    return undefined;
  }

  /** Leaves out the event at `revision` wherever its stream waits with it. Answers whether it did anywhere. */
  async skip(name: string, stream: string, revision: number): Promise<boolean> {
    let wasParked = false;
    for (const generation of await this.#generationsOf(name)) {
      let outcome: boolean | 'behind' = 'behind';
      while (outcome === 'behind') {
        const { covered, events, unreadable } = await this.#streamOf(generation, stream);
        const places = [...events.map((event) => ({ ...event, type: event.event.type })), ...unreadable];
        places.sort((left, right) => left.position - right.position);
        outcome = await skipParked(generation, stream, revision, places, covered);
        if (outcome === 'behind') await this.#again();
      }
      wasParked ||= outcome;
    }
    return wasParked;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    for (const loop of this.#loops.values()) loop.stop.abort();
    await Promise.all([...this.#background, ...[...this.#loops.values()].map((loop) => loop.done)]);
  }

  async #generationsOf(name: string): Promise<Generation[]> {
    if (!this.projection(name)) throw new Problem('not-found', `no projection ${name}`);
    const rows = await readGenerations(this.#options.sql);
    return rows.flatMap((row) =>
      row.name === name && row.state !== 'failed' ? (this.generation(row) ?? []) : [],
    );
  }

  /** Before something is done again since the log went on meanwhile. Rejects where the process stops. */
  async #again(): Promise<void> {
    await pause(againMs, this.#stop.signal);
    if (this.#stop.signal.aborted) throw new Problem('unavailable', 'this process stops', { retryAfter: 2 });
  }

  /** False where the stream has gone on meanwhile: to be done again. */
  async #retryOnce(generation: Generation, stream: string): Promise<boolean> {
    const { covered, events, unreadable } = await this.#streamOf(generation, stream);
    const waiting = await generation.parked.at(this.#options.sql, stream);
    // What was left out before it may be unreadable for ever.
    const blocking = unreadable.find(({ position }) => waiting && position >= waiting.position);
    if (blocking) throw blocking.error;
    return retryParked(generation, stream, events, covered);
  }

  /** What the projection handles of a stream, and how far the log was then. */
  async #streamOf({ projection }: Generation, stream: string): Promise<OpenedEvents & { covered: number }> {
    const { store } = this.#options;
    const covered = await store.log.head();
    const recorded = await store.log.readStream(stream as StreamName);
    const handled = recorded.filter(({ type }) => (projection.handles as readonly string[]).includes(type));
    return { covered, ...(await store.open(handled)) };
  }

  /** A database that is away is told by the loops of the generations. */
  async #regularly(work: () => Promise<void>): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await pause(refreshMs, signal);
      if (!signal.aborted) await work().catch(() => undefined);
    }
  }

  /**
   * Lets the erasure of a memory through whose stream is parked: what it waits with has lost its content, and is left out
   * where it cannot be applied even so. The read models would keep the content otherwise.
   */
  async #releaseErased(): Promise<void> {
    const { sql, onError } = this.#options;
    const [first] = await sql.query<{ position: number | null }>(
      'select min(position) as position from read.parked',
    );
    if (typeof first?.position !== 'number') return;
    // One process alone: what one skips, another one might find gone and skip the next.
    if ((await this.leases.hold('release-erased')) === undefined) return;
    // The erasure may be the very event that a stream waits with.
    const erased = await this.#erased.since(first.position - 1, this.#stop.signal);
    const parked = await sql.query<{ name: string; stream: StreamName }>(
      'select distinct name, stream from read.parked where stream = any ($1)',
      [[...erased]],
    );
    for (const { name, stream } of parked) {
      if (this.#stop.signal.aborted) return;
      if (this.projection(name))
        await this.#release(name, stream).catch((error: unknown) => onError(name, error));
    }
  }

  async #release(name: string, stream: StreamName): Promise<void> {
    for (;;) {
      try {
        await this.retry(name, stream);
        return;
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== 'still-parked') throw error;
        const waiting = await this.parkedAt(name, stream);
        if (!waiting) return;
        // The erasure itself is never left out.
        if (waiting.type === 'MemoryErased') throw error;
        await this.skip(name, stream, waiting.revision);
      }
    }
  }

  async #refresh(): Promise<void> {
    const rows = await readGenerations(this.#options.sql);
    const wanted = new Map<string, Generation>();
    for (const row of rows) {
      const generation = this.generation(row);
      if (!generation || row.state === 'building' || row.state === 'failed') continue;
      wanted.set(generation.key, generation);
    }
    const gone = [...this.#loops].filter(([key]) => !wanted.has(key));
    for (const [, loop] of gone) loop.stop.abort();
    await Promise.all(gone.map(([, loop]) => loop.done));
    for (const [key] of gone) this.#loops.delete(key);
    for (const [key, generation] of wanted) {
      if (this.#loops.has(key) || this.#stop.signal.aborted) continue;
      const stop = new AbortController();
      this.#loops.set(key, { stop, done: inBackground(() => this.#source.run(generation, stop.signal)) });
    }
  }
}
