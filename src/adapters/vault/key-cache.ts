import type { DataKey } from '../../ports/key-vault.ts';

/** A key destroyed at another process may be used here no longer than this. */
const maxAgeMs = 30_000;
const maxEntries = 20_000;

/** Keys lately used, each for at most 30 s after it was read. */
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

  /** Whoever read the key before its destruction must not bring it back. */
  destroy(tenant: string, id: string): void {
    this.#put(`${tenant}/${id}`, { key: undefined, until: Infinity });
  }

  #put(name: string, entry: { key: DataKey | undefined; until: number }): void {
    if (this.#entries.size >= maxEntries) this.#entries.delete(this.#entries.keys().next().value!);
    this.#entries.delete(name);
    this.#entries.set(name, entry);
  }
}
