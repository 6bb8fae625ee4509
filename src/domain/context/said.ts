import { containment, shingles, type Shingles } from '../text/shingles.ts';
import type { BlockStatement } from './block.ts';

/** A statement is a repetition if one other text contains at least this share of its word triples. */
const leastContained = 0.9;

/** What a context already says, to recognise statements that would repeat it. */
export class Said {
  readonly #ids: Set<string>;
  readonly #texts: Shingles[] = [];

  /** `ids`: memories that are in the context, or were left out because something in it replaces them. */
  constructor(ids: Iterable<string>, texts: Iterable<string>) {
    this.#ids = new Set(ids);
    for (const text of texts) this.#texts.push(shingles(text));
  }

  add({ text, sources }: BlockStatement): void {
    for (const { id } of sources) this.#ids.add(id);
    this.#texts.push(shingles(text));
  }

  /** Whether the statement comes from one of the memories, or repeats the words of another item. */
  has({ text, sources }: BlockStatement): boolean {
    if (sources.some(({ id }) => this.#ids.has(id))) return true;
    const own = shingles(text);
    return this.#texts.some((other) => containment(own, other) >= leastContained);
  }
}
