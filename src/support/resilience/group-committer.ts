import { setImmediate } from 'node:timers/promises';
import { pause } from '../pause.ts';

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

interface Outcome {
  readonly settle: () => void;
  /** Why the whole group failed. */
  readonly failure?: Error;
}

export interface GroupOptions<Item> {
  readonly maxItems?: number;
  /** Largest total of `sizeOf` in a group; a larger item forms a group of its own. */
  readonly maxSize?: number;
  readonly sizeOf?: (item: Item) => number;
  /** How long to wait for more items before a group is committed. 0 by default: items of the same turn of the event loop. */
  readonly lingerMs?: number;
  /** Least time from the end of one group to the start of the next. */
  readonly restMs?: number;
  /**
   * For callers that add their next item as soon as the last one has settled. A group then takes half of those callers: while one half
   * is being committed, the other receives its results and adds again. Otherwise all of them would end up in one group, and
   * committer and callers would take turns waiting for each other.
   */
  readonly alternate?: boolean;
  /** For items that must keep their order: if a group fails, all waiting items are rejected with the error that this returns. */
  readonly rejectWaiting?: (failure: Error) => Error;
}

/**
 * Collects items of many callers into groups and commits one group at a time, so that one transaction and one sync serve many
 * callers. `commit` returns one result or `Error` for each item, in order; if it rejects, all items of the group are rejected.
 */
export class GroupCommitter<Item, Result> {
  readonly #commit: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>;
  readonly #options: GroupOptions<Item>;
  #waiting: Waiting<Item, Result>[] = [];
  #running: Promise<void> | undefined;
  #hurry = new AbortController();
  #restUntil = -Infinity;

  constructor(
    commit: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
    options: GroupOptions<Item> = {},
  ) {
    this.#commit = commit;
    this.#options = options;
  }

  /** Number of items that wait for their group. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Resolves or rejects when the item's group has been committed. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Commits without lingering; resolves when no item is left, however its commit ended. */
  async flush(): Promise<void> {
    if (!this.#running) return;
    this.#hurry.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#collect();
      if (this.#options.alternate) await this.#commitAlternating();
      else await this.#commitOne();
      this.#restUntil = performance.now() + (this.#options.restMs ?? 0);
    }
    this.#running = undefined;
    if (this.#hurry.signal.aborted) this.#hurry = new AbortController();
  }

  async #collect(): Promise<void> {
    const waitMs = Math.max(this.#options.lingerMs ?? 0, this.#restUntil - performance.now());
    if (waitMs > 0) await pause(waitMs, this.#hurry.signal);
    // Requests that have arrived at the sockets meanwhile belong to this group too.
    else await setImmediate();
  }

  async #commitOne(): Promise<void> {
    const { settle, failure } = await this.#start(this.#take(this.#waiting.length));
    settle();
    if (failure) this.#rejectWaiting(failure);
  }

  async #commitAlternating(): Promise<void> {
    let group = this.#take(this.#waiting.length);
    let running = this.#start(group);
    while (group.length > 0) {
      const { settle } = await running;
      const next = this.#take(Math.ceil((this.#waiting.length + group.length) / 2));
      // Started before the callers continue: what they do next would delay it.
      running = this.#start(next);
      settle();
      group = next;
    }
  }

  async #start(group: readonly Waiting<Item, Result>[]): Promise<Outcome> {
    if (group.length === 0) return { settle: () => {} };
    try {
      const results = await this.#commit(group.map(({ item }) => item));
      return { settle: () => group.forEach((waiting, index) => settleOne(waiting, results[index]!)) };
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      return { failure, settle: () => group.forEach(({ reject }) => reject(error)) };
    }
  }

  #rejectWaiting(failure: Error): void {
    const { rejectWaiting } = this.#options;
    if (!rejectWaiting) return;
    const error = rejectWaiting(failure);
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  #take(most: number): Waiting<Item, Result>[] {
    const { maxItems = Infinity, maxSize = Infinity, sizeOf = () => 0 } = this.#options;
    const limit = Math.min(this.#waiting.length, maxItems, most);
    let count = 0;
    let size = 0;
    while (count < limit) {
      size += sizeOf(this.#waiting[count]!.item);
      if (count > 0 && size > maxSize) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }
}

function settleOne<Item, Result>({ resolve, reject }: Waiting<Item, Result>, result: Result | Error): void {
  if (result instanceof Error) reject(result);
  else resolve(result);
}
