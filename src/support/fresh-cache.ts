import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { forAllRequests } from './request-scope.ts';

export interface FreshCacheOptions<Value> {
  /** Maximum number of values; the least recently used are evicted. */
  readonly max: number;
  /** Maximum age of a value in milliseconds, from the start of its load. */
  readonly freshMs: number | ((value: Value) => number);
  /** From this age on a value is loaded again in the background, so that callers of a busy key never wait. */
  readonly refreshMs?: number;
  /** Whether a value is cached; all are by default. */
  readonly isKept?: (value: Value) => boolean;
}

/** Loads a value; `last` is the one that was cached before. */
type Load<Value> = (last: Value | undefined) => Promise<Value>;

interface Loaded<Value> {
  readonly value: Value;
  /** When its load began (`performance.now`). */
  readonly at: number;
}

/**
 * Caches values that may be a little out of date. There is at most one load of a key at a time, which concurrent calls share. If it
 * fails, all of them fail, and the next call loads again.
 */
export class FreshCache<Value> {
  readonly #options: FreshCacheOptions<Value>;
  readonly #loaded: LRUCache<string, Loaded<Value>>;
  readonly #loading = new Map<string, Promise<Loaded<Value>>>();

  constructor(options: FreshCacheOptions<Value>) {
    this.#options = options;
    this.#loaded = new LRUCache({ max: options.max });
  }

  /** A value that is at most `freshMs` old. */
  async get(key: string, load: Load<Value>): Promise<Value> {
    const asked = performance.now();
    const cached = this.#loaded.get(key);
    if (!cached || !this.#isFresh(cached, asked))
      return this.#untilLoaded(key, load, (loaded) => this.#isFresh(loaded, asked));
    // If the refresh fails, a caller for whom the value is too old gets the error.
    if (asked - cached.at >= (this.#options.refreshMs ?? Infinity))
      this.#load(key, load).catch(() => undefined);
    return cached.value;
  }

  /** A value whose load began at `moment` or later, and at least `apartMs` after the load before it. */
  since(key: string, moment: number, load: Load<Value>, apartMs = 0): Promise<Value> {
    return this.#untilLoaded(key, load, ({ at }) => at >= moment, apartMs);
  }

  clear(): void {
    this.#loaded.clear();
    // Loads under way may have read what is out of date now.
    this.#loading.clear();
  }

  async #untilLoaded(
    key: string,
    load: Load<Value>,
    isEnough: (loaded: Loaded<Value>) => boolean,
    apartMs = 0,
  ): Promise<Value> {
    let loaded = this.#loaded.get(key);
    while (!loaded || !isEnough(loaded)) {
      const early = loaded ? loaded.at + apartMs - performance.now() : 0;
      if (early > 0) {
        await sleep(early);
        loaded = this.#loaded.get(key);
      } else {
        loaded = await this.#load(key, load);
      }
    }
    return loaded.value;
  }

  #isFresh({ value, at }: Loaded<Value>, now: number): boolean {
    const { freshMs } = this.#options;
    return now - at < (typeof freshMs === 'number' ? freshMs : freshMs(value));
  }

  /** The load under way, or a new one. */
  #load(key: string, load: Load<Value>): Promise<Loaded<Value>> {
    const underWay = this.#loading.get(key);
    if (underWay) return underWay;
    const at = performance.now();
    const loading = forAllRequests(() => load(this.#loaded.peek(key)?.value))
      .then((value) => {
        const loaded = { value, at };
        const isCurrent = this.#loading.get(key) === loading;
        if (isCurrent && (this.#options.isKept?.(value) ?? true)) this.#loaded.set(key, loaded);
        return loaded;
      })
      .finally(() => {
        if (this.#loading.get(key) === loading) this.#loading.delete(key);
      });
    this.#loading.set(key, loading);
    return loading;
  }
}
