import { setTimeout as sleep } from 'node:timers/promises';

export interface CircuitOptions {
  /** How long an answer is waited for. */
  readonly patienceMs: number;
  /** How long nothing is asked after a failure; then one call tries whether it works again. */
  readonly pauseMs: number;
  /** Whether an error means that the server is away: any other rejects. */
  readonly isAway: (error: unknown) => boolean;
}

const late = Symbol('late');

/** Asks a server that may be away: while it is, most callers have their answer, which is none, at once. */
export class Circuit {
  readonly #options: CircuitOptions;
  #openUntil = 0;

  constructor(options: CircuitOptions) {
    this.#options = options;
  }

  /** Undefined where the server is away or does not answer in time. */
  async ask<T>(work: () => Promise<T>): Promise<T | undefined> {
    const { patienceMs, pauseMs, isAway } = this.#options;
    const now = performance.now();
    if (now < this.#openUntil) return undefined;
    // Until its outcome is known others wait for no answer either, once it has failed before.
    const before = this.#openUntil;
    if (before > 0) this.#openUntil = now + patienceMs;
    const timer = new AbortController();
    try {
      const answer = work();
      // It may fail after it was given up.
      answer.catch(() => undefined);
      const timeout = sleep(patienceMs, late, { signal: timer.signal }).catch(() => late);
      const first = await Promise.race([answer, timeout]);
      if (first !== late) {
        this.#openUntil = 0;
        return first as T;
      }
    } catch (error) {
      if (!isAway(error)) throw error;
    } finally {
      timer.abort();
    }
    this.#openUntil = performance.now() + pauseMs;
    return undefined;
  }
}
