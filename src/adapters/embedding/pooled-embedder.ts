import {
  TextRefused,
  type Embedder,
  type EmbeddingModel,
  type EmbeddingPurpose,
  type Outcome,
} from '../../ports/embedder.ts';
import type { EmbeddingPool } from './pool.ts';
import { SharedVectors } from './shared-vectors.ts';
import { meanVector } from './vector.ts';

export interface PooledEmbedderOptions {
  /** Maximum number of texts of one call in the queue, so that a long call does not delay short ones behind it. */
  readonly window: number;
  /** Number of cached query vectors. */
  readonly cachedQueries: number;
  /** The parts of a long text whose vectors make that of the text, as their mean; none for a text that is embedded whole. */
  readonly partsOf?: ((text: string) => readonly string[]) | undefined;
}

/** An `Embedder` on top of a pool, which shares vectors between callers and limits the queued texts of each call. */
export function pooledEmbedder(
  model: EmbeddingModel,
  pool: EmbeddingPool,
  options: PooledEmbedderOptions,
): Embedder {
  const { window, cachedQueries, partsOf } = options;
  const vectors = new SharedVectors(
    (text, purpose, isWanted) => pool.submit(text, purpose, isWanted),
    cachedQueries,
  );
  const vectorOf = async (text: string, purpose: EmbeddingPurpose): Promise<Float32Array> => {
    const parts = purpose === 'passage' ? (partsOf?.(text) ?? []) : [];
    if (parts.length === 0) return vectors.get(text, purpose);
    return meanVector(await Promise.all(parts.map((part) => vectors.get(part, purpose))));
  };
  return {
    model,
    async embed(texts: readonly string[], purpose: EmbeddingPurpose) {
      const outcomes = await mapInWindow(texts, window, (text) => orRefusal(vectorOf(text, purpose)));
      const refusal = outcomes.find((outcome) => outcome instanceof TextRefused);
      if (refusal) throw new TextRefused(refusal.message, outcomes);
      return outcomes as Float32Array[];
    },
    forgetQuestions: () => vectors.clear(),
    async close() {
      vectors.clear();
      await pool.close();
    },
  };
}

async function orRefusal(vector: Promise<Float32Array>): Promise<Outcome> {
  try {
    return await vector;
  } catch (error) {
    if (error instanceof TextRefused) return error;
    throw error;
  }
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
