/** Lets what concerns the same key happen one after another. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  async run<Result>(key: string, action: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key);
    const turn = before ? before.then(action, action) : action();
    this.#last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(key) === turn) this.#last.delete(key);
    }
  }
}
