import type { DataKey } from '../../ports/key-vault.ts';

/** Longest time that this process may use a key after another process destroyed it. */
const maxAgeMs = 30_000;
const maxEntries = 20_000;

/** Caches recently used keys, each for at most 30 s. */
export class KeyCache {
  readonly #entries = new Map<string, { key: DataKey | undefined; until: number }>();

  get(tenant: string, id: string): DataKey | undefined {
    const entry = this.#entries.get(`${tenant}/${id}`);
    return entry && entry.until > performance.now() ? entry.key : undefined;
  }

  set(tenant: string, id: string, key: DataKey): void {
    const present = this.#entries.get(`${tenant}/${id}`);
    if (present && present.key === undefined) return;
    this.#put(`${tenant}/${id}`, { key, until: performance.now() + maxAgeMs });
  }

  /** Marks a key as destroyed, so that a concurrent read from before cannot add it again. */
  destroy(tenant: string, id: string): void {
    this.#put(`${tenant}/${id}`, { key: undefined, until: Infinity });
  }

  #put(name: string, entry: { key: DataKey | undefined; until: number }): void {
    if (this.#entries.size >= maxEntries) this.#entries.delete(this.#entries.keys().next().value!);
    this.#entries.delete(name);
    this.#entries.set(name, entry);
  }
}
