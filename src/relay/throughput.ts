const windowMs = 10_000;

/** Counts events in total, and their rate over the last ten seconds. */
export class Throughput {
  readonly #recent: { readonly at: number; readonly count: number }[] = [];
  #total = 0;

  add(count: number): void {
    this.#total += count;
    this.#recent.push({ at: performance.now(), count });
    this.#forget();
  }

  get total(): number {
    return this.#total;
  }

  get perSecond(): number {
    this.#forget();
    return this.#recent.reduce((sum, { count }) => sum + count, 0) / (windowMs / 1_000);
  }

  #forget(): void {
    const since = performance.now() - windowMs;
    const kept = this.#recent.findIndex(({ at }) => at >= since);
    this.#recent.splice(0, kept === -1 ? this.#recent.length : kept);
  }
}
