/** A memory in a picture of links. */
export interface Node {
  readonly id: string;
  readonly depth: number;
  /** The memory by which it was reached. */
  readonly via: string;
  readonly x: number;
  readonly y: number;
}

interface Item {
  readonly id: string;
  readonly depth: number;
  readonly via: string;
}

/** At most this many memories are drawn: nobody can tell more apart. */
export const maxNodes = 50;

/**
 * Places memories on circles around the centre, one for each step, in a square from -1 to 1: nearest first, each memory once, and
 * those that were reached by the same one beside each other.
 */
export function radial(centre: string, items: readonly Item[]): readonly Node[] {
  const seen = new Set([centre]);
  const drawn = items
    .toSorted((one, other) => one.depth - other.depth)
    .filter(({ id }) => !seen.has(id) && seen.add(id))
    .slice(0, maxNodes - 1);
  const depths = [...new Set(drawn.map(({ depth }) => depth))];
  const nodes: Node[] = [{ id: centre, depth: 0, via: centre, x: 0, y: 0 }];
  for (const [place, depth] of depths.entries()) {
    const order = new Map(nodes.map(({ id }, index) => [id, index]));
    const ring = drawn
      .filter((item) => item.depth === depth)
      .toSorted((one, other) => (order.get(one.via) ?? 0) - (order.get(other.via) ?? 0));
    const radius = (place + 1) / depths.length;
    for (const [index, { id, via }] of ring.entries()) {
      const angle = (2 * Math.PI * index) / ring.length - Math.PI / 2;
      nodes.push({ id, depth, via, x: radius * Math.cos(angle), y: radius * Math.sin(angle) });
    }
  }
  return nodes;
}
