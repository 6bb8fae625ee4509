import { dotProduct } from '../../domain/dot-product.ts';
import {
  mediansOf,
  pairedQuestions,
  similarity,
  termLikeness,
  wordMedians,
  type Medians,
} from '../../domain/experience/similarity.ts';
import { isWithoutVector, type Embedder } from '../../ports/embedder.ts';
import type { QueryVector } from '../search/query-vectors.ts';

/** Measures how the cosines of each embedding model are to be read, once in a process. */
export class SimilarityScales {
  readonly #scales = new Map<string, Promise<Medians | undefined>>();

  /** Undefined if the model does not answer, or cannot tell questions apart. */
  async of({ model: { id }, embedder }: QueryVector): Promise<Medians | undefined> {
    const measured = this.#scales.get(id) ?? measure(embedder);
    this.#scales.set(id, measured);
    try {
      return await measured;
    } catch (error) {
      this.#scales.delete(id);
      if (isWithoutVector(error)) return undefined;
      throw error;
    }
  }
}

async function measure(embedder: Embedder): Promise<Medians | undefined> {
  const vectors = await embedder.embed(pairedQuestions, 'query');
  return mediansOf((left, right) => dotProduct(vectors[left]!, vectors[right]!));
}

/** The similarity of two questions, 0..1, by their words alone. */
export function similarityOfWords(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  return similarity(termLikeness(left, right), wordMedians);
}
