/** A memory of a tenant. */
export interface MemoryRef {
  readonly tenant: string;
  readonly memoryId: string;
}

/** A place outside of the log that holds content of memories, or what was derived from it. */
export interface Surface {
  /** What callers see: the name of a read model, or what is cached. */
  readonly name: string;
  /** Number of entries that hold content of the memory or derive from it. */
  count(memory: MemoryRef): Promise<number>;
  /**
   * Resolves when no entry is left of memories that were erased, the last of them at this position of the log, and none is made any more.
   * Repeatable. Rejects if that takes too long.
   */
  forget(erased: readonly MemoryRef[], position: number): Promise<void>;
}
