import { LRUCache } from 'lru-cache';

/** Maximum number of items that are remembered. Beyond it, the one that failed least recently is forgotten and so is due again. */
const maxItems = 10_000;

export interface Pauses {
  /** Milliseconds after the first failure. */
  readonly first: number;
  /** The pause doubles with each failure up to this many milliseconds. */
  readonly longest: number;
}

interface Failed<Item> {
  readonly item: Item;
  readonly pauseMs: number;
  readonly dueAt: number;
}

/** When items that failed are due again: later with each failure. */
export class RetrySchedule<Item> {
  readonly #pauses: Pauses;
  readonly #failed = new LRUCache<string, Failed<Item>>({ max: maxItems });

  constructor(pauses: Pauses) {
    this.#pauses = pauses;
  }

  /** Number of items that failed and have not succeeded since. */
  get size(): number {
    return this.#failed.size;
  }

  failed(key: string, item: Item): void {
    const { first, longest } = this.#pauses;
    const last = this.#failed.peek(key);
    const pauseMs = last ? Math.min(longest, 2 * last.pauseMs) : first;
    this.#failed.set(key, { item, pauseMs, dueAt: performance.now() + pauseMs });
  }

  succeeded(key: string): void {
    this.#failed.delete(key);
  }

  isDue(key: string): boolean {
    const failed = this.#failed.peek(key);
    return failed === undefined || performance.now() >= failed.dueAt;
  }

  /**
   * The items that are not due yet. Forgets items that have been due for longer than the longest pause: they no longer exist, or they
   * would have been tried.
   */
  waiting(): readonly Item[] {
    const now = performance.now();
    const failed = Array.from(this.#failed.entries());
    for (const [key, { dueAt }] of failed) if (now > dueAt + this.#pauses.longest) this.#failed.delete(key);
    return failed.filter(([, { dueAt }]) => now < dueAt).map(([, { item }]) => item);
  }
}
