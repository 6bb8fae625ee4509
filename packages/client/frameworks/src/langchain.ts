import { Document } from '@langchain/core/documents';
import { BaseRetriever, type BaseRetrieverInput } from '@langchain/core/retrievers';
import type { Search, SearchAnswer, StoredMemory, Stratalog } from '@stratalog/client';

export interface StratalogRetrieverInput extends BaseRetrieverInput {
  readonly client: Stratalog;
  /** Everything of a search but its query, such as `topK`, `filter`, `scope`, `threshold` or `content: 'passage'`. */
  readonly search?: Omit<Search, 'query'> | undefined;
}

/** What a search says about a memory. */
export interface FoundMemory
  extends Omit<StoredMemory, 'content' | 'metadata'>, Omit<SearchAnswer['results'][number], 'memory'> {
  readonly searchId: string;
}

/** Metadata of a document: those of the memory, and everything else about it under `stratalog`. */
export type MemoryMetadata = Record<string, unknown> & { readonly stratalog: FoundMemory };

/** Finds memories as documents, best first, and none if nothing answers the query. */
export class StratalogRetriever extends BaseRetriever<MemoryMetadata> {
  static override lc_name(): string {
    return 'StratalogRetriever';
  }

  override lc_namespace: string[] = ['stratalog', 'retrievers'];
  readonly #client: Stratalog;
  readonly #search: Omit<Search, 'query'>;

  constructor({ client, search = {}, ...fields }: StratalogRetrieverInput) {
    super(fields);
    this.#client = client;
    this.#search = search;
  }

  override async _getRelevantDocuments(query: string): Promise<Document<MemoryMetadata>[]> {
    const { results, searchId } = await this.#client.search({ ...this.#search, query });
    return results.map(({ memory, ...found }) => {
      const { content, metadata, ...about } = memory;
      return new Document({
        id: memory.id,
        pageContent: content,
        metadata: { ...metadata, stratalog: { ...about, ...found, searchId } },
      });
    });
  }
}
