import type { DataKey } from '../../ports/key-vault.ts';

/** Longest time that this process may use a key after another process destroyed it. */
const maxAgeMs = 30_000;
const maxEntries = 20_000;

interface Entry {
  /** Undefined for a destroyed key. */
  readonly key: DataKey | undefined;
  readonly until: number;
  /** `tenant/subject` of the key that wraps it. */
  readonly wrappedBy: string | undefined;
}

/** Caches recently used keys, each for at most 30 s. */
export class KeyCache {
  readonly #entries = new Map<string, Entry>();

  get(tenant: string, id: string): DataKey | undefined {
    const entry = this.#entries.get(`${tenant}/${id}`);
    return entry && entry.until > performance.now() ? entry.key : undefined;
  }

  set(tenant: string, id: string, key: DataKey, subject?: string): void {
    if (this.isDestroyed(tenant, id)) return;
    const wrappedBy = subject === undefined ? undefined : `${tenant}/${subject}`;
    this.#put(`${tenant}/${id}`, { key, until: performance.now() + maxAgeMs, wrappedBy });
  }

  isDestroyed(tenant: string, id: string): boolean {
    const present = this.#entries.get(`${tenant}/${id}`);
    return present !== undefined && present.key === undefined;
  }

  /** Marks a key as destroyed, so that a concurrent read from before cannot add it again. */
  destroy(tenant: string, id: string): void {
    this.#put(`${tenant}/${id}`, { key: undefined, until: Infinity, wrappedBy: undefined });
  }

  /** Drops the keys that a subject's key wraps. */
  dropWrappedBy(tenant: string, subject: string): void {
    for (const [name, { wrappedBy }] of this.#entries)
      if (wrappedBy === `${tenant}/${subject}`) this.#entries.delete(name);
  }

  /** Drops all keys of a tenant. */
  dropTenant(tenant: string): void {
    for (const [name, { key }] of this.#entries)
      if (key && name.startsWith(`${tenant}/`)) this.#entries.delete(name);
  }

  #put(name: string, entry: Entry): void {
    if (this.#entries.size >= maxEntries) this.#entries.delete(this.#entries.keys().next().value!);
    this.#entries.delete(name);
    this.#entries.set(name, entry);
  }
}
