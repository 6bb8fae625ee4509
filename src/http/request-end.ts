import type { Context } from 'koa';
import { invalid, Problem } from '../domain/problems.ts';

const header = 'X-Request-Timeout';
const minSeconds = 0.001;
const maxSeconds = 60;

/** Deadline of requests that ask for none. */
export const defaultDeadlineMs = maxSeconds * 1_000;

/** Milliseconds that the caller waits for the answer, from when the request has arrived; undefined without X-Request-Timeout. */
export function readDeadline(koa: Context): number | undefined {
  const sent = koa.get(header).trim();
  if (koa.headers[header.toLowerCase()] === undefined) return undefined;
  const seconds = /^\d{1,2}(?:\.\d{1,20})?$/.test(sent) ? Number(sent) : NaN;
  if (seconds >= minSeconds && seconds <= maxSeconds) return seconds * 1_000;
  throw invalid(header, `must be seconds, from ${minSeconds} to ${maxSeconds}`);
}

/** When and why the work for a request ends before its answer. */
export class RequestEnd {
  /** Aborted when the client has gone, its deadline is over or the server stops; its reason says which. */
  readonly signal: AbortSignal;
  readonly #end = new AbortController();

  constructor(koa: Context, closing: AbortSignal) {
    const end = this.#end;
    this.signal = end.signal;
    koa.res.once('close', () => end.abort(new Problem('request-timeout', 'the connection was closed')));
    closing.addEventListener('abort', () => end.abort(closing.reason), { signal: end.signal });
    if (closing.aborted) end.abort(closing.reason);
  }

  /** Settles as `work` does, or rejects with `deadline-exceeded` after `ms`; then the work is no longer wanted. Undefined is no deadline. */
  async within<T>(ms: number | undefined, work: Promise<T>): Promise<T> {
    if (ms === undefined) return work;
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const problem = new Problem('deadline-exceeded', `there was no answer within ${ms / 1_000} s`);
        this.#end.abort(problem);
        reject(problem);
      }, ms);
    });
    try {
      return await Promise.race([work, over]);
    } finally {
      clearTimeout(timer);
    }
  }
}
