import { setTimeout as sleep } from 'node:timers/promises';

/** Shortest time between two refreshes: each creates a segment, which must be merged later. */
const intervalMs = 100;

/** Shares refreshes between callers: each call resolves with a refresh that began after it. */
export class Refresher {
  readonly #refresh: () => Promise<void>;
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #earliest = 0;

  constructor(refresh: () => Promise<void>) {
    this.#refresh = refresh;
  }

  refresh(): Promise<void> {
    return (this.#next ??= this.#last = this.#after(this.#last));
  }

  async #after(last: Promise<void>): Promise<void> {
    // The callers of the last refresh handle its failure.
    await last.catch(() => undefined);
    await sleep(Math.max(0, this.#earliest - performance.now()));
    this.#next = undefined;
    this.#earliest = performance.now() + intervalMs;
    await this.#refresh();
  }
}
