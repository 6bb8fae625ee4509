import { containment, shingles, type Shingles } from '../text/shingles.ts';
import type { BlockStatement } from './block.ts';

/** A statement of whose words so many are in one other text is a repetition. */
const mostContained = 0.9;

/** What a context says already, to tell statements that would repeat it. */
export class Said {
  readonly #ids: Set<string>;
  readonly #texts: Shingles[] = [];

  /** `ids`: memories that need not be quoted again, because they are in the context or something else says the same better. */
  constructor(ids: Iterable<string>, texts: Iterable<string>) {
    this.#ids = new Set(ids);
    for (const text of texts) this.#texts.push(shingles(text));
  }

  add({ text, sources }: BlockStatement): void {
    for (const { id } of sources) this.#ids.add(id);
    this.#texts.push(shingles(text));
  }

  /** Whether the statement repeats a memory in the context, or words of another item. */
  has({ text, sources }: BlockStatement): boolean {
    if (sources.some(({ id }) => this.#ids.has(id))) return true;
    const own = shingles(text);
    return this.#texts.some((other) => containment(own, other) >= mostContained);
  }
}
