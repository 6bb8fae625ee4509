import { setTimeout as delay } from 'node:timers/promises';
import { APIConnectionError, APIError, APIUserAbortError } from 'openai';
import { withTimeLimit } from '../../support/resilience/time-limit.ts';

export interface RetryLimits {
  /** Most requests, the first included. */
  readonly attempts: number;
  /** From the first request to the last answer, waits included. */
  readonly deadlineMs: number;
  /** Of one request, its body included. */
  readonly requestMs: number;
  /** Wait before the second request; doubled before each further one. */
  readonly firstDelayMs: number;
}

/** The endpoint answered something that is no answer; another try may get a whole one. */
export class BrokenAnswer extends Error {
  override readonly name = 'BrokenAnswer';
}

const longestDelayMs = 10_000;

/**
 * Calls `request` until it answers or the limits are reached, and then rejects with its last error.
 * The package's own retries are not used: they obey a Retry-After of any length, and their time-out ends with the headers.
 */
export async function withRetries<T>(
  limits: RetryLimits,
  closing: AbortSignal,
  request: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const end = performance.now() + limits.deadlineMs;
  for (let attempt = 1; ; attempt++) {
    const left = Math.max(1, Math.ceil(Math.min(limits.requestMs, end - performance.now())));
    try {
      return await withTimeLimit(left, closing, request);
    } catch (error) {
      const wait = retryAfterMs(error) ?? jittered(limits.firstDelayMs * 2 ** (attempt - 1));
      const late = performance.now() + wait >= end;
      if (closing.aborted || late || attempt >= limits.attempts || !isTransient(error)) throw error;
      await delay(wait, undefined, { signal: closing });
    }
  }
}

function isTransient(error: unknown): boolean {
  if (error instanceof APIConnectionError || error instanceof APIUserAbortError) return true;
  if (error instanceof APIError) {
    const status: unknown = error.status;
    return (
      typeof status === 'number' && (status === 408 || status === 409 || status === 429 || status >= 500)
    );
  }
  // A body that breaks off or is not JSON, or that the time-out cut.
  return (
    error instanceof BrokenAnswer ||
    error instanceof SyntaxError ||
    error instanceof TypeError ||
    (error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError'))
  );
}

/** Retry-After in milliseconds, from seconds or a date (RFC 9110, 10.2.3); undefined where there is none. */
function retryAfterMs(error: unknown): number | undefined {
  const headers: unknown = error instanceof APIError ? error.headers : undefined;
  const value = headers instanceof Headers ? headers.get('retry-after') : null;
  if (value === null) return undefined;
  const ms = /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** Three quarters to the whole of it, so that clients which failed together do not return together. */
function jittered(ms: number): number {
  return Math.min(ms, longestDelayMs) * (0.75 + Math.random() * 0.25);
}
