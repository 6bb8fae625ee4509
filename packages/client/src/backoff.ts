import { ConnectionLostError, ProblemError, UnreachableError } from './errors.ts';

const firstMs = 250;
const longestMs = 8_000;

/**
 * Statuses of a busy server, or of a proxy whose server is starting. 504 is not among them: the server sends it too, so `isPassing`
 * tests for the one of a proxy, `http-504`.
 */
const passingStatuses = new Set([429, 502, 503]);

/** Whether the same request may succeed later. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof ProblemError))
    return error instanceof UnreachableError || error instanceof ConnectionLostError;
  // A full disk does not pass by itself: somebody has to free space.
  if (error.code === 'storage-full') return false;
  return (
    passingStatuses.has(error.status) || error.code === 'http-504' || error.code === 'command-in-progress'
  );
}

/**
 * Milliseconds before attempt `attempt` + 1: twice as long each time, half of it random so that clients do not return
 * together, and never sooner than the server asked for.
 */
export function backoffMs(attempt: number, retryAfter = 0, random: () => number = Math.random): number {
  const whole = Math.min(longestMs, firstMs * 2 ** attempt);
  return Math.max(whole * (0.5 + random() / 2), retryAfter * 1_000 + random() * firstMs);
}
