import { LRUCache } from 'lru-cache';
import type { EmbeddingPurpose } from '../../ports/embedder.ts';

export type EmbedOne = (text: string, purpose: EmbeddingPurpose) => Promise<Float32Array>;

/** Longer queries are rare and would make the cache's memory depend on what callers send. */
const longestKept = 2_000;

/**
 * Embeds what is asked for several times at once only once, and keeps the vectors of the last queries.
 * Every caller gets a vector of its own.
 */
export class SharedVectors {
  readonly #embed: EmbedOne;
  readonly #queries: LRUCache<string, Float32Array>;
  readonly #running = {
    query: new Map<string, Promise<Float32Array>>(),
    passage: new Map<string, Promise<Float32Array>>(),
  };

  /** `cachedQueries`: how many query vectors to keep, 1 at least. */
  constructor(embed: EmbedOne, cachedQueries: number) {
    this.#embed = embed;
    this.#queries = new LRUCache({ max: cachedQueries });
  }

  async get(text: string, purpose: EmbeddingPurpose): Promise<Float32Array> {
    const kept = purpose === 'query' ? this.#queries.get(text) : undefined;
    const vector = kept ?? (await (this.#running[purpose].get(text) ?? this.#start(text, purpose)));
    return vector.slice();
  }

  clear(): void {
    this.#queries.clear();
  }

  #start(text: string, purpose: EmbeddingPurpose): Promise<Float32Array> {
    const running = this.#running[purpose];
    const result = this.#embed(text, purpose)
      .then((vector) => {
        if (purpose === 'query' && text.length <= longestKept) this.#queries.set(text, vector);
        return vector;
      })
      .finally(() => running.delete(text));
    running.set(text, result);
    return result;
  }
}
