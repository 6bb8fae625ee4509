import { pause } from '../pause.ts';

export interface BackoffOptions {
  /** Delay after the first failure. */
  readonly firstMs: number;
  /** Growth of the delay after each further failure; 2 by default. */
  readonly factor?: number;
  /** Limit of the growth; `firstMs` by default, which makes the delay constant. */
  readonly longestMs?: number;
  /**
   * Random share of each delay, from 0 to 1: with .25 a delay is 75 % to 100 % of its length. It spreads out the retries of clients
   * that failed together. 0 by default.
   */
  readonly jitter?: number;
}

/** Exponentially growing delays between attempts. For loops that `retry` does not fit, such as generators. */
export class Backoff {
  readonly #options: BackoffOptions;
  readonly #random: () => number;
  #failures = 0;

  constructor(options: BackoffOptions, random: () => number = Math.random) {
    this.#options = options;
    this.#random = random;
  }

  /** Delay before the next attempt, in milliseconds. */
  next(): number {
    const { firstMs, factor = 2, longestMs = firstMs, jitter = 0 } = this.#options;
    const delay = Math.min(longestMs, firstMs * factor ** this.#failures++);
    return delay * (1 - jitter * this.#random());
  }

  /** Call it after progress: the next delay is the first one again. */
  reset(): void {
    this.#failures = 0;
  }

  /** Waits for the next delay, or until `signal` aborts. */
  async pause(signal?: AbortSignal): Promise<void> {
    await pause(this.next(), signal);
  }
}
