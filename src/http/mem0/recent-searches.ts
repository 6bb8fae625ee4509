import { LRUCache } from 'lru-cache';
import type { TenantContext } from '../../domain/access/context.ts';

const maxKept = 20_000;

/**
 * The last search of each caller that returned a memory, because feedback is about an answer, but mem0's clients only name the memory.
 * Known to this process only.
 */
export class RecentSearches {
  readonly #searches = new LRUCache<string, string>({ max: maxKept });

  remember(caller: TenantContext, memoryIds: readonly string[], searchId: string): void {
    for (const id of memoryIds) this.#searches.set(keyOf(caller, id), searchId);
  }

  find(caller: TenantContext, memoryId: string): string | undefined {
    return this.#searches.get(keyOf(caller, memoryId));
  }
}

function keyOf({ tenant, principal, user }: TenantContext, memoryId: string): string {
  return JSON.stringify([tenant, principal, user, memoryId]);
}
