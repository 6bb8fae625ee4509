import { APIConnectionError, APIError, APIUserAbortError } from 'openai';
import { retry } from '../../support/resilience/retry.ts';
import { withTimeLimit } from '../../support/resilience/time-limit.ts';
import { askedPauseMs, type RateGate } from './rate-gate.ts';

export interface RetryLimits {
  /** Maximum number of requests, the first included. */
  readonly attempts: number;
  /** Time limit from the first request to the last answer, delays included. */
  readonly deadlineMs: number;
  /** Time limit of one request, its body included. */
  readonly requestMs: number;
  /** Delay before the second request; doubled before each further one. */
  readonly firstDelayMs: number;
}

/** The endpoint's answer is incomplete or malformed; a retry may succeed. */
export class BrokenAnswer extends Error {
  override readonly name = 'BrokenAnswer';
}

const longestDelayMs = 10_000;

/**
 * Calls `request` until it succeeds or the limits are reached, then rejects with its last error. All requests to an endpoint share its
 * `gate`.
 * The retries of the `openai` package are not used: they obey a Retry-After of any length, and their time-out does not cover the body.
 */
export async function withRetries<T>(
  limits: RetryLimits,
  gate: RateGate,
  closing: AbortSignal,
  request: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const end = performance.now() + limits.deadlineMs;
  const attempt = async () => {
    await gate.pass(end, closing);
    const left = Math.max(1, Math.ceil(Math.min(limits.requestMs, end - performance.now())));
    try {
      const answer = await withTimeLimit(left, closing, request);
      gate.succeeded();
      return answer;
    } catch (error) {
      gate.failed(error);
      throw error;
    }
  };
  try {
    return await retry(attempt, {
      firstMs: limits.firstDelayMs,
      longestMs: longestDelayMs,
      jitter: 0.25,
      attempts: limits.attempts,
      deadlineMs: limits.deadlineMs,
      signal: closing,
      isRetryable: isTransient,
      delayOf: askedPauseMs,
    });
  } catch (error) {
    // Also after an abort between two requests, when `error` is that of the last request.
    if (closing.aborted && isTransient(error)) throw new DOMException('aborted', 'AbortError');
    throw error;
  }
}

/** Whether another request may succeed. */
export function isTransient(error: unknown): boolean {
  if (error instanceof APIConnectionError || error instanceof APIUserAbortError) return true;
  if (error instanceof APIError) {
    const status: unknown = error.status;
    return (
      typeof status === 'number' && (status === 408 || status === 409 || status === 429 || status >= 500)
    );
  }
  // A body that is truncated or not JSON, or that ran into the time limit.
  return (
    error instanceof BrokenAnswer ||
    error instanceof SyntaxError ||
    error instanceof TypeError ||
    (error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError'))
  );
}
