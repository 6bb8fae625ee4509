/** Cleanup steps, run in reverse order. */
export class Cleanup {
  readonly #steps: (() => Promise<void>)[] = [];

  add(step: () => Promise<void>): void {
    this.#steps.push(step);
  }

  /** Runs each step once. Rejects with the error of the first step that fails, and skips those after it. */
  async run(): Promise<void> {
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) await step();
  }

  /** Runs each step once and ignores those that fail. */
  async runAll(): Promise<void> {
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) await step().catch(() => undefined);
  }
}
