import { LRUCache } from 'lru-cache';
import { forAllRequests, isUnwanted, requestSignal } from '../../support/request-scope.ts';
import type { EmbeddingPurpose } from '../../ports/embedder.ts';

/** `isWanted` says whether any caller still waits for the vector. */
export type EmbedOne = (
  text: string,
  purpose: EmbeddingPurpose,
  isWanted: () => boolean,
) => Promise<Float32Array>;

/** A text that is being embedded. */
interface Running {
  readonly vector: Promise<Float32Array>;
  /** The request of each caller; undefined for work that belongs to none. */
  readonly requests: Set<AbortSignal | undefined>;
}

/** Longer queries are rare and not cached, so that callers cannot inflate the cache. */
const longestKept = 2_000;

/**
 * Embeds a text only once for concurrent callers, and caches the vectors of recent queries. Every caller receives its own copy.
 */
export class SharedVectors {
  readonly #embed: EmbedOne;
  readonly #queries: LRUCache<string, Float32Array>;
  readonly #running = {
    query: new Map<string, Running>(),
    passage: new Map<string, Running>(),
  };

  /** `cachedQueries` is the number of cached query vectors, at least 1. */
  constructor(embed: EmbedOne, cachedQueries: number) {
    this.#embed = embed;
    this.#queries = new LRUCache({ max: cachedQueries });
  }

  async get(text: string, purpose: EmbeddingPurpose): Promise<Float32Array> {
    const kept = purpose === 'query' ? this.#queries.get(text) : undefined;
    if (kept) return kept.slice();
    const request = requestSignal();
    const { vector, requests } = this.#running[purpose].get(text) ?? this.#start(text, purpose, request);
    requests.add(request);
    return (await vector).slice();
  }

  clear(): void {
    this.#queries.clear();
  }

  #start(text: string, purpose: EmbeddingPurpose, request: AbortSignal | undefined): Running {
    const running = this.#running[purpose];
    const requests = new Set([request]);
    const isWanted = () => [...requests].some((each) => !each || !isUnwanted(each));
    const vector = forAllRequests(() => this.#embed(text, purpose, isWanted))
      .then((embedded) => {
        if (purpose === 'query' && text.length <= longestKept) this.#queries.set(text, embedded);
        return embedded;
      })
      .finally(() => running.delete(text));
    const started = { vector, requests };
    running.set(text, started);
    return started;
  }
}
