import { LRUCache } from 'lru-cache';

/** What lasts is told again so often. */
const silenceMs = 600_000;
const mostKept = 1_000;

/** Of errors that come again with each try: which of them are to be told. */
export class RepeatedErrors {
  readonly #told = new LRUCache<string, true>({ max: mostKept, ttl: silenceMs });

  /** Whether this error of `origin` was not told within the last ten minutes; from now on it was. */
  isNew(origin: string, error: unknown): boolean {
    const key = `${origin} ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`;
    if (this.#told.has(key)) return false;
    this.#told.set(key, true);
    return true;
  }
}
