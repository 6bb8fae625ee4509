import { pause } from '../pause.ts';
import { Backoff, type BackoffOptions } from './backoff.ts';

export interface RetryOptions extends BackoffOptions {
  /** Maximum number of attempts, the first included. Unlimited by default. */
  readonly attempts?: number;
  /** No attempt starts later than this after the first one. Unlimited by default. */
  readonly deadlineMs?: number;
  /** Ends the retries: a delay is cut short, and the last error is thrown. */
  readonly signal?: AbortSignal;
  /** By default every error is retried. */
  readonly isRetryable?: (error: unknown) => boolean;
  /** Delay that the server asked for (see `retryAfterMs`); it replaces the computed one. */
  readonly delayOf?: (error: unknown) => number | undefined;
}

export interface Attempt {
  /** 1 for the first attempt. */
  readonly number: number;
  /** Resets the back-off: call it when long-running work has got somewhere, so that its next failure counts as the first. */
  madeProgress(): void;
}

/**
 * Repeats `work` until it resolves, with exponentially growing delays. Rejects with the last error when the error is not retryable,
 * when attempts or time are used up, or when `signal` aborts. `work` must be safe to repeat.
 */
export async function retry<T>(work: (attempt: Attempt) => Promise<T>, options: RetryOptions): Promise<T> {
  const { attempts = Infinity, deadlineMs = Infinity, signal, isRetryable = () => true } = options;
  const backoff = new Backoff(options);
  const end = performance.now() + deadlineMs;
  for (let number = 1; ; number++) {
    try {
      return await work({ number, madeProgress: () => backoff.reset() });
    } catch (error) {
      if (signal?.aborted || number >= attempts || !isRetryable(error)) throw error;
      const computedMs = backoff.next();
      const delayMs = options.delayOf?.(error) ?? computedMs;
      if (performance.now() + delayMs >= end) throw error;
      await pause(delayMs, signal);
      if (signal?.aborted) throw error;
    }
  }
}
