/** `wake` is not called for changes by other processes: a reader looks for them after this many milliseconds at the latest. */
const maxSleepMs = 30_000;

/** Lets several readers sleep until something happens, without missing what happens between looking for work and falling asleep. */
export class WakeUp {
  #count = 0;
  readonly #sleepers = new Set<() => void>();

  /** Number of calls of `wake`. Read it before looking for work and pass it to `after`. */
  get count(): number {
    return this.#count;
  }

  wake(): void {
    this.#count++;
    for (const resume of this.#sleepers) resume();
  }

  /**
   * Like `after`, for a reader with something due in `ms` milliseconds, if that is known. Resolves after 30 s at the latest. What is overdue
   * does not shorten that: the reader has just looked for it, so another process is at it.
   */
  afterDue(seen: number, ms: number | undefined, signal: AbortSignal): Promise<void> {
    const isLater = ms !== undefined && ms > 0;
    return this.after(seen, isLater ? Math.min(ms, maxSleepMs) : maxSleepMs, signal);
  }

  /** Resolves at once if `wake` was called since `seen`; otherwise with the next call, after `ms`, or when `signal` aborts. */
  async after(seen: number, ms: number, signal: AbortSignal): Promise<void> {
    if (this.#count !== seen || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const resume = () => {
        clearTimeout(timer);
        this.#sleepers.delete(resume);
        signal.removeEventListener('abort', resume);
        resolve();
      };
      const timer = setTimeout(resume, ms);
      this.#sleepers.add(resume);
      signal.addEventListener('abort', resume, { once: true });
    });
  }
}
