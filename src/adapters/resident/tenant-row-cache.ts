import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql, SqlExecutor } from '../../ports/sql.ts';
import { idsByTenant, type Surface } from '../../ports/surface.ts';
import { inBackground } from '../../support/background.ts';
import { pause } from '../../support/pause.ts';
import { WakeUp } from '../../support/wake-up.ts';
import { migrate } from '../migrate.ts';
import { CachedSets, keyOf, type CachedSet } from './cached-sets.ts';
import {
  changedSets,
  changesChannel,
  forgetChanges,
  lastChange,
  type KeptRow,
  type RowSet,
} from './changes.ts';
import { LoadQueue } from './load-queue.ts';
import { oidsOf, RecordedTables } from './recorded-tables.ts';
import { ResidentTable, type Contents, type Kind } from './resident-table.ts';
import { changesSchema } from './schema.ts';

/** How long after a notification changes are applied in the background. */
const followAfterMs = 200;
/** Changes are applied in the background at least this often. */
const followEveryMs = 5_000;
/** How long after its last use a set of an unused table is dropped: a search may still be working on it. */
const graceMs = 2_000;
/** How long requests for a set are refused after it did not fit. */
const refusedMs = 600_000;
/** How long requests for a set are refused whose table did not exist. */
const goneMs = 1_000;
/** Pause after a failure. */
const pauseMs = 30_000;

/** A set, and how much memory it will take. */
export interface SizedSet {
  readonly set: RowSet;
  readonly bytes: number;
}

export interface TenantRowCacheOptions {
  /** How much memory a set would take. */
  readonly bytesOf: (executor: SqlExecutor, set: RowSet) => Promise<number>;
  /** The sets to load at startup, most important first. One that does not fit beside those before it is left out. */
  readonly first: (executor: SqlExecutor) => Promise<readonly SizedSet[]>;
  /** Nothing is loaded before it resolves: what searches need more urgently is loaded first. */
  readonly after?: Promise<void> | undefined;
  /** The tables that are read now. If left out, sets stay until their memory is needed, whatever table they are of. */
  readonly inUse?: (executor: SqlExecutor) => Promise<readonly string[]>;
  /** Limit for all sets together: the set that was not used for the longest time is evicted first. */
  readonly mostBytes: number;
  /** Whether a set that exceeds the limit by itself is cached nevertheless. */
  readonly keepsLarger: boolean;
  readonly onError: (error: unknown) => void;
}

/**
 * Caches rows of whole tenants in RAM, in a form that is fast to search. Triggers record every change in the database; the cache
 * applies them in the background, and before each read, so that a reader is never behind what was committed. Works only in a process
 * that has the database to itself, because it must be notified of a change before the writer gets its answer.
 */
export class TenantRowCache<Row extends KeptRow, Kept extends Contents<Row>> {
  readonly #sql: Sql;
  readonly #kind: Kind<Row, Kept>;
  readonly #options: TenantRowCacheOptions;
  readonly #cached: CachedSets<Row, Kept>;
  readonly #queue = new LoadQueue();
  readonly #recorded: RecordedTables;
  readonly #stop = new AbortController();
  /** Wakes with each change and each request to load. */
  readonly #work = new WakeUp();
  /** Wakes with each set that was loaded or failed to load. */
  readonly #settled = new WakeUp();
  /** True after a failure to load, until the next attempt. */
  #isPausing = false;
  /** When the background applies changes again after a failure. Readers apply them by themselves meanwhile. */
  #followsAgainAt = 0;
  /** Resolves when the sets to load at startup are loaded, or cannot be loaded. */
  readonly firstLoaded: Promise<void>;
  #resolveFirstLoaded!: () => void;
  /** How often the connection was lost. */
  #losses = 0;
  #unlisten: (() => Promise<void>) | undefined;
  #following: Promise<void> = Promise.resolve();

  constructor(sql: Sql, kind: Kind<Row, Kept>, options: TenantRowCacheOptions) {
    this.#sql = sql;
    this.#kind = kind;
    this.#options = options;
    this.#cached = new CachedSets(options);
    this.#recorded = new RecordedTables(sql, kind.name);
    this.firstLoaded = new Promise((resolve) => (this.#resolveFirstLoaded = resolve));
  }

  /** Number of memories in the cache. */
  get size(): number {
    return this.#cached.size;
  }

  get bytes(): number {
    return this.#cached.bytes;
  }

  /** Starts to load and to apply changes in the background. */
  async start(): Promise<void> {
    await migrate(this.#sql, 'noted changes', changesSchema);
    this.#unlisten = await this.#sql.listen(changesChannel(this.#kind.name), (missed) => {
      if (missed) this.#reload();
      this.#work.wake();
    });
    this.#following = inBackground(() => this.#follow());
  }

  /** Whether a set is cached. If it is being loaded, waits for at most `longestMs`: must not run inside a transaction. */
  async has(set: RowSet, longestMs: number): Promise<boolean> {
    const loading = this.#queue.loading(set);
    if (loading) await Promise.race([loading, sleep(longestMs, undefined, { ref: false })]);
    return this.#cached.get(set) !== undefined;
  }

  /** Loads a set in the background. False if it was refused a short while ago. */
  want(set: RowSet): boolean {
    if (this.#cached.get(set) || this.#queue.has(set)) return true;
    if (!this.#queue.add(set)) return false;
    this.#work.wake();
    return true;
  }

  /** Loads a set if it is not cached, and waits for at most `longestMs`. False if that fails. Must not run inside a transaction. */
  async load(set: RowSet, longestMs: number): Promise<boolean> {
    const deadline = performance.now() + longestMs;
    for (;;) {
      const cached = this.#cached.get(set);
      if (cached) {
        // Keeps it from being evicted before it is read.
        cached.usedAt = performance.now();
        return true;
      }
      const [seen, left] = [this.#settled.count, deadline - performance.now()];
      if (left <= 0 || this.#isPausing || this.#stop.signal.aborted || !this.want(set)) return false;
      this.#queue.prioritize(set);
      await this.#settled.after(seen, left, this.#stop.signal);
    }
  }

  /** Loads each set that fits beside what is cached, and waits for at most `longestMs` for each. */
  async loadBeside(sets: readonly SizedSet[], longestMs: number): Promise<void> {
    for (const { set, bytes } of sets)
      if (this.bytes + bytes <= this.#options.mostBytes) await this.load(set, longestMs);
  }

  /** The rows of a set with all changes that were committed before this call; undefined if it is not cached. `executor` reads the missing changes. */
  async current(executor: SqlExecutor, set: RowSet): Promise<Kept | undefined> {
    const cached = this.#cached.get(set);
    if (!cached) return undefined;
    if (cached.wakeUps < this.#work.count) await this.#catchUp(executor, cached);
    cached.usedAt = performance.now();
    return cached.table.kept;
  }

  /** What this cache holds of single memories, as `name`. */
  surface(name: string): Surface {
    return {
      name,
      count: (memories) => {
        let count = 0;
        for (const [tenant, ids] of idsByTenant(memories))
          for (const { table } of this.#cached.all)
            if (table.set.tenant === tenant) for (const id of ids) if (table.kept.has(id)) count++;
        return Promise.resolve(count);
      },
      // Its rows in the database are gone before this is called.
      forget: () => this.#applyChanges(),
    };
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#following;
    await this.#unlisten?.();
    this.#cached.clear();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    await Promise.race([this.#options.after, aborted]);
    for (let isFirst = true; !signal.aborted;) {
      const seen = this.#work.count;
      try {
        if (isFirst) await this.#wantFirst();
        isFirst = false;
        await this.#queue.drain(
          (set) => this.#load(set),
          () => this.#settled.wake(),
        );
      } catch (error) {
        if (!signal.aborted) this.#options.onError(error);
        this.#isPausing = true;
        this.#settled.wake();
        this.#resolveFirstLoaded();
        await pause(pauseMs, signal);
        this.#isPausing = false;
        continue;
      }
      this.#resolveFirstLoaded();
      await this.#applyChangesUnlessFailing();
      await this.#work.after(seen, followEveryMs, signal);
      if (this.#queue.isEmpty) await pause(followAfterMs, signal);
    }
  }

  async #wantFirst(): Promise<void> {
    await this.#recorded.readExisting();
    let total = 0;
    for (const { set, bytes } of await this.#options.first(this.#sql)) {
      // No search has requested these sets yet, so none of them may evict another.
      if (total + bytes > this.#options.mostBytes) continue;
      total += bytes;
      this.want(set);
    }
  }

  async #load(set: RowSet): Promise<void> {
    const [oid] = await oidsOf(this.#sql, [set.table]);
    if (oid === undefined) return this.#queue.refuse(set, goneMs);
    const bytes = await this.#options.bytesOf(this.#sql, set);
    if (!this.#cached.makeRoom(bytes)) return this.#queue.refuse(set, refusedMs);
    await this.#recorded.record(set.table, oid);
    const [wakeUps, losses] = [this.#work.count, this.#losses];
    const table = await ResidentTable.load(this.#sql, this.#kind, set, this.#stop.signal);
    if (losses === this.#losses) this.#cached.put({ table, oid, wakeUps, usedAt: performance.now() });
    else this.want(set);
  }

  async #catchUp(executor: SqlExecutor, cached: CachedSet<Row, Kept>): Promise<void> {
    const wakeUps = this.#work.count;
    await cached.table.catchUp(executor);
    cached.wakeUps = Math.max(cached.wakeUps, wakeUps);
  }

  async #applyChangesUnlessFailing(): Promise<void> {
    if (performance.now() < this.#followsAgainAt) return;
    try {
      await this.#applyChanges();
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      this.#options.onError(error);
      this.#followsAgainAt = performance.now() + pauseMs;
    }
  }

  /** Brings every set up to date, and deletes the recorded changes that are no longer needed. */
  async #applyChanges(): Promise<void> {
    const wakeUps = this.#work.count;
    const until = await lastChange(this.#sql, this.#kind.name);
    await this.#dropVanished();
    await this.#dropUnused();
    const changed = until > 0 ? await changedSets(this.#sql, this.#kind.name, until) : [];
    const concerned = new Set(changed.map(keyOf));
    for (const cached of this.#cached.all) {
      if (concerned.has(keyOf(cached.table.set))) await this.#catchUp(this.#sql, cached);
      else cached.wakeUps = Math.max(cached.wakeUps, wakeUps);
    }
    if (until > 0) await forgetChanges(this.#sql, this.#kind.name, until);
    this.#cached.makeRoom(0);
  }

  /** Drops the sets of tables that were dropped with the last read model that used them. */
  async #dropVanished(): Promise<void> {
    const cached = this.#cached.all;
    const oids = await oidsOf(
      this.#sql,
      cached.map(({ table }) => table.set.table),
    );
    for (const [index, one] of cached.entries()) if (oids[index] !== one.oid) this.#cached.delete(one);
  }

  async #dropUnused(): Promise<void> {
    const inUse = await this.#options.inUse?.(this.#sql);
    if (!inUse) return;
    for (const cached of this.#cached.all) {
      const isRecent = performance.now() - cached.usedAt < graceMs;
      if (!isRecent && !inUse.includes(cached.table.set.table)) this.#cached.delete(cached);
    }
    await this.#recorded.keepOnly(
      new Set([...inUse, ...this.#cached.all.map(({ table }) => table.set.table)]),
    );
  }

  /** Loads everything again: while the connection was lost, the database may have gone back to an earlier state. */
  #reload(): void {
    this.#losses++;
    this.#recorded.invalidate();
    for (const cached of this.#cached.all) {
      this.#cached.delete(cached);
      this.want(cached.table.set);
    }
  }
}
