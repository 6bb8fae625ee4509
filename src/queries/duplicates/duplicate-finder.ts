import type { TenantContext } from '../../domain/access/context.ts';
import { dotProduct } from '../../domain/dot-product.ts';
import { haveSameFacts } from '../../domain/duplicates/same-facts.ts';
import { similarity, similarityByWords } from '../../domain/experience/similarity.ts';
import type { MemoryView } from '../../domain/memory/view.ts';
import { isWithoutVector, type Embedders } from '../../ports/embedder.ts';
import { SimilarityScales } from '../experience/similarity-scales.ts';
import { areOfOnePlace, partsOf, type StoredMemory } from '../conflicts.ts';
import type { ReadModels, Wait } from '../read-models.ts';
import type { SearchService } from '../search/search.ts';
import { liveModel } from '../search/query-vectors.ts';
import { readClusters, type ShownCluster } from './list-duplicates.ts';

/** A memory that says the same as another one. */
export interface FoundDuplicate {
  readonly id: string;
  readonly createdAt: string;
  readonly similarity: number;
}

/** Memories that are compared: the nearest by words and meaning. */
const maxCandidates = 20;
/** More clusters of one memory in one space would be kept apart by hand. */
const maxClusters = 100;

/** Finds the memories that say the same as another one, for the reactor that collects them. */
export class DuplicateFinder {
  readonly #models: ReadModels;
  readonly #search: SearchService;
  readonly #embedders: Embedders;
  readonly #scales = new SimilarityScales();

  constructor(models: ReadModels, search: SearchService, embedders: Embedders) {
    this.#models = models;
    this.#search = search;
    this.#embedders = embedders;
  }

  /** The memories of the same space, layer and scope that say the same and are at least as similar as `threshold`, best first. */
  async find(
    caller: TenantContext,
    memory: StoredMemory,
    { space, threshold, ...wait }: { readonly space: string; readonly threshold: number } & Wait,
  ): Promise<readonly FoundDuplicate[]> {
    const [query] = partsOf(memory.content);
    if (query === undefined) return [];
    const { layer, scope } = memory;
    const request = {
      query,
      layers: [layer],
      scope,
      spaces: [space],
      topK: maxCandidates,
      threshold: 0,
      ...wait,
    };
    const { best, view } = await this.#search.find(caller, request, { keepsCopies: true });
    const same = best.flatMap(({ memory: other }) =>
      other.id !== memory.id && areOfOnePlace(memory, other) && haveSameFacts(memory.content, other.content)
        ? [other]
        : [],
    );
    if (same.length === 0) return [];
    const similarities = await this.#similarities(
      { tenant: caller.tenant, space },
      memory.content,
      same,
      liveModel(view),
    );
    return same
      .map(({ id, createdAt }, index) => ({ id, createdAt, similarity: rounded(similarities[index]!) }))
      .filter((found) => found.similarity >= threshold)
      .sort((left, right) => right.similarity - left.similarity || (left.id < right.id ? -1 : 1));
  }

  /** The clusters of a space that have this memory, with all members that still belong to them. */
  clustersOf(
    caller: TenantContext,
    memory: string,
    { space, ...wait }: { readonly space: string } & Wait,
  ): Promise<readonly ShownCluster[]> {
    return this.#models.read({ projections: ['duplicates', 'memories'], ...wait }, (view) =>
      readClusters(this.#models, view, caller, { space, memory, limit: maxClusters }),
    );
  }

  /** By meaning, on the scale of all models; by words where the model does not answer or could not read the text. */
  async #similarities(
    { tenant, space }: { readonly tenant: string; readonly space: string },
    content: string,
    others: readonly MemoryView[],
    modelId: string,
  ): Promise<readonly number[]> {
    const byWords = similarityByWords(content);
    const inWords = () => others.map((other) => byWords(other.content));
    const [model, embedder] = [this.#embedders.find(modelId), this.#embedders.of(modelId)];
    if (!model || !embedder) return inWords();
    try {
      const texts = [content, ...others.map((other) => other.content)];
      const [vector, ...vectors] = await embedder.embed(texts, 'passage', tenant, [space]);
      const scale = await this.#scales.of({ model, embedder, vector: vector! });
      return scale ? vectors.map((other) => similarity(dotProduct(vector!, other), scale)) : inWords();
    } catch (error) {
      if (isWithoutVector(error)) return inWords();
      throw error;
    }
  }
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
