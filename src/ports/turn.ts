import { setImmediate } from 'node:timers/promises';

/** So long others wait for a turn: requests, and the database for its next statement. */
const longestMs = 1;

/** A turn of work that takes long, at the thread that everybody shares. */
export class Turn {
  #began = performance.now();

  /** Whether it is time to let others go first. */
  get isOver(): boolean {
    return performance.now() - this.#began > longestMs;
  }

  /** Lets them, and begins anew. */
  async next(): Promise<void> {
    await setImmediate();
    this.#began = performance.now();
  }
}
