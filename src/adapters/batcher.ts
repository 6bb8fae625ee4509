import { setImmediate } from 'node:timers/promises';

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export interface BatchLimits<Item> {
  readonly maxItems: number;
  readonly maxBytes?: number;
  readonly sizeOf?: (item: Item) => number;
}

/**
 * Runs one batch at a time: what arrives meanwhile goes into the next one together, so that a single transaction and
 * a single sync serve many callers. `run` answers one result or `Error` an item, in order; if it rejects, all fail.
 */
export class Batcher<Item, Result> {
  readonly #run: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>;
  readonly #limits: BatchLimits<Item>;
  #waiting: Waiting<Item, Result>[] = [];
  #running = false;

  constructor(
    run: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
    limits: BatchLimits<Item>,
  ) {
    this.#run = run;
    this.#limits = limits;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#running) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#running = true;
    while (this.#waiting.length > 0) {
      // What has arrived at the sockets meanwhile belongs into this batch too.
      await setImmediate();
      const batch = this.#take();
      try {
        const results = await this.#run(batch.map(({ item }) => item));
        for (const [index, waiting] of batch.entries()) {
          const result = results[index];
          if (result instanceof Error) waiting.reject(result);
          else waiting.resolve(result as Result);
        }
      } catch (error) {
        for (const waiting of batch) waiting.reject(error);
      }
    }
    this.#running = false;
  }

  #take(): Waiting<Item, Result>[] {
    const { maxItems, maxBytes = Infinity, sizeOf = () => 0 } = this.#limits;
    let size = 0;
    let bytes = 0;
    while (size < this.#waiting.length && size < maxItems) {
      bytes += sizeOf(this.#waiting[size]!.item);
      if (size > 0 && bytes > maxBytes) break;
      size++;
    }
    return this.#waiting.splice(0, size);
  }
}
