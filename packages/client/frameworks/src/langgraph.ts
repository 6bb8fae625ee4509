import {
  BaseStore,
  type GetOperation,
  type Item,
  type ListNamespacesOperation,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchOperation,
} from '@langchain/langgraph';
import { isProblem, type PutMemory, type StoredMemory, type Stratalog } from '@stratalog/client';
import { inParallel } from './in-parallel.ts';
import { externalIdOf, generationOf, itemId, namespacePath } from './langgraph/item-id.ts';
import { idOfItem, itemOfMemory, memoryOfItem } from './langgraph/item-memory.ts';
import { assertNamespace, commonPrefix, distinct, matches } from './langgraph/namespaces.ts';
import { searchFilter } from './langgraph/search-filter.ts';

type SearchItem = Item & { score?: number };

/** Where the items of a namespace belong. */
export interface Place {
  /** The user whose memories they are; for keys of role `agent`. */
  readonly onBehalfOf?: string | undefined;
  /** Who sees them; `user` by default. */
  readonly layer?: PutMemory['layer'];
  readonly scope?: PutMemory['scope'];
}

export interface StratalogStoreOptions {
  /**
   * Stores with different names do not see each other's items. Give one to each user whose own credential writes into the
   * same tenant. Default: `langgraph`.
   */
  readonly name?: string | undefined;
  /** Where the items of a namespace belong. Also called with the prefix of a search, which may be empty. */
  readonly place?: ((namespace: readonly string[]) => Place) | undefined;
  /** Paths of the fields that a search with a query looks into, unless `put` names others. Default: all. */
  readonly fields?: readonly string[] | undefined;
  /**
   * Least score of a result of a search with a query. 0, the default, ranks everything, as other stores do; `focused`
   * answers only what is relevant, and nothing if no item answers the query.
   */
  readonly threshold?: number | 'focused' | undefined;
}

/** Most results of one search. */
const mostResults = 1_000;
/** Deletions of one item that can be under way at the same time. */
const mostRaces = 20;

/**
 * LangGraph's long-term memory in Stratalog. Each item is a memory under an external id; its value is in the metadata,
 * its text is searched. What this store has written, its reads include.
 */
export class StratalogStore extends BaseStore {
  readonly #stratalog: Stratalog;
  readonly #name: string;
  readonly #place: (namespace: readonly string[]) => Place;
  readonly #options: StratalogStoreOptions;

  constructor(stratalog: Stratalog, options: StratalogStoreOptions = {}) {
    super();
    const { name = 'langgraph', place = () => ({}) } = options;
    if (name.length === 0 || name.length > 64) throw new TypeError('name must have 1 to 64 characters');
    this.#stratalog = stratalog;
    this.#name = name;
    this.#place = place;
    this.#options = options;
  }

  /** Carries out reads first, then puts; of several puts of an item the last one counts. */
  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const puts = new Map<string, PutOperation>();
    for (const operation of operations) {
      if (!isPut(operation)) continue;
      if (operation.value !== null) assertPut(operation);
      puts.set(JSON.stringify([operation.namespace, operation.key]), operation);
    }
    const results = await inParallel(operations, (operation) => this.#read(operation));
    await inParallel([...puts.values()], (operation) => this.#put(operation));
    return results as OperationResults<Op>;
  }

  async #read(operation: Operation): Promise<Item | null | SearchItem[] | string[][] | undefined> {
    if (isPut(operation)) return undefined;
    if ('namespacePrefix' in operation) return this.#search(operation);
    if ('namespace' in operation) return this.#get(operation);
    return this.#listNamespaces(operation);
  }

  async #get(operation: GetOperation): Promise<Item | null> {
    const memory = await this.#memoryOf(operation);
    return memory ? itemOfMemory(memory) : null;
  }

  async #search(operation: SearchOperation): Promise<SearchItem[]> {
    const { namespacePrefix, filter = {}, limit = 10, offset = 0, query } = operation;
    const tests = searchFilter(filter);
    const until = Math.min(offset + limit, mostResults);
    if (tests === undefined || limit <= 0) return [];
    const conditions = [this.#within(namespacePrefix), ...tests];
    const stratalog = this.#clientFor(this.#place(namespacePrefix));
    if (query === undefined || query.trim() === '') {
      const listed = await stratalog.memories.list({ filter: { and: conditions } }).toArray();
      const memories = latestOfEach(listed, (memory) => memory);
      // The list is ordered by creation.
      memories.sort((left, right) => Date.parse(right.updatedAt) - Date.parse(left.updatedAt));
      return memories.slice(offset, offset + limit).map(itemOfMemory);
    }
    if (offset >= until) return [];
    const { threshold = 0 } = this.#options;
    const { results } = await stratalog.search({
      query,
      filter: { and: [...conditions, { 'metadata.langgraph.indexed': { eq: true } }] },
      topK: until,
      ...(threshold !== 'focused' && { threshold }),
    });
    return latestOfEach(results, ({ memory }) => memory)
      .slice(offset)
      .map(({ memory, score }) => ({ ...itemOfMemory(memory), score }));
  }

  async #listNamespaces(operation: ListNamespacesOperation): Promise<string[][]> {
    const { matchConditions = [], maxDepth, limit, offset } = operation;
    const prefix = commonPrefix(matchConditions);
    const stratalog = this.#clientFor(this.#place(prefix));
    const found: string[][] = [];
    for await (const memory of stratalog.memories.list({ filter: this.#within(prefix) })) {
      const { namespace } = itemOfMemory(memory);
      if (matches(matchConditions, namespace)) found.push(namespace.slice(0, maxDepth));
    }
    return distinct(found).slice(offset, offset + limit);
  }

  async #put(operation: PutOperation): Promise<void> {
    const { namespace, key, value, index } = operation;
    if (value === null) return this.#delete(operation);
    const place = this.#place(namespace);
    const id = await itemId(this.#name, operation, place.onBehalfOf);
    const { layer, scope } = place;
    const memory = {
      ...memoryOfItem({ store: this.#name, id, namespace, key, value, index: index ?? this.#options.fields }),
      ...(layer && { layer }),
      ...(scope && { scope }),
    };
    const memories = this.#clientFor(place).memories;
    let generation = 1;
    for (let race = 0; race < mostRaces; race++) {
      try {
        await memories.put(externalIdOf(id, generation), memory);
        return;
      } catch (error) {
        if (isProblem(error, 'external-id-taken'))
          throw new Error(
            `the item ${JSON.stringify([...namespace, key])} of the store ${this.#name} belongs to somebody whose memories this credential does not see: give this store another name, or its items a place`,
            { cause: error },
          );
        if (!isProblem(error, 'memory-deleted')) throw error;
      }
      generation = race === 0 ? await this.#nextGeneration(operation) : generation + 1;
    }
    throw new Error(`others delete the item ${JSON.stringify([...namespace, key])} again and again: retry`);
  }

  /** Where to put an item that was deleted before: over its active memory, or behind the newest deleted one. */
  async #nextGeneration(operation: GetOperation): Promise<number> {
    const active = await this.#memoryOf(operation);
    if (active) return generationOf(active.externalId);
    const deleted = await this.#memoryOf(operation, 'deleted');
    return generationOf(deleted?.externalId) + 1;
  }

  async #delete(operation: GetOperation): Promise<void> {
    const { memories } = this.#clientFor(this.#place(operation.namespace));
    await inParallel(await this.#memoriesOf(operation), async ({ id }) => {
      try {
        await memories.delete(id);
      } catch (error) {
        // Somebody erased it in the meantime.
        if (!isProblem(error, 'not-found')) throw error;
      }
    });
  }

  async #memoryOf(operation: GetOperation, state?: 'active' | 'deleted'): Promise<StoredMemory | undefined> {
    const [newest] = await this.#memoriesOf(operation, state);
    return newest;
  }

  /** The newest first. There is more than one active memory only if an earlier, deleted one was erased or restored. */
  async #memoriesOf(
    operation: GetOperation,
    state: 'active' | 'deleted' = 'active',
  ): Promise<StoredMemory[]> {
    const place = this.#place(operation.namespace);
    const id = await itemId(this.#name, operation, place.onBehalfOf);
    const filter = { 'metadata.langgraph.item': { eq: id } };
    const { items } = await this.#clientFor(place).memories.list({ filter, state, limit: 10 });
    return items;
  }

  #within(prefix: readonly string[]): Record<string, unknown> {
    return { 'metadata.langgraph.within': { eq: namespacePath(this.#name, prefix) } };
  }

  #clientFor({ onBehalfOf }: Place): Stratalog {
    return onBehalfOf === undefined ? this.#stratalog : this.#stratalog.onBehalfOf(onBehalfOf);
  }
}

/** Without earlier memories of the same items. Ids ascend with time. */
function latestOfEach<Found>(found: readonly Found[], memoryOf: (each: Found) => StoredMemory): Found[] {
  const latest = new Map<string, string>();
  for (const { id, metadata } of found.map(memoryOf)) {
    const item = idOfItem(metadata);
    if (id > (latest.get(item) ?? '')) latest.set(item, id);
  }
  return found.filter((each) => latest.get(idOfItem(memoryOf(each).metadata)) === memoryOf(each).id);
}

function isPut(operation: Operation): operation is PutOperation {
  return 'value' in operation;
}

function assertPut({ namespace, key, value }: PutOperation): void {
  assertNamespace(namespace);
  if (typeof key !== 'string') throw new TypeError(`key must be a text, not ${JSON.stringify(key)}`);
  if (typeof value !== 'object' || Array.isArray(value))
    throw new TypeError('value must be an object, or null to delete the item');
}
