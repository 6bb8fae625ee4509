/**
 * Lets tasks onto the one connection in the order of their arrival. Single statements pass at once, one behind the
 * other; a transaction holds the turnstile, and all that come later wait, until it is released.
 */
export class Turnstile {
  #held = false;
  readonly #queue: { readonly holds: boolean; readonly start: () => void }[] = [];

  /** Runs `start` when it is this task's turn; at once where nothing holds or waits. */
  pass(start: () => void): void {
    this.#enter(false, start);
  }

  /** As `pass`, and nothing passes after it until `release`. */
  hold(start: () => void): void {
    this.#enter(true, start);
  }

  release(): void {
    this.#held = false;
    while (!this.#held) {
      const next = this.#queue.shift();
      if (!next) return;
      this.#held = next.holds;
      next.start();
    }
  }

  #enter(holds: boolean, start: () => void): void {
    if (this.#held || this.#queue.length > 0) {
      this.#queue.push({ holds, start });
      return;
    }
    this.#held = holds;
    start();
  }
}
