import { ProgressLine } from './progress-line.ts';

/** Shows on a terminal how many lines were written, where the total is not known. */
export class ProgressCounter {
  readonly #line: ProgressLine;
  #lines = 0;

  constructor(quiet: boolean) {
    this.#line = new ProgressLine(quiet);
  }

  async *counted(
    lines: AsyncIterable<string>,
    counts: Readonly<Record<string, number>>,
  ): AsyncGenerator<string> {
    for await (const line of lines) {
      yield line;
      this.#lines++;
      this.#line.show(`${this.#lines} lines  ${Object.keys(counts).at(-1) ?? ''}`);
    }
  }

  /** Clears the line. */
  stop(): void {
    this.#line.stop();
  }
}
