import type { KeptRow, RowSet } from './changes.ts';
import type { Contents, ResidentTable } from './resident-table.ts';

/** A set that is in the cache. */
export interface CachedSet<Row extends KeptRow, Kept extends Contents<Row>> {
  readonly table: ResidentTable<Row, Kept>;
  /** Object id of the table: a table that was created again has another one. */
  readonly oid: number;
  /** Number of wake-ups that its contents take into account. */
  wakeUps: number;
  usedAt: number;
}

/** The sets of a cache, within a limit of memory. */
export class CachedSets<Row extends KeptRow, Kept extends Contents<Row>> {
  readonly #sets = new Map<string, CachedSet<Row, Kept>>();
  readonly #mostBytes: number;
  readonly #keepsLarger: boolean;

  /** `keepsLarger`: whether a set that exceeds `mostBytes` by itself is cached nevertheless. */
  constructor({ mostBytes, keepsLarger }: { readonly mostBytes: number; readonly keepsLarger: boolean }) {
    this.#mostBytes = mostBytes;
    this.#keepsLarger = keepsLarger;
  }

  /** Number of memories. */
  get size(): number {
    return this.#sum(({ size }) => size);
  }

  get bytes(): number {
    return this.#sum(({ bytes }) => bytes);
  }

  get all(): readonly CachedSet<Row, Kept>[] {
    return [...this.#sets.values()];
  }

  get(set: RowSet): CachedSet<Row, Kept> | undefined {
    return this.#sets.get(keyOf(set));
  }

  put(cached: CachedSet<Row, Kept>): void {
    this.#sets.set(keyOf(cached.table.set), cached);
  }

  delete({ table }: CachedSet<Row, Kept>): void {
    this.#sets.delete(keyOf(table.set));
  }

  clear(): void {
    this.#sets.clear();
  }

  /** Evicts the sets that were not used for the longest time until there is room for `bytes` more. False if there cannot be. */
  makeRoom(bytes: number): boolean {
    if (bytes > this.#mostBytes && !this.#keepsLarger) return false;
    const oldestFirst = this.all.toSorted((left, right) => left.usedAt - right.usedAt);
    // The set used last may exceed the limit by itself.
    const spared = this.#keepsLarger && bytes === 0 ? 1 : 0;
    let taken = this.bytes + bytes;
    for (const cached of oldestFirst.slice(0, oldestFirst.length - spared)) {
      if (taken <= this.#mostBytes) break;
      this.delete(cached);
      taken -= cached.table.kept.bytes;
    }
    return true;
  }

  #sum(of: (kept: Kept) => number): number {
    return this.all.reduce((sum, { table }) => sum + of(table.kept), 0);
  }
}

/** A string that names a set. */
export function keyOf({ table, tenant }: RowSet): string {
  return `${table} ${tenant}`;
}
