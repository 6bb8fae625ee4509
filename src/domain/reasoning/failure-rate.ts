export interface FailureRateOptions {
  /** How far back calls count, in milliseconds. */
  readonly windowMs: number;
  /** Calls are counted by so many slices of the window: one is forgotten as a whole. */
  readonly slices: number;
  /** The share of failures that is borne; more is too many. */
  readonly threshold: number;
  /** Of fewer calls none can say. */
  readonly leastCalls: number;
}

interface Slice {
  readonly number: number;
  calls: number;
  failures: number;
}

/** The share of calls that failed within a sliding window. Times are milliseconds that never go back. */
export class FailureRate {
  readonly #options: FailureRateOptions;
  #slices: Slice[] = [];

  constructor(options: FailureRateOptions) {
    this.#options = options;
  }

  record(failed: boolean, now: number): void {
    const number = this.#sliceAt(now);
    let slice = this.#slices.at(-1);
    if (slice?.number !== number) {
      this.#slices = this.#within(now);
      slice = { number, calls: 0, failures: 0 };
      this.#slices.push(slice);
    }
    slice.calls++;
    if (failed) slice.failures++;
  }

  /** Whether more than the threshold failed, of enough calls. */
  isTooHigh(now: number): boolean {
    const { threshold, leastCalls } = this.#options;
    const within = this.#within(now);
    const calls = within.reduce((sum, slice) => sum + slice.calls, 0);
    const failures = within.reduce((sum, slice) => sum + slice.failures, 0);
    return calls >= leastCalls && failures > threshold * calls;
  }

  /** As if nothing had been called. */
  clear(): void {
    this.#slices = [];
  }

  #within(now: number): Slice[] {
    const oldest = this.#sliceAt(now) - this.#options.slices;
    return this.#slices.filter(({ number }) => number > oldest);
  }

  #sliceAt(now: number): number {
    return Math.floor((now / this.#options.windowMs) * this.#options.slices);
  }
}
