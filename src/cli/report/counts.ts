export interface Count {
  readonly name: string;
  readonly count: number;
}

/** How often each name occurred. */
export class Counts {
  readonly #counts = new Map<string, number>();

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  get(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  /** The most frequent first. */
  sorted(): readonly Count[] {
    return [...this.#counts]
      .map(([name, count]) => ({ name, count }))
      .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
  }
}

/** How many there were, and the first of them. */
export interface Listing<Item> {
  readonly count: number;
  readonly items: readonly Item[];
}

/** Collects the first items of a stream, and counts the others. */
export class FirstItems<Item> implements Listing<Item> {
  readonly items: Item[] = [];
  readonly #max: number;
  count = 0;

  constructor(max: number) {
    this.#max = max;
  }

  add(itemOf: () => Item): void {
    this.count++;
    if (this.items.length < this.#max) this.items.push(itemOf());
  }
}
