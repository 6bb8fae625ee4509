import { setTimeout as sleep } from 'node:timers/promises';
import { variantOf } from '../../domain/retrieval/generation-variant.ts';
import { vectorTable } from '../../domain/retrieval/vector-table.ts';
import { inBackground } from '../../ports/background.ts';
import type { Sql, SqlExecutor } from '../../ports/sql.ts';
import type { Near, UnitVector, VectorIndex, VectorSet } from '../../ports/vector-index.ts';
import { WakeUp } from '../../ports/wake-up.ts';
import { migrate } from '../migrate.ts';
import { changesChannel, forgetChanges, lastChange, noteChanges, sizeOf, sizesIn } from './changes.ts';
import { ResidentSet } from './resident-set.ts';
import { changesSchema } from './schema.ts';
import { bytesOfVector } from './segment.ts';

/** A search waits for vectors that are being loaded, but not for ever. */
const longestWaitMs = 3_000;
/** Changes are followed so long after they were told of … */
const followAfterMs = 200;
/** … and looked for as often as this in any case. */
const floorMs = 5_000;
/** What does not fit is not tried again for so long. */
const refusedMs = 600_000;
/** After a failure it is tried again after so long; the database compares meanwhile. */
const pauseMs = 30_000;

interface Resident {
  readonly vectors: ResidentSet;
  /** Of the table: one that was made anew has another. */
  readonly oid: number;
  /** How often had been told of something when it was last brought up to date. */
  told: number;
  usedAt: number;
}

export interface FlatIndexOptions {
  /** Tenants with more memories are loaded at the start, others when they are wanted. */
  readonly loadAbove: number;
  /** Of memory in all: who was not asked for the longest time makes room. */
  readonly mostBytes: number;
  readonly onError: (error: unknown) => void;
}

/**
 * Keeps the vectors of large tenants in the memory of this process, where a query is compared with all of them. What changes in
 * the database is noted there by triggers and followed; who asks is never behind what was committed. For the one process
 * that has the database to itself: it is told of a change before whoever made it is answered.
 */
export class FlatIndex implements VectorIndex {
  readonly #sql: Sql;
  readonly #options: FlatIndexOptions;
  readonly #residents = new Map<string, Resident>();
  /** To be loaded. */
  readonly #wanted = new Map<string, VectorSet>();
  /** Until when nothing is tried of what does not fit. */
  readonly #refused = new Map<string, number>();
  readonly #loading = new Map<string, Promise<unknown>>();
  readonly #stop = new AbortController();
  /** Of changes and wishes. */
  readonly #told = new WakeUp();
  /** How often the connection was lost. */
  #losses = 0;
  #unlisten: (() => Promise<void>) | undefined;
  #following: Promise<void> = Promise.resolve();

  constructor(sql: Sql, options: FlatIndexOptions) {
    this.#sql = sql;
    this.#options = options;
  }

  /** How many vectors are in memory. */
  get size(): number {
    return this.#sum(({ size }) => size);
  }

  /** What they take. */
  get bytes(): number {
    return this.#sum(({ bytes }) => bytes);
  }

  /** Loads what is large, and follows the changes, in the background. */
  async start(): Promise<void> {
    await migrate(this.#sql, 'vector changes', changesSchema);
    this.#unlisten = await this.#sql.listen(changesChannel, (missed) => {
      // The database may have gone back behind what is here.
      if (missed) this.#loadAnew();
      this.#told.wake();
    });
    this.#following = inBackground(() => this.#follow());
  }

  async has(set: VectorSet): Promise<boolean> {
    const key = keyOf(set);
    const loading = this.#loading.get(key);
    if (loading) await Promise.race([loading, sleep(longestWaitMs, undefined, { ref: false })]);
    return this.#residents.has(key);
  }

  want(set: VectorSet): void {
    const key = keyOf(set);
    const isRefused = performance.now() < (this.#refused.get(key) ?? 0);
    if (isRefused || this.#residents.has(key) || this.#wanted.has(key)) return;
    this.#wanted.set(key, set);
    this.#told.wake();
  }

  async nearest(
    executor: SqlExecutor,
    set: VectorSet,
    vector: UnitVector,
    limit: number,
  ): Promise<readonly Near[] | undefined> {
    const resident = this.#residents.get(keyOf(set));
    if (!resident) return undefined;
    if (resident.told < this.#told.count) await this.#catchUp(executor, resident);
    resident.usedAt = performance.now();
    return resident.vectors.nearest(vector, limit);
  }

  cosines(
    set: VectorSet,
    vector: UnitVector,
    ids: readonly string[],
  ): readonly (number | null)[] | undefined {
    return this.#residents.get(keyOf(set))?.vectors.cosines(vector, ids);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#following;
    await this.#unlisten?.();
    this.#residents.clear();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => undefined);
    for (let isFirst = true; !signal.aborted;) {
      const seen = this.#told.count;
      try {
        if (isFirst) await this.#wantLarge();
        isFirst = false;
        await this.#loadWanted();
        await this.#followChanges();
        await this.#told.after(seen, floorMs, signal);
        await pause(followAfterMs);
      } catch (error) {
        if (signal.aborted) return;
        this.#options.onError(error);
        await pause(pauseMs);
      }
    }
  }

  async #wantLarge(): Promise<void> {
    const live = await this.#sql.query<{ signature: string }>(
      `select g.signature from read.active a join read.generations g using (name, generation) where a.name = 'vectors'`,
    );
    let bytes = 0;
    for (const table of live.map(({ signature }) => vectorTable(variantOf(signature)))) {
      for (const { tenant, count, dimension } of await sizesIn(this.#sql, table, this.#options.loadAbove)) {
        bytes += count * bytesOfVector(dimension);
        // None makes room for another that nobody has asked for either.
        if (bytes > this.#options.mostBytes) return;
        this.want({ table, tenant });
      }
    }
  }

  async #loadWanted(): Promise<void> {
    for (const [key, set] of this.#wanted) {
      this.#wanted.delete(key);
      const loading = this.#load(set);
      // Who waits for it looks afterwards whether it is there.
      this.#loading.set(
        key,
        loading.catch(() => undefined),
      );
      await loading.finally(() => this.#loading.delete(key));
    }
  }

  async #load(set: VectorSet): Promise<void> {
    const [oid] = await this.#oidsOf([set.table]);
    if (oid === undefined) return;
    const { count, dimension } = await sizeOf(this.#sql, set);
    if (!this.#makeRoom(count * bytesOfVector(dimension))) {
      this.#refused.set(keyOf(set), performance.now() + refusedMs);
      return;
    }
    await noteChanges(this.#sql, set.table);
    const [told, losses] = [this.#told.count, this.#losses];
    const vectors = await ResidentSet.load(this.#sql, set, this.#stop.signal);
    if (losses === this.#losses)
      this.#residents.set(keyOf(set), { vectors, oid, told, usedAt: performance.now() });
    else this.want(set);
  }

  async #catchUp(executor: SqlExecutor, resident: Resident): Promise<void> {
    const told = this.#told.count;
    await resident.vectors.catchUp(executor);
    resident.told = Math.max(resident.told, told);
  }

  /** Brings all that is there up to date, and forgets the changes that nobody needs any more. */
  async #followChanges(): Promise<void> {
    const until = await lastChange(this.#sql);
    await this.#dropVanished();
    if (until > 0) {
      for (const resident of this.#residents.values()) await this.#catchUp(this.#sql, resident);
      await forgetChanges(this.#sql, until);
    }
    this.#makeRoom(0);
  }

  /** Whether there is room for so much more, now that what was not asked for the longest time may be gone. */
  #makeRoom(bytes: number): boolean {
    const { mostBytes } = this.#options;
    if (bytes > mostBytes) return false;
    const oldestFirst = [...this.#residents].sort(([, left], [, right]) => left.usedAt - right.usedAt);
    let taken = this.bytes + bytes;
    for (const [key, { vectors }] of oldestFirst) {
      if (taken <= mostBytes) break;
      this.#residents.delete(key);
      taken -= vectors.bytes;
    }
    return true;
  }

  /** A table goes with the last read model that uses it. */
  async #dropVanished(): Promise<void> {
    const residents = [...this.#residents];
    const oids = await this.#oidsOf(residents.map(([, { vectors }]) => vectors.set.table));
    for (const [index, [key, { oid }]] of residents.entries())
      if (oids[index] !== oid) this.#residents.delete(key);
  }

  /** Undefined where there is no such table. */
  async #oidsOf(tables: readonly string[]): Promise<readonly (number | undefined)[]> {
    if (tables.length === 0) return [];
    const rows = await this.#sql.query<{ oid: number | null }>(
      `select to_regclass(name)::oid as oid from unnest($1::text[]) with ordinality as t(name, place) order by place`,
      [tables],
    );
    return rows.map(({ oid }) => oid ?? undefined);
  }

  #sum(of: (vectors: ResidentSet) => number): number {
    return [...this.#residents.values()].reduce((sum, { vectors }) => sum + of(vectors), 0);
  }

  #loadAnew(): void {
    this.#losses++;
    for (const [key, { vectors }] of this.#residents) {
      this.#residents.delete(key);
      this.want(vectors.set);
    }
  }
}

function keyOf({ table, tenant }: VectorSet): string {
  return `${table} ${tenant}`;
}
