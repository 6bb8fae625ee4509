const everyMs = 200;

/** A line on a terminal that says how far a command is; nothing in a pipe, or if it is to be quiet. */
export class ProgressLine {
  readonly #shown: boolean;
  #drawnAt = 0;

  constructor(quiet: boolean) {
    this.#shown = !quiet && process.stderr.isTTY;
  }

  /** Replaces the line, at most every fifth of a second. */
  readonly show = (text: string): void => {
    if (!this.#shown || Date.now() - this.#drawnAt < everyMs) return;
    this.#drawnAt = Date.now();
    process.stderr.write(`\r\u001b[K${text}`);
  };

  /** Clears the line. */
  stop(): void {
    if (this.#shown && this.#drawnAt > 0) process.stderr.write('\r\u001b[K');
    this.#drawnAt = 0;
  }
}
