/** `source` supersedes `target`. */
export interface Supersession {
  readonly source: string;
  readonly target: string;
  readonly confidence: number;
}

/** Which memories others supersede, step by step: from links that may branch, meet and run in circles. */
export class SupersessionGraph {
  readonly #bySuperseded = new Map<string, Supersession[]>();

  constructor(links: readonly Supersession[]) {
    for (const link of links) {
      const known = this.#bySuperseded.get(link.target);
      if (known) known.push(link);
      else this.#bySuperseded.set(link.target, [link]);
    }
  }

  /**
   * What nothing supersedes at the end of the chains from `id`: of several the one that was created last (ids sort by
   * creation). Undefined where nothing supersedes it, and where all chains run in circles: no member of one is newer.
   */
  newest(id: string): string | undefined {
    const seen = new Set<string>();
    const waiting = [id];
    let newest: string | undefined;
    for (const from of waiting) {
      for (const { source } of this.#bySuperseded.get(from) ?? []) {
        if (seen.has(source)) continue;
        seen.add(source);
        waiting.push(source);
        const isEnd = !this.#bySuperseded.has(source);
        if (isEnd && (newest === undefined || source > newest)) newest = source;
      }
    }
    return newest;
  }

  /**
   * The shortest chain to each memory that supersedes `id`, the links from it on; to itself too where a chain runs in a
   * circle.
   */
  chains(id: string): ReadonlyMap<string, readonly Supersession[]> {
    const chains = new Map<string, readonly Supersession[]>();
    const waiting: { readonly id: string; readonly chain: readonly Supersession[] }[] = [{ id, chain: [] }];
    for (const { id: from, chain } of waiting) {
      for (const link of this.#bySuperseded.get(from) ?? []) {
        if (chains.has(link.source)) continue;
        const longer = [...chain, link];
        chains.set(link.source, longer);
        waiting.push({ id: link.source, chain: longer });
      }
    }
    return chains;
  }
}
