import { TimeoutError } from './errors.ts';

const longestTimerMs = 2 ** 31 - 1;

/** Ends a call when its caller aborts it, or when its time is over. */
export class Deadline {
  readonly signal: AbortSignal;
  readonly #end: number;
  readonly #dispose: () => void;

  /** Without `timeoutMs` there is no limit. Throws the reason of a signal that is aborted already. */
  constructor(given: AbortSignal | undefined, timeoutMs: number | undefined) {
    given?.throwIfAborted();
    const controller = new AbortController();
    // `setTimeout` would run at once with a longer delay.
    if (timeoutMs === undefined || timeoutMs > longestTimerMs) {
      this.signal = given ?? controller.signal;
      this.#end = Infinity;
      this.#dispose = () => undefined;
      return;
    }
    this.signal = controller.signal;
    this.#end = Date.now() + timeoutMs;
    const abort = (): void => controller.abort(given?.reason);
    given?.addEventListener('abort', abort);
    const timer = setTimeout(() => {
      controller.abort(new TimeoutError(`no answer within ${timeoutMs} ms`));
    }, timeoutMs);
    this.#dispose = () => {
      clearTimeout(timer);
      given?.removeEventListener('abort', abort);
    };
  }

  /** Milliseconds that are left. */
  get left(): number {
    return Math.max(0, this.#end - Date.now());
  }

  /** Resolves after `ms`. Rejects with the reason once the call has ended. */
  async pause(ms: number): Promise<void> {
    await pause(ms, this.signal);
  }

  /** Stops the timer, which would keep the program running. */
  dispose(): void {
    this.#dispose();
  }
}

/** Resolves after `ms`. Rejects with the reason of `signal` once that is aborted. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
  signal?.throwIfAborted();
}
