import { LRUCache } from 'lru-cache';
import {
  cachedQueries,
  EmbeddingBudgetExhausted,
  longestEndpointText,
  TextRefused,
  type Embedder,
  type Embedders,
  type ModelFailure,
  type RegisteredModel,
} from '../../ports/embedder.ts';
import type { Spaces } from '../../domain/spaces/spaces.ts';
import type { Tokenizer } from '../../ports/tokenizer.ts';
import type { TokenAllowances } from './token-allowances.ts';

/**
 * Charges the texts that are sent to embedding endpoints to their tenants and spaces, and rejects with `EmbeddingBudgetExhausted` if a
 * budget does not allow them. Tokens are counted here, because a request may have texts of several tenants. Models of this machine cost
 * nothing.
 */
export class MeteredEmbedders implements Embedders {
  readonly #embedders: Embedders;
  readonly #allowances: TokenAllowances;
  readonly #spacesOf: (tenant: string) => Promise<Spaces>;
  readonly #tokenizer: Tokenizer;
  /** Called when texts of memories have to wait. */
  readonly #onWaiting: () => void;
  readonly #metered = new Map<string, Embedder>();

  constructor(
    embedders: Embedders,
    allowances: TokenAllowances,
    spacesOf: (tenant: string) => Promise<Spaces>,
    tokenizer: Tokenizer,
    onWaiting: () => void,
  ) {
    this.#embedders = embedders;
    this.#allowances = allowances;
    this.#spacesOf = spacesOf;
    this.#tokenizer = tokenizer;
    this.#onWaiting = onWaiting;
  }

  get preferred(): RegisteredModel {
    return this.#embedders.preferred;
  }

  get models(): readonly RegisteredModel[] {
    return this.#embedders.models;
  }

  find(idOrName: string): RegisteredModel | undefined {
    return this.#embedders.find(idOrName);
  }

  of(id: string): Embedder | undefined {
    const known = this.#metered.get(id);
    if (known) return known;
    const [embedder, endpointModel] = [this.#embedders.of(id), this.#embedders.find(id)?.endpointModel];
    if (!embedder || endpointModel === undefined) return embedder;
    const metered = this.#meter(embedder, endpointModel);
    this.#metered.set(id, metered);
    return metered;
  }

  load(id: string): Promise<void> {
    return this.#embedders.load(id);
  }

  probe(id: string): Promise<void> {
    return this.#embedders.probe(id);
  }

  failure(id: string): ModelFailure | undefined {
    return this.#embedders.failure(id);
  }

  keepOnly(ids: ReadonlySet<string>): Promise<void> {
    return this.#embedders.keepOnly(ids);
  }

  close(): Promise<void> {
    return this.#embedders.close();
  }

  /** The labels that are configured spaces; undefined if there is none. */
  async #configured(tenant: string, labels: readonly string[]): Promise<readonly string[] | undefined> {
    if (labels.length === 0) return undefined;
    const { configured } = await this.#spacesOf(tenant);
    const spaces = labels.filter((label) => configured.has(label)).toSorted();
    return spaces.length === 0 ? undefined : spaces;
  }

  #meter(embedder: Embedder, endpointModel: string): Embedder {
    // The model has the vectors of these queries: to ask again costs nothing.
    const asked = new LRUCache<string, true>({ max: cachedQueries });
    const embed: Embedder['embed'] = async (texts, purpose, tenant, labels = []) => {
      const isKept = purpose === 'query' && texts.every((text) => asked.has(text));
      if (tenant === undefined || texts.length === 0 || isKept) return embedder.embed(texts, purpose);
      const spaces = await this.#configured(tenant, labels);
      const tokens = await this.#tokensOf(texts);
      const giveBack = await this.#allowances.take({ tenant, spaces }, endpointModel, tokens);
      if (!giveBack) {
        if (purpose === 'passage') this.#onWaiting();
        throw new EmbeddingBudgetExhausted(tenant, spaces);
      }
      try {
        const vectors = await embedder.embed(texts, purpose);
        if (purpose === 'query') for (const text of texts) asked.set(text, true);
        return vectors;
      } catch (error) {
        // The texts beside a refused one were embedded.
        const outcomes = error instanceof TextRefused ? error.outcomes : undefined;
        if (!outcomes?.some((outcome) => outcome instanceof Float32Array)) giveBack();
        throw error;
      }
    };
    const forgetQuestions = (): void => {
      asked.clear();
      embedder.forgetQuestions?.();
    };
    return { model: embedder.model, embed, forgetQuestions, close: () => embedder.close() };
  }

  async #tokensOf(texts: readonly string[]): Promise<number> {
    const count = await this.#tokenizer.counter();
    return texts.reduce((sum, text) => {
      const sent = text.slice(0, longestEndpointText);
      // Where counting takes too long, at most one token for each unit.
      return sum + Math.min(count(sent), sent.length);
    }, 0);
  }
}
