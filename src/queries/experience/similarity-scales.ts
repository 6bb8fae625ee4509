import { dotProduct } from '../../domain/dot-product.ts';
import {
  mediansOf,
  pairedQuestions,
  similarity,
  unreadText,
  type Medians,
} from '../../domain/experience/similarity.ts';
import { isWithoutVector, type Embedder } from '../../ports/embedder.ts';
import type { QueryVector } from '../search/query-vectors.ts';

/** From this similarity to `unreadText` on, a model could not read a question. */
const unreadFrom = 0.8;

interface Scale {
  readonly medians: Medians;
  /** The vector of `unreadText`. */
  readonly unread: Float32Array;
}

/** Measures how the cosines of each embedding model are to be read, once in a process. */
export class SimilarityScales {
  readonly #scales = new Map<string, Promise<Scale | undefined>>();

  /** Undefined if the model does not answer, cannot tell questions apart, or could not read this one. */
  async of({ model: { id }, embedder, vector }: QueryVector): Promise<Medians | undefined> {
    const measured = this.#scales.get(id) ?? measure(embedder);
    this.#scales.set(id, measured);
    try {
      const scale = await measured;
      if (!scale) return undefined;
      const { medians, unread } = scale;
      return similarity(dotProduct(vector, unread), medians) < unreadFrom ? medians : undefined;
    } catch (error) {
      this.#scales.delete(id);
      if (isWithoutVector(error)) return undefined;
      throw error;
    }
  }
}

async function measure(embedder: Embedder): Promise<Scale | undefined> {
  const vectors = await embedder.embed([...pairedQuestions, unreadText], 'query');
  const medians = mediansOf((left, right) => dotProduct(vectors[left]!, vectors[right]!));
  return medians && { medians, unread: vectors.at(-1)! };
}
