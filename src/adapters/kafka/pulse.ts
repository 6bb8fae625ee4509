/** Tells once when nothing was heard for `silenceMs`, counted from the first beat on. */
export class Pulse {
  readonly #silenceMs: number;
  readonly #onSilence: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(silenceMs: number, onSilence: () => void) {
    this.#silenceMs = silenceMs;
    this.#onSilence = onSilence;
  }

  beat(): void {
    if (this.#timer) this.#timer.refresh();
    else this.#timer = setTimeout(this.#onSilence, this.#silenceMs).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
