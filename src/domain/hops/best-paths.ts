import { comparePaths, endOf, type Path } from './path.ts';

/**
 * The best path to each memory, and which of these paths were followed already. Paths below the threshold are dropped. No step
 * makes a path more relevant, so each memory on a kept path ranks at least as high as the path's last one.
 */
export class BestPaths {
  readonly #threshold: number;
  readonly #paths = new Map<string, Path>();
  readonly #followed = new Set<string>();

  constructor(threshold: number) {
    this.#threshold = threshold;
  }

  /** Returns whether this is now the best path to its memory. If so, it is followed even if a worse path to it already was. */
  add(path: Path): boolean {
    const end = endOf(path);
    if (path.relevance < this.#threshold) return false;
    const known = this.#paths.get(end);
    if (known && comparePaths(known, path) <= 0) return false;
    this.#paths.set(end, path);
    this.#followed.delete(end);
    return true;
  }

  /** The best paths that were not followed yet. Marks them as followed, so that circles end. */
  next(most: number): Path[] {
    const open = this.best(Infinity).filter((path) => !this.#followed.has(endOf(path)));
    const taken = open.slice(0, most);
    for (const path of taken) this.#followed.add(endOf(path));
    return taken;
  }

  best(most: number): Path[] {
    return [...this.#paths.values()].sort(comparePaths).slice(0, most);
  }
}
