import { LRUCache } from 'lru-cache';
import type { MemoryRef, Surface } from '../ports/surface.ts';

/** The entries of a cache that belong to one tenant. */
export interface TenantEntries {
  count(tenant: string): number;
  clear(tenant: string): void;
}

/**
 * A cache that does not know which memories its entries derive from. It forgets all entries of the erased memory's tenant. Entries that are
 * added after that derive from read models without the memory, so they are not counted for it.
 */
export class TenantSurface implements Surface {
  readonly name: string;
  readonly #entries: TenantEntries;
  readonly #forgotten = new LRUCache<string, true>({ max: 10_000 });

  constructor(name: string, entries: TenantEntries) {
    this.name = name;
    this.#entries = entries;
  }

  count(memories: readonly MemoryRef[]): Promise<number> {
    const held = memories.filter((memory) => !this.#forgotten.has(keyOf(memory)));
    const tenants = new Set(held.map(({ tenant }) => tenant));
    return Promise.resolve([...tenants].reduce((sum, tenant) => sum + this.#entries.count(tenant), 0));
  }

  forget(erased: readonly MemoryRef[]): Promise<void> {
    for (const { tenant } of erased) this.#entries.clear(tenant);
    for (const memory of erased) this.#forgotten.set(keyOf(memory), true);
    return Promise.resolve();
  }
}

const keyOf = ({ tenant, memoryId }: MemoryRef): string => `${tenant}/${memoryId}`;
