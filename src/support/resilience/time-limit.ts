/**
 * Runs `work` with a signal that aborts when `outer` does, with its reason, or with a `TimeoutError` after `ms`. Settles when `work`
 * does: use it for work that observes the signal.
 *
 * `AbortSignal.any` over `AbortSignal.timeout` is not used: nothing references the latter, and once Node 20 has collected it,
 * it never fires.
 */
export async function withTimeLimit<T>(
  ms: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const follow = (): void => limit.abort(outer?.reason);
  const timer = setTimeout(() => limit.abort(new DOMException(`over after ${ms} ms`, 'TimeoutError')), ms);
  if (outer?.aborted) follow();
  else outer?.addEventListener('abort', follow, { once: true });
  try {
    return await work(limit.signal);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', follow);
  }
}

/**
 * Settles as `work` does, or rejects with `timedOut()` after `ms`. Use it for work that cannot be cancelled: after the limit it
 * continues, and its outcome is ignored.
 */
export async function abandonAfter<T>(
  ms: number,
  work: () => Promise<T>,
  timedOut: () => Error = () => new Error(`no answer within ${ms} ms`),
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(timedOut()), ms);
  });
  try {
    return await Promise.race([work(), limit]);
  } finally {
    clearTimeout(timer);
  }
}
