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
 *
 * Callers come back with their next item once they were told. So a batch takes half of them and of those who wait, where
 * there are both: the two halves take turns, and one is written while the other is told and asks again. Without it all of them
 * end up in one batch, and whoever runs it waits for them as long as they wait for it.
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
      let batch = this.#take(this.#waiting.length);
      let running = this.#start(batch);
      while (batch.length > 0) {
        const tell = await running;
        const next = this.#take(Math.ceil((this.#waiting.length + batch.length) / 2));
        // On its way before anybody is told: what they do then would hold it up.
        running = this.#start(next);
        tell();
        batch = next;
      }
    }
    this.#running = false;
  }

  /** Resolves with what tells the callers of `batch`. */
  async #start(batch: readonly Waiting<Item, Result>[]): Promise<() => void> {
    if (batch.length === 0) return () => {};
    try {
      const results = await this.#run(batch.map(({ item }) => item));
      return () => batch.forEach((waiting, index) => settle(waiting, results[index]!));
    } catch (error) {
      return () => batch.forEach(({ reject }) => reject(error));
    }
  }

  #take(most: number): Waiting<Item, Result>[] {
    const { maxItems, maxBytes = Infinity, sizeOf = () => 0 } = this.#limits;
    const limit = Math.min(this.#waiting.length, maxItems, most);
    let size = 0;
    let bytes = 0;
    while (size < limit) {
      bytes += sizeOf(this.#waiting[size]!.item);
      if (size > 0 && bytes > maxBytes) break;
      size++;
    }
    return this.#waiting.splice(0, size);
  }
}

function settle<Item, Result>({ resolve, reject }: Waiting<Item, Result>, result: Result | Error): void {
  if (result instanceof Error) reject(result);
  else resolve(result);
}
