import { setTimeout as sleep } from 'node:timers/promises';

/** Ten times a second at most: each refresh makes a segment, which is merged away later. */
const leastMs = 100;

/** Shares refreshes among those who wait: each wait ends with one that began after it. */
export class Refresher {
  readonly #refresh: () => Promise<void>;
  #last: Promise<void> = Promise.resolve();
  #coming: Promise<void> | undefined;
  #earliest = 0;

  constructor(refresh: () => Promise<void>) {
    this.#refresh = refresh;
  }

  refresh(): Promise<void> {
    return (this.#coming ??= this.#last = this.#after(this.#last));
  }

  async #after(last: Promise<void>): Promise<void> {
    // Its failure was told to those who waited for it.
    await last.catch(() => undefined);
    await sleep(Math.max(0, this.#earliest - performance.now()));
    this.#coming = undefined;
    this.#earliest = performance.now() + leastMs;
    await this.#refresh();
  }
}
