import type { TripRule } from './circuit-breaker.ts';

export interface FailureRateOptions {
  /** Length of the sliding window, in milliseconds. */
  readonly windowMs: number;
  /** Number of slices that the window is counted in: calls leave the window a slice at a time. */
  readonly slices: number;
  /** Highest tolerated share of failures, from 0 to 1. */
  readonly threshold: number;
  /** With fewer calls in the window the rule never trips. */
  readonly leastCalls: number;
}

interface Slice {
  readonly number: number;
  calls: number;
  failures: number;
}

/** Trips when the share of failed calls within a sliding window exceeds a threshold. Times are milliseconds that never decrease. */
export class FailureRate implements TripRule {
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

  isTripped(now: number): boolean {
    const { threshold, leastCalls } = this.#options;
    const within = this.#within(now);
    const calls = within.reduce((sum, slice) => sum + slice.calls, 0);
    const failures = within.reduce((sum, slice) => sum + slice.failures, 0);
    return calls >= leastCalls && failures > threshold * calls;
  }

  reset(): void {
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
