import { forAllRequests } from './request-scope.ts';

/**
 * Work whose result several callers can share. One run at a time for each key; all who ask while it is under way get the result of the
 * next one, so no result is older than its request.
 */
export class SharedRuns<Result> {
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #next = new Map<string, Promise<Result>>();

  run(key: string, work: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(key);
    if (!running) return this.#start(key, work);
    const next = this.#next.get(key) ?? running.then(() => this.#start(key, work));
    this.#next.set(key, next);
    return next;
  }

  #start(key: string, work: () => Promise<Result>): Promise<Result> {
    this.#next.delete(key);
    const result = forAllRequests(work);
    const ended = result.then(
      () => undefined,
      () => undefined,
    );
    this.#running.set(key, ended);
    void ended.then(() => {
      if (this.#running.get(key) === ended) this.#running.delete(key);
    });
    return result;
  }
}
