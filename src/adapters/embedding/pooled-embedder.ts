import type { Embedder, EmbeddingModel, EmbeddingPurpose } from '../../ports/embedder.ts';
import type { EmbeddingPool } from './pool.ts';
import { SharedVectors } from './shared-vectors.ts';

/** How many query vectors a model keeps: 1.5 kB each for 384 numbers, and the text. */
export const cachedQueries = 10_000;

export interface PooledEmbedderOptions {
  /** Most texts that one call has in the queue: a long call waits, and does not hold up the short ones behind it. */
  readonly window: number;
  /** How many query vectors to keep. */
  readonly cachedQueries: number;
}

/** The `Embedder` over a pool: shared vectors, and back-pressure by a window a call. */
export function pooledEmbedder(
  model: EmbeddingModel,
  pool: EmbeddingPool,
  options: PooledEmbedderOptions,
): Embedder {
  const vectors = new SharedVectors((text, purpose) => pool.submit(text, purpose), options.cachedQueries);
  return {
    model,
    embed: (texts: readonly string[], purpose: EmbeddingPurpose) =>
      mapInWindow(texts, options.window, (text) => vectors.get(text, purpose)),
    async close() {
      vectors.clear();
      await pool.close();
    },
  };
}

/** `map` of every item, in order, at most `window` at a time; the first rejection ends it and starts no more. */
async function mapInWindow<T, R>(
  items: readonly T[],
  window: number,
  map: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  results.length = items.length;
  const rest = items.entries();
  let failed = false;
  const lane = async () => {
    for (const [index, item] of rest) {
      try {
        results[index] = await map(item);
      } catch (error) {
        failed = true;
        throw error;
      }
      if (failed) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(window, items.length) }, lane));
  return results;
}
