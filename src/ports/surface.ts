/** A memory of a tenant. */
export interface MemoryRef {
  readonly tenant: string;
  readonly memoryId: string;
}

/** A place outside of the log that holds content of memories, or what was derived from it. */
export interface Surface {
  /** What callers see: the name of a read model, or what is cached. */
  readonly name: string;
  /** Number of entries that hold content of the memories or derive from it. */
  count(memories: readonly MemoryRef[]): Promise<number>;
  /**
   * Resolves when no entry is left of memories that were erased, the last of them at this position of the log, and none is made any more.
   * Repeatable. Rejects if that takes too long.
   */
  forget(erased: readonly MemoryRef[], position: number): Promise<void>;
}

/** Files, or something like them, that still have the bytes of what was removed until they are rewritten. */
export interface Remains {
  /** What callers see. */
  readonly name: string;
  /** Resolves when no byte is left of what was removed before this was called. Repeatable. */
  rewrite(): Promise<void>;
}

/** The ids of memories by their tenant. */
export function idsByTenant(memories: readonly MemoryRef[]): ReadonlyMap<string, ReadonlySet<string>> {
  const ids = new Map<string, Set<string>>();
  for (const { tenant, memoryId } of memories) {
    const known = ids.get(tenant) ?? new Set();
    ids.set(tenant, known.add(memoryId));
  }
  return ids;
}
