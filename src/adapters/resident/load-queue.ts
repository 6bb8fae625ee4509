import { keyOf } from './cached-sets.ts';
import type { RowSet } from './changes.ts';

/** The sets to load into a cache, one after the other: first those that a caller waits for. */
export class LoadQueue {
  readonly #waiting = new Map<string, RowSet>();
  readonly #urgent = new Set<string>();
  readonly #loading = new Map<string, Promise<void>>();
  /** When a set that did not fit, or whose table was gone, may be tried again. */
  readonly #refusedUntil = new Map<string, number>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** Whether a set waits or is being loaded. */
  has(set: RowSet): boolean {
    const key = keyOf(set);
    return this.#waiting.has(key) || this.#loading.has(key);
  }

  /** Adds a set. Returns false if it was refused a short while ago. */
  add(set: RowSet): boolean {
    const key = keyOf(set);
    if (performance.now() < (this.#refusedUntil.get(key) ?? 0)) return false;
    this.#refusedUntil.delete(key);
    this.#waiting.set(key, set);
    return true;
  }

  /** Moves a set to the front as soon as it is in the queue. */
  prioritize(set: RowSet): void {
    this.#urgent.add(keyOf(set));
  }

  /** Refuses a set for a while. */
  refuse(set: RowSet, ms: number): void {
    const now = performance.now();
    for (const [key, until] of this.#refusedUntil) if (until < now) this.#refusedUntil.delete(key);
    this.#refusedUntil.set(keyOf(set), now + ms);
  }

  /** Resolves when a set that is being loaded is there or has failed; undefined if it is not being loaded. */
  loading(set: RowSet): Promise<void> | undefined {
    return this.#loading.get(keyOf(set));
  }

  /** Loads all sets of the queue with `load`, whose first error stops it. Calls `onSettled` after each, when it has left the queue. */
  async drain(load: (set: RowSet) => Promise<void>, onSettled: () => void): Promise<void> {
    for (let set = this.#next(); set; set = this.#next()) {
      const key = keyOf(set);
      const loading = load(set);
      this.#loading.set(
        key,
        loading.catch(() => undefined),
      );
      this.#waiting.delete(key);
      this.#urgent.delete(key);
      await loading.finally(() => {
        this.#loading.delete(key);
        onSettled();
      });
    }
  }

  #next(): RowSet | undefined {
    for (const key of this.#urgent) {
      const set = this.#waiting.get(key);
      if (set) return set;
    }
    return this.#waiting.values().next().value;
  }
}
