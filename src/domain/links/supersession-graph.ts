/** `source` supersedes `target`. */
export interface Supersession {
  readonly source: string;
  readonly target: string;
  readonly confidence: number;
}

/** The graph of `supersedes` links. It may branch, join and contain cycles. */
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
   * The newest version of `id`: the memory at the end of its chains that nothing supersedes. If there are several, the one
   * created last (ids sort by creation). Undefined if nothing supersedes `id`, or if all chains end in cycles, which have no
   * newest member.
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
   * The shortest chain of links from `id` to each memory that supersedes it, directly or not. Includes `id` itself if it is part
   * of a cycle.
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
