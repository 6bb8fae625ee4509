/** Runs actions with the same key one after another, in the order of the calls; actions with different keys run concurrently. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Resolves or rejects as `action` does. A failed action does not keep the next one from running. */
  async run<Result>(key: string, action: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key);
    const own = before ? before.then(action, action) : action();
    this.#last.set(key, own);
    try {
      return await own;
    } finally {
      if (this.#last.get(key) === own) this.#last.delete(key);
    }
  }
}
