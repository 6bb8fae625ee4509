import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../domain/problems.ts';
import { inBackground } from '../ports/background.ts';
import type { EventStore, LoadedPage } from '../ports/event-store.ts';
import type { Sql } from '../ports/sql.ts';
import type { WakeUp } from '../ports/wake-up.ts';
import { EventFeed } from './event-feed.ts';
import { BookmarkMoved, Generation } from './generation.ts';
import { ensureLive, readGenerations, type GenerationRow } from './generations.ts';
import { Leases } from './lease.ts';
import { signatureOf, type Projection } from './projection.ts';

const leaseRenewalMs = 1_500;
const firstPauseMs = 100;
const longestPauseMs = 5_000;

export interface RunnerOptions {
  readonly sql: Sql;
  readonly store: EventStore;
  readonly projections: readonly Projection[];
  /** Woken after each step, for queries that wait for a position. */
  readonly progress: WakeUp;
  /** Names this process among those that may run the same projections. */
  readonly holder: string;
  readonly onError: (projection: string, error: unknown) => void;
}

/** Keeps every generation of every projection up with the log, each at its own pace. */
export class ProjectionRunner {
  readonly feed: EventFeed;
  readonly #options: RunnerOptions;
  readonly #leases: Leases;
  readonly #stop = new AbortController();
  readonly #loops = new Map<string, { stop: AbortController; done: Promise<void> }>();
  #follower: Promise<void> = Promise.resolve();

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.feed = new EventFeed(options.store);
    this.#leases = new Leases(options.sql, options.holder);
  }

  /** Creates what is missing and begins to run. Generations of another signature stay as they are: see `stale`. */
  async start(): Promise<void> {
    for (const projection of this.#options.projections) await ensureLive(this.#options.sql, projection);
    this.#follower = inBackground(() => this.feed.follow(this.#stop.signal));
    await this.refresh();
  }

  /** Starts loops for generations that came and ends those of generations that went. */
  async refresh(): Promise<void> {
    const rows = await readGenerations(this.#options.sql);
    const wanted = new Map<string, Generation>();
    for (const row of rows) {
      const projection = this.projection(row.name);
      if (
        !projection ||
        row.signature !== signatureOf(projection) ||
        row.state === 'building' ||
        row.state === 'failed'
      )
        continue;
      wanted.set(
        `${row.name}/${row.generation}`,
        new Generation(this.#options.sql, projection, row.generation),
      );
    }
    for (const [key, loop] of this.#loops) {
      if (wanted.has(key)) continue;
      loop.stop.abort();
      await loop.done;
      this.#loops.delete(key);
    }
    for (const [key, generation] of wanted) {
      if (this.#loops.has(key) || this.#stop.signal.aborted) continue;
      const stop = new AbortController();
      this.#loops.set(key, { stop, done: inBackground(() => this.#run(key, generation, stop.signal)) });
    }
  }

  /** The live generations that were built by another version of their projection: to be rebuilt. */
  async stale(): Promise<string[]> {
    const rows = await readGenerations(this.#options.sql);
    return rows.filter((row) => row.active && this.#isStale(row)).map((row) => row.name);
  }

  /** Which process runs each generation, by `name/generation`. */
  async holders(): Promise<Map<string, 'here' | 'elsewhere'>> {
    return this.#leases.holders();
  }

  projection(name: string): Projection | undefined {
    return this.#options.projections.find((projection) => projection.name === name);
  }

  /** Gives a parked stream's events to its projection again. Rejects with what is wrong with them, if it still is. */
  async retry(name: string, stream: string): Promise<void> {
    const projection = this.projection(name);
    if (!projection) throw new Problem('not-found', `no projection ${name}`);
    const { store, sql } = this.#options;
    for (const row of await readGenerations(sql)) {
      if (row.name !== name || row.signature !== signatureOf(projection)) continue;
      const generation = new Generation(sql, projection, row.generation);
      let done = false;
      while (!done) {
        const covered = await store.log.head();
        const events = await store.load(stream as Parameters<EventStore['load']>[0]);
        const mine = events.filter(({ event }) =>
          (projection.handles as readonly string[]).includes(event.type),
        );
        done = await generation.retry(stream, mine, covered);
      }
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    for (const loop of this.#loops.values()) loop.stop.abort();
    await Promise.all([this.#follower, ...[...this.#loops.values()].map((loop) => loop.done)]);
  }

  #isStale(row: GenerationRow): boolean {
    const projection = this.projection(row.name);
    return projection !== undefined && row.signature !== signatureOf(projection);
  }

  async #run(name: string, generation: Generation, signal: AbortSignal): Promise<void> {
    let pause = firstPauseMs;
    while (!signal.aborted) {
      try {
        await this.#runUnderLease(name, generation, signal, () => (pause = firstPauseMs));
      } catch (error) {
        if (!(error instanceof BookmarkMoved)) this.#options.onError(generation.projection.name, error);
        await sleep(pause * (0.5 + Math.random()), undefined, { signal }).catch(() => undefined);
        pause = Math.min(pause * 2, longestPauseMs);
      }
    }
    await this.#leases.release(name).catch(() => undefined);
  }

  async #runUnderLease(
    name: string,
    generation: Generation,
    signal: AbortSignal,
    onStep: () => void,
  ): Promise<void> {
    let renewAt = 0;
    let standing = await generation.standing();
    let page: LoadedPage | undefined;
    while (!signal.aborted) {
      if (performance.now() >= renewAt) {
        if (!(await this.#leases.hold(name))) {
          await sleep(leaseRenewalMs, undefined, { signal }).catch(() => undefined);
          standing = await generation.standing();
          continue;
        }
        renewAt = performance.now() + leaseRenewalMs;
      }
      page = await this.feed.next(
        standing.bookmark,
        AbortSignal.any([signal, AbortSignal.timeout(leaseRenewalMs)]),
      );
      if (!page) continue;
      standing = await generation.apply(page, standing);
      onStep();
      this.#options.progress.wake();
    }
  }
}
