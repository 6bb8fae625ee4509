import type { MemoryRef, Surface } from '../ports/surface.ts';

/**
 * Every place in this process, and in the database, that holds content of memories or what was derived from it. The log and the topics are
 * none: they have only ciphertext of an erased memory.
 */
export class Surfaces {
  readonly #all: Surface[] = [];

  /** Those that are added first forget first: read models before what is made from them. */
  add(...surfaces: readonly Surface[]): void {
    this.#all.push(...surfaces);
  }

  /** How many entries of each surface hold content of the memories or derive from it. */
  count(memories: readonly MemoryRef[]): Promise<{ readonly name: string; readonly count: number }[]> {
    return Promise.all(this.#all.map(async (one) => ({ name: one.name, count: await one.count(memories) })));
  }

  /** See `Surface.forget`. */
  async forget(erased: readonly MemoryRef[], position: number): Promise<void> {
    for (const surface of this.#all) await surface.forget(erased, position);
  }
}
