/**
 * Runs `work` with a signal that aborts as `outer` does where there is one, or with a `TimeoutError` after `ms`. `AbortSignal.any` over
 * `AbortSignal.timeout` is not used: nothing holds the latter there, and where Node 20 collects it, it never fires.
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
