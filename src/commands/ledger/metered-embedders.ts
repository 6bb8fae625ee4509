import { LRUCache } from 'lru-cache';
import {
  cachedQueries,
  EmbeddingBudgetExhausted,
  longestEndpointText,
  TextRefused,
  type Embedder,
  type Embedders,
  type EmbeddingPurpose,
  type ModelFailure,
  type RegisteredModel,
} from '../../ports/embedder.ts';
import type { Tokenizer } from '../../ports/tokenizer.ts';
import type { TokenAllowances } from './token-allowances.ts';

/**
 * Charges the texts that are sent to embedding endpoints to their tenants, and rejects with `EmbeddingBudgetExhausted` if the budget of
 * the tenant does not allow them. Tokens are counted here, because a request may have texts of several tenants. Models of this machine cost
 * nothing.
 */
export class MeteredEmbedders implements Embedders {
  readonly #embedders: Embedders;
  readonly #allowances: TokenAllowances;
  readonly #tokenizer: Tokenizer;
  /** Called when texts of memories have to wait. */
  readonly #onWaiting: () => void;
  readonly #metered = new Map<string, Embedder>();

  constructor(
    embedders: Embedders,
    allowances: TokenAllowances,
    tokenizer: Tokenizer,
    onWaiting: () => void,
  ) {
    this.#embedders = embedders;
    this.#allowances = allowances;
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

  #meter(embedder: Embedder, endpointModel: string): Embedder {
    // The model has the vectors of these queries: to ask again costs nothing.
    const asked = new LRUCache<string, true>({ max: cachedQueries });
    const embed = async (texts: readonly string[], purpose: EmbeddingPurpose, tenant?: string) => {
      const isKept = purpose === 'query' && texts.every((text) => asked.has(text));
      if (tenant === undefined || texts.length === 0 || isKept) return embedder.embed(texts, purpose);
      const giveBack = await this.#allowances.take(tenant, endpointModel, await this.#tokensOf(texts));
      if (!giveBack) {
        if (purpose === 'passage') this.#onWaiting();
        throw new EmbeddingBudgetExhausted(tenant);
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
