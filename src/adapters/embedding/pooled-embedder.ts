import type { Embedder, EmbeddingModel, EmbeddingPurpose } from '../../ports/embedder.ts';
import type { EmbeddingPool } from './pool.ts';
import { SharedVectors } from './shared-vectors.ts';

export interface PooledEmbedderOptions {
  /** Maximum number of texts of one call in the queue, so that a long call does not delay short ones behind it. */
  readonly window: number;
  /** Number of cached query vectors. */
  readonly cachedQueries: number;
}

/** An `Embedder` on top of a pool, which shares vectors between callers and limits the queued texts of each call. */
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

/** Maps every item, at most `window` concurrently. After the first rejection no further item is started. */
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
