import { comparePaths, endOf, type Path } from './path.ts';

/**
 * The memories that paths have led to, each by its best path. A path below the threshold has ended and is not kept.
 * As no step makes a path more relevant, every memory on a path that is kept stands before its end or beside it.
 */
export class Reached {
  readonly #threshold: number;
  readonly #paths = new Map<string, Path>();
  readonly #followed = new Set<string>();

  constructor(threshold: number) {
    this.#threshold = threshold;
  }

  /** Answers whether it is the best path to its memory by now; then it is to be followed, whether another was before. */
  add(path: Path): boolean {
    const end = endOf(path);
    if (path.relevance < this.#threshold) return false;
    const known = this.#paths.get(end);
    if (known && comparePaths(known, path) <= 0) return false;
    this.#paths.set(end, path);
    this.#followed.delete(end);
    return true;
  }

  /** The best paths that were not followed yet. They count as followed then: circles end. */
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
