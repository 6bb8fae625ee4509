import type { ModelScale } from '../../domain/ranking/calibration.ts';
import { variantOf } from '../../read-models/generation-variant.ts';
import {
  isWithoutVector,
  type Embedder,
  type Embedders,
  type RegisteredModel,
} from '../../ports/embedder.ts';
import type { ReadView } from '../read-models.ts';

/** A query as one model sees it. */
export interface QueryVector {
  readonly model: RegisteredModel;
  readonly vector: Float32Array;
  /** What made it, for texts that it is compared with. */
  readonly embedder: Embedder;
}

/** The model whose vectors queries read in this view: its id. */
export function liveModel(view: ReadView): string {
  return variantOf(view.signature('vectors'));
}

/** Embeds queries with the model of the vectors that they are compared with, whichever is live. */
export class QueryVectors {
  readonly #embedders: Embedders;
  /** The model that was live last: which one is live now is known only once the view is there. */
  #expected: string;

  constructor(embedders: Embedders) {
    this.#embedders = embedders;
    this.#expected = embedders.preferred.id;
  }

  /** Of the view that is looked up meanwhile. The vector is undefined where the model cannot answer now. */
  async beside<T extends { readonly view: ReadView }>(
    query: string,
    lookUp: Promise<T>,
  ): Promise<T & { readonly vector: QueryVector | undefined }> {
    const expected = this.#expected;
    const [found, early] = await Promise.all([lookUp, this.of(query, expected)]);
    const live = liveModel(found.view);
    if (live === expected) return { ...found, vector: early };
    this.#expected = live;
    return { ...found, vector: await this.of(query, live) };
  }

  /** The scale that a model was registered with. */
  scaleOf(modelId: string): ModelScale | undefined {
    return this.#embedders.find(modelId)?.scale;
  }

  /** By one model; undefined where it cannot answer now, or is not registered here. */
  async of(query: string, modelId: string): Promise<QueryVector | undefined> {
    const [model, embedder] = [this.#embedders.find(modelId), this.#embedders.of(modelId)];
    if (!model || !embedder) return undefined;
    try {
      const [vector] = await embedder.embed([query], 'query');
      return vector && { model, vector, embedder };
    } catch (error) {
      if (isWithoutVector(error)) return undefined;
      throw error;
    }
  }
}
