import { setTimeout as sleep } from 'node:timers/promises';
import { inBackground } from '../../support/background.ts';
import { pause } from '../../support/pause.ts';
import type { Sql, SqlExecutor } from '../../ports/sql.ts';
import { WakeUp } from '../../support/wake-up.ts';
import { migrate } from '../migrate.ts';
import {
  changedSets,
  changesChannel,
  forgetChanges,
  ignoreChanges,
  lastChange,
  noteChanges,
  notedTables,
  type KeptRow,
  type RowSet,
} from './changes.ts';
import { ResidentTable, type Contents, type Kind } from './resident-table.ts';
import { changesSchema } from './schema.ts';

/** Changes are followed so long after they were told of … */
const followAfterMs = 200;
/** … and looked for as often as this in any case. */
const floorMs = 5_000;
/** Who asked for a set of a table that nobody reads any more may still be at work on it for so long. */
const graceMs = 2_000;
/** What does not fit is not tried again for so long. */
const refusedMs = 600_000;
/** Nor of a table that is gone. */
const goneMs = 1_000;
/** After a failure it is tried again after so long. */
const pauseMs = 30_000;
/** Of a table that some process notes the changes of: whether all of them, and of which table of that name, is not known. */
const unknownOid = 0;

interface Resident<Row extends KeptRow, Kept extends Contents<Row>> {
  readonly table: ResidentTable<Row, Kept>;
  /** Of the table: one that was made anew has another. */
  readonly oid: number;
  /** How often had been told of something when it was last brought up to date. */
  told: number;
  usedAt: number;
}

/** A set, and what it will take of the memory. */
export interface SizedSet {
  readonly set: RowSet;
  readonly bytes: number;
}

export interface KeeperOptions {
  /** What a set would take of the memory. */
  readonly bytesOf: (executor: SqlExecutor, set: RowSet) => Promise<number>;
  /** What is loaded at the start, before anybody asks for it, each that fits beside those before. */
  readonly first: (executor: SqlExecutor) => Promise<readonly SizedSet[]>;
  /** Until it resolves nothing is loaded: what searches cannot do without goes first. */
  readonly after?: Promise<void> | undefined;
  /** The tables that anybody reads; undefined where sets of all tables stay until they are in the way. */
  readonly inUse?: (executor: SqlExecutor) => Promise<readonly string[]>;
  /** Of memory in all: who was not asked for the longest time makes room. */
  readonly mostBytes: number;
  /** Whether a set that takes more than that by itself is kept all the same. */
  readonly keepsLarger: boolean;
  readonly onError: (error: unknown) => void;
}

/**
 * Keeps rows of whole tenants in the memory of this process, in the form that makes them fast to search. What changes in the
 * database is noted there by triggers and followed; who asks is never behind what was committed. For the one process
 * that has the database to itself: it is told of a change before whoever made it is answered.
 */
export class Keeper<Row extends KeptRow, Kept extends Contents<Row>> {
  readonly #sql: Sql;
  readonly #kind: Kind<Row, Kept>;
  readonly #options: KeeperOptions;
  readonly #residents = new Map<string, Resident<Row, Kept>>();
  /** To be loaded. */
  readonly #wanted = new Map<string, RowSet>();
  /** Those that somebody waits for: they are loaded first. */
  readonly #urgent = new Set<string>();
  /** Until when nothing is tried of what does not fit, or is gone. */
  readonly #refused = new Map<string, number>();
  readonly #loading = new Map<string, Promise<unknown>>();
  readonly #stop = new AbortController();
  /** Of changes and wishes. */
  readonly #told = new WakeUp();
  /** Of sets that came, or failed to. */
  readonly #settled = new WakeUp();
  /** Tables whose changes are noted, with their oid. */
  readonly #noted = new Map<string, number>();
  /** After a failure to load, until it is tried again. */
  #isPausing = false;
  /** After a failure to follow. Who asks follows by itself meanwhile. */
  #followsAgainAt = 0;
  /** Resolves when what is loaded at the start is there, or cannot be loaded. */
  readonly firstLoaded: Promise<void>;
  #firstIsLoaded!: () => void;
  /** How often the connection was lost. */
  #losses = 0;
  #unlisten: (() => Promise<void>) | undefined;
  #following: Promise<void> = Promise.resolve();

  constructor(sql: Sql, kind: Kind<Row, Kept>, options: KeeperOptions) {
    this.#sql = sql;
    this.#kind = kind;
    this.#options = options;
    this.firstLoaded = new Promise((resolve) => (this.#firstIsLoaded = resolve));
  }

  /** How many memories are there. */
  get size(): number {
    return this.#sum(({ size }) => size);
  }

  /** What they take. */
  get bytes(): number {
    return this.#sum(({ bytes }) => bytes);
  }

  /** Loads what comes first, and follows the changes, in the background. */
  async start(): Promise<void> {
    await migrate(this.#sql, 'noted changes', changesSchema);
    this.#unlisten = await this.#sql.listen(changesChannel(this.#kind.name), (missed) => {
      // The database may have gone back behind what is here.
      if (missed) this.#loadAnew();
      this.#told.wake();
    });
    this.#following = inBackground(() => this.#follow());
  }

  /** Whether a set is there. Where it is being loaded, waits for it so long: not inside a transaction. */
  async has(set: RowSet, longestMs: number): Promise<boolean> {
    const key = keyOf(set);
    const loading = this.#loading.get(key);
    if (loading) await Promise.race([loading, sleep(longestMs, undefined, { ref: false })]);
    return this.#residents.has(key);
  }

  /** Has a set loaded. False where that is not tried. */
  want(set: RowSet): boolean {
    const key = keyOf(set);
    if (performance.now() < (this.#refused.get(key) ?? 0)) return false;
    this.#refused.delete(key);
    if (this.#residents.has(key) || this.#wanted.has(key) || this.#loading.has(key)) return true;
    this.#wanted.set(key, set);
    this.#told.wake();
    return true;
  }

  /** Whether a set is there, which is loaded otherwise; waits for it so long, unless that fails. Not inside a transaction. */
  async load(set: RowSet, longestMs: number): Promise<boolean> {
    const key = keyOf(set);
    const deadline = performance.now() + longestMs;
    while (!this.#residents.has(key)) {
      const [seen, left] = [this.#settled.count, deadline - performance.now()];
      if (left <= 0 || this.#isPausing || this.#stop.signal.aborted || !this.want(set)) return false;
      this.#urgent.add(key);
      await this.#settled.after(seen, left, this.#stop.signal);
    }
    // So that it does not go before it is read.
    this.#residents.get(key)!.usedAt = performance.now();
    return true;
  }

  /** Has sets loaded, each that fits beside what is there, and waits so long for each. */
  async loadBeside(sets: readonly SizedSet[], longestMs: number): Promise<void> {
    for (const { set, bytes } of sets)
      if (this.bytes + bytes <= this.#options.mostBytes) await this.load(set, longestMs);
  }

  /** What was committed of a set before; undefined where it is not there. `executor` reads what is missing. */
  async current(executor: SqlExecutor, set: RowSet): Promise<Kept | undefined> {
    const resident = this.#residents.get(keyOf(set));
    if (!resident) return undefined;
    if (resident.told < this.#told.count) await this.#catchUp(executor, resident);
    resident.usedAt = performance.now();
    return resident.table.kept;
  }

  /** Which sets are there. */
  get sets(): readonly RowSet[] {
    return [...this.#residents.values()].map(({ table }) => table.set);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#following;
    await this.#unlisten?.();
    this.#residents.clear();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    await Promise.race([this.#options.after, aborted]);
    for (let isFirst = true; !signal.aborted;) {
      const seen = this.#told.count;
      try {
        if (isFirst) await this.#wantFirst();
        isFirst = false;
        await this.#loadWanted();
      } catch (error) {
        if (!signal.aborted) this.#options.onError(error);
        this.#isPausing = true;
        this.#settled.wake();
        this.#firstIsLoaded();
        await pause(pauseMs, signal);
        this.#isPausing = false;
        continue;
      }
      this.#firstIsLoaded();
      await this.#followUnlessFailing();
      await this.#told.after(seen, floorMs, signal);
      if (this.#wanted.size === 0) await pause(followAfterMs, signal);
    }
  }

  async #followUnlessFailing(): Promise<void> {
    if (performance.now() < this.#followsAgainAt) return;
    try {
      await this.#followChanges();
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      this.#options.onError(error);
      this.#followsAgainAt = performance.now() + pauseMs;
    }
  }

  async #wantFirst(): Promise<void> {
    for (const table of await notedTables(this.#sql, this.#kind.name)) this.#noted.set(table, unknownOid);
    let total = 0;
    for (const { set, bytes } of await this.#options.first(this.#sql)) {
      // None makes room for another that nobody has asked for either.
      if (total + bytes > this.#options.mostBytes) continue;
      total += bytes;
      this.want(set);
    }
  }

  async #loadWanted(): Promise<void> {
    for (let key = this.#nextWanted(); key !== undefined; key = this.#nextWanted()) {
      const settled = key;
      const loading = this.#load(this.#wanted.get(key)!);
      // Who waits for it looks afterwards whether it is there.
      this.#loading.set(
        key,
        loading.catch(() => undefined),
      );
      this.#wanted.delete(key);
      this.#urgent.delete(key);
      await loading.finally(() => {
        this.#loading.delete(settled);
        this.#settled.wake();
      });
    }
  }

  #nextWanted(): string | undefined {
    return [...this.#urgent].find((key) => this.#wanted.has(key)) ?? this.#wanted.keys().next().value;
  }

  async #load(set: RowSet): Promise<void> {
    const [oid] = await this.#oidsOf([set.table]);
    if (oid === undefined) return this.#refuse(set, goneMs);
    if (!this.#makeRoom(await this.#options.bytesOf(this.#sql, set))) return this.#refuse(set, refusedMs);
    if (this.#noted.get(set.table) !== oid) await noteChanges(this.#sql, this.#kind.name, set.table);
    this.#noted.set(set.table, oid);
    const [told, losses] = [this.#told.count, this.#losses];
    const table = await ResidentTable.load(this.#sql, this.#kind, set, this.#stop.signal);
    if (losses === this.#losses)
      this.#residents.set(keyOf(set), { table, oid, told, usedAt: performance.now() });
    else this.want(set);
  }

  #refuse(set: RowSet, ms: number): void {
    const now = performance.now();
    for (const [key, until] of this.#refused) if (until < now) this.#refused.delete(key);
    this.#refused.set(keyOf(set), now + ms);
  }

  async #catchUp(executor: SqlExecutor, resident: Resident<Row, Kept>): Promise<void> {
    const told = this.#told.count;
    await resident.table.catchUp(executor);
    resident.told = Math.max(resident.told, told);
  }

  /** Brings all that is there up to date, and forgets the changes that nobody needs any more. */
  async #followChanges(): Promise<void> {
    const told = this.#told.count;
    const until = await lastChange(this.#sql, this.#kind.name);
    await this.#dropVanished();
    await this.#dropUnused();
    const changed = until > 0 ? await changedSets(this.#sql, this.#kind.name, until) : [];
    const concerned = new Set(changed.map(keyOf));
    for (const [key, resident] of this.#residents) {
      if (concerned.has(key)) await this.#catchUp(this.#sql, resident);
      else resident.told = Math.max(resident.told, told);
    }
    if (until > 0) await forgetChanges(this.#sql, this.#kind.name, until);
    this.#makeRoom(0);
  }

  /** Whether there is room for so much more, now that what was not asked for the longest time may be gone. */
  #makeRoom(bytes: number): boolean {
    const { mostBytes, keepsLarger } = this.#options;
    if (bytes > mostBytes && !keepsLarger) return false;
    const oldestFirst = [...this.#residents].sort(([, left], [, right]) => left.usedAt - right.usedAt);
    // The last one may be such a larger one.
    const spared = keepsLarger && bytes === 0 ? 1 : 0;
    let taken = this.bytes + bytes;
    for (const [key, { table }] of oldestFirst.slice(0, oldestFirst.length - spared)) {
      if (taken <= mostBytes) break;
      this.#residents.delete(key);
      taken -= table.kept.bytes;
    }
    return true;
  }

  /** A table goes with the last read model that uses it. */
  async #dropVanished(): Promise<void> {
    const residents = [...this.#residents];
    const oids = await this.#oidsOf(residents.map(([, { table }]) => table.set.table));
    for (const [index, [key, { oid }]] of residents.entries())
      if (oids[index] !== oid) this.#residents.delete(key);
  }

  async #dropUnused(): Promise<void> {
    const inUse = await this.#options.inUse?.(this.#sql);
    if (!inUse) return;
    for (const [key, { table, usedAt }] of this.#residents) {
      const isWanted = inUse.includes(table.set.table) || performance.now() - usedAt < graceMs;
      if (!isWanted) this.#residents.delete(key);
    }
    const resident = new Set(this.sets.map(({ table }) => table));
    for (const table of this.#noted.keys()) {
      if (inUse.includes(table) || resident.has(table)) continue;
      this.#noted.delete(table);
      await ignoreChanges(this.#sql, table);
    }
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

  #sum(of: (kept: Kept) => number): number {
    return [...this.#residents.values()].reduce((sum, { table }) => sum + of(table.kept), 0);
  }

  #loadAnew(): void {
    this.#losses++;
    for (const table of this.#noted.keys()) this.#noted.set(table, unknownOid);
    for (const [key, { table }] of this.#residents) {
      this.#residents.delete(key);
      this.want(table.set);
    }
  }
}

function keyOf({ table, tenant }: RowSet): string {
  return `${table} ${tenant}`;
}
