import type { DataKey } from '../../ports/key-vault.ts';

/** A key destroyed at another process may be used here no longer than this. */
const maxAgeMs = 30_000;
const maxEntries = 20_000;

/** Keys lately used, each for at most 30 s after it was read. */
export class KeyCache {
  readonly #entries = new Map<string, { key: DataKey; until: number }>();

  get(tenant: string, id: string): DataKey | undefined {
    const entry = this.#entries.get(`${tenant}/${id}`);
    return entry && entry.until > performance.now() ? entry.key : undefined;
  }

  set(tenant: string, id: string, key: DataKey): void {
    if (this.#entries.size >= maxEntries) this.#entries.delete(this.#entries.keys().next().value!);
    this.#entries.delete(`${tenant}/${id}`);
    this.#entries.set(`${tenant}/${id}`, { key, until: performance.now() + maxAgeMs });
  }

  delete(tenant: string, id: string): void {
    this.#entries.delete(`${tenant}/${id}`);
  }
}
