import { LRUCache } from 'lru-cache';

/** An error that lasts is reported again after this time. */
const silenceMs = 600_000;
const maxKept = 1_000;

/** Limits how often the same error of a retry loop is reported. */
export class RepeatedErrors {
  readonly #reported = new LRUCache<string, true>({ max: maxKept, ttl: silenceMs });

  /** Whether this error of `origin` was not reported in the last ten minutes. Records it as reported. */
  isNew(origin: string, error: unknown): boolean {
    const key = `${origin} ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`;
    if (this.#reported.has(key)) return false;
    this.#reported.set(key, true);
    return true;
  }
}
