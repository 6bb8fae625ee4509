/** Items that were used within the last `keptMs` milliseconds. */
export class RecentlyUsed<Item> {
  readonly #keptMs: number;
  readonly #usedAt = new Map<Item, number>();

  constructor(keptMs: number) {
    this.#keptMs = keptMs;
  }

  add(item: Item): void {
    this.#usedAt.set(item, performance.now());
  }

  items(): ReadonlySet<Item> {
    const since = performance.now() - this.#keptMs;
    for (const [item, usedAt] of this.#usedAt) if (usedAt < since) this.#usedAt.delete(item);
    return new Set(this.#usedAt.keys());
  }
}
