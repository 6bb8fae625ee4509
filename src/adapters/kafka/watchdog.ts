/** Calls `onSilence` once if `reset` has not been called for `silenceMs`. Starts with the first `reset`. */
export class Watchdog {
  readonly #silenceMs: number;
  readonly #onSilence: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(silenceMs: number, onSilence: () => void) {
    this.#silenceMs = silenceMs;
    this.#onSilence = onSilence;
  }

  reset(): void {
    if (this.#timer) this.#timer.refresh();
    else this.#timer = setTimeout(this.#onSilence, this.#silenceMs).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
