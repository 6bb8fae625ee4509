import { emptyRoot, nodeHash, type Hash } from './merkle.ts';

/** The roots of the complete subtrees of a tree that grows: all that is needed to go on, and to know its root. */
export class Frontier {
  size = 0;
  /** By level; undefined where the tree has no subtree of this level at its end. */
  readonly #subtrees: (Hash | undefined)[] = [];

  /** Continues a tree of `size` leaves from what `roots` gave of it. Throws if these are not as many as the size needs. */
  static of(size: number, roots: readonly Hash[]): Frontier {
    const frontier = new Frontier();
    const levels = Array.from(size.toString(2)).toReversed();
    const left = [...roots];
    for (const [level, bit] of levels.entries())
      frontier.#subtrees[level] = bit === '1' ? left.pop() : undefined;
    if (left.length > 0 || levels.some((bit, level) => bit === '1' && !frontier.#subtrees[level]))
      throw new RangeError(`a tree of ${size} leaves has other subtrees`);
    frontier.size = size;
    return frontier;
  }

  add(leaf: Hash): void {
    let hash = leaf;
    let level = 0;
    for (; this.#subtrees[level]; level++) {
      hash = nodeHash(this.#subtrees[level]!, hash);
      this.#subtrees[level] = undefined;
    }
    this.#subtrees[level] = hash;
    this.size++;
  }

  /** The roots of the complete subtrees, the largest first. */
  roots(): readonly Hash[] {
    return this.#subtrees.flatMap((subtree) => subtree ?? []).toReversed();
  }

  root(): Hash {
    let root: Hash | undefined;
    for (const subtree of this.#subtrees) {
      if (!subtree) continue;
      root = root ? nodeHash(subtree, root) : subtree;
    }
    return root ?? emptyRoot;
  }
}
