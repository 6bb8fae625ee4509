import type { LexicalIndex } from '../../ports/lexical-index.ts';
import type { Remains } from '../../ports/surface.ts';

/** The segments of OpenSearch, which keep the words of replaced documents until they are merged. */
export class ExpungedIndex implements Remains {
  readonly name = 'segments of OpenSearch';
  readonly #index: LexicalIndex;

  constructor(index: LexicalIndex) {
    this.#index = index;
  }

  async rewrite(): Promise<void> {
    for (const generation of await this.#index.generations()) await this.#index.expunge(generation);
  }
}
