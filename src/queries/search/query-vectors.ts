import type { ModelScale } from '../../domain/ranking/calibration.ts';
import { variantOf } from '../../read-models/generation-variant.ts';
import {
  isWithoutVector,
  type Embedder,
  type Embedders,
  type RegisteredModel,
} from '../../ports/embedder.ts';
import type { ReadView } from '../read-models.ts';

/** The vector of a query, by one embedding model. */
export interface QueryVector {
  readonly model: RegisteredModel;
  readonly vector: Float32Array;
  /** The embedder that made it: texts that it is compared with must be embedded by the same one. */
  readonly embedder: Embedder;
}

/** A query by the models of the spaces in reach. */
export interface QueriesOfSpaces {
  readonly vectors: readonly QueryVector[];
  /** Names of the models that do not answer. */
  readonly away: readonly string[];
}

export const noneOfSpaces: QueriesOfSpaces = { vectors: [], away: [] };

/** Id of the embedding model whose vectors queries read in this view. */
export function liveModel(view: ReadView): string {
  return variantOf(view.signature('vectors'));
}

/** Embeds queries with the embedding model that is live, since its vectors are compared with them. */
export class QueryVectors {
  readonly #embedders: Embedders;
  /** Id of the model that was live last: which one is live now is known only when the view has been read. */
  #expected: string;

  constructor(embedders: Embedders) {
    this.#embedders = embedders;
    this.#expected = embedders.preferred.id;
  }

  /** Embeds a query, if there is one, while `lookUp` reads the view. The vector is undefined if the model does not answer. */
  async beside<T extends { readonly view: ReadView }>(
    query: string | undefined,
    lookUp: Promise<T>,
    tenant: string,
  ): Promise<T & { readonly vector: QueryVector | undefined }> {
    if (query === undefined) return { ...(await lookUp), vector: undefined };
    const expected = this.#expected;
    const [found, early] = await Promise.all([lookUp, this.of(query, expected, tenant)]);
    const live = liveModel(found.view);
    if (live === expected) return { ...found, vector: early };
    this.#expected = live;
    return { ...found, vector: await this.of(query, live, tenant) };
  }

  /** Embeds a query with each model that a space names, once. */
  async ofSpaces(
    query: string | undefined,
    names: readonly string[],
    tenant: string,
  ): Promise<QueriesOfSpaces> {
    if (query === undefined || names.length === 0) return noneOfSpaces;
    // What the server does not have is no fault of this search: the configuration of the space says so.
    const models = new Set(
      names.map((name) => this.#embedders.find(name)).filter((model) => model !== undefined),
    );
    const [vectors, away]: [QueryVector[], string[]] = [[], []];
    const embed = async ({ id, name }: RegisteredModel): Promise<void> => {
      // The vectors of the live model are those of the read model.
      if (id === this.#expected) return;
      const made = await this.of(query, id, tenant);
      if (made) vectors.push(made);
      else away.push(name);
    };
    await Promise.all([...models].map(embed));
    return { vectors, away };
  }

  /** The scale that a model was registered with, if any. */
  scaleOf(modelId: string): ModelScale | undefined {
    return this.#embedders.find(modelId)?.scale;
  }

  /** Embeds a query of a tenant with one model; undefined if it does not answer, is not registered here, or costs too much. */
  async of(query: string, modelId: string, tenant: string): Promise<QueryVector | undefined> {
    const [model, embedder] = [this.#embedders.find(modelId), this.#embedders.of(modelId)];
    if (!model || !embedder) return undefined;
    try {
      const [vector] = await embedder.embed([query], 'query', tenant);
      return vector && { model, vector, embedder };
    } catch (error) {
      if (isWithoutVector(error)) return undefined;
      throw error;
    }
  }
}
