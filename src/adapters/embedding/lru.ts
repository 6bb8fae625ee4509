/** A map of at most `capacity` entries that forgets the one unused for longest. */
export class LruCache<K, V> {
  readonly #capacity: number;
  readonly #entries = new Map<K, V>();

  /** `capacity` 0 keeps nothing. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    // A Map iterates in insertion order, so re-inserting makes the entry the youngest.
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    if (this.#capacity < 1) return;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#capacity) return;
    for (const eldest of this.#entries.keys()) {
      this.#entries.delete(eldest);
      return;
    }
  }

  clear(): void {
    this.#entries.clear();
  }
}
