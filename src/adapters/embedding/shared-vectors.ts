import { LRUCache } from 'lru-cache';
import type { EmbeddingPurpose } from '../../ports/embedder.ts';

export type EmbedOne = (text: string, purpose: EmbeddingPurpose) => Promise<Float32Array>;

/** Longer queries are rare and not cached, so that callers cannot inflate the cache. */
const longestKept = 2_000;

/**
 * Embeds a text only once for concurrent callers, and caches the vectors of recent queries. Every caller receives its own copy.
 */
export class SharedVectors {
  readonly #embed: EmbedOne;
  readonly #queries: LRUCache<string, Float32Array>;
  readonly #running = {
    query: new Map<string, Promise<Float32Array>>(),
    passage: new Map<string, Promise<Float32Array>>(),
  };

  /** `cachedQueries` is the number of cached query vectors, at least 1. */
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
