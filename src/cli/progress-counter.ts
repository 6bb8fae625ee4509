const everyMs = 200;

/** Shows on a terminal how many lines were written, where the total is not known. */
export class ProgressCounter {
  readonly #shown: boolean;
  #drawnAt = 0;
  #lines = 0;

  constructor(quiet: boolean) {
    this.#shown = !quiet && process.stderr.isTTY;
  }

  async *counted(
    lines: AsyncIterable<string>,
    counts: Readonly<Record<string, number>>,
  ): AsyncGenerator<string> {
    for await (const line of lines) {
      yield line;
      this.#lines++;
      if (!this.#shown || Date.now() - this.#drawnAt < everyMs) continue;
      this.#drawnAt = Date.now();
      const kind = Object.keys(counts).at(-1) ?? '';
      process.stderr.write(`\r\u001b[K${this.#lines} lines  ${kind}`);
    }
  }

  /** Clears the line. */
  stop(): void {
    if (this.#shown && this.#drawnAt > 0) process.stderr.write('\r\u001b[K');
    this.#drawnAt = 0;
  }
}
