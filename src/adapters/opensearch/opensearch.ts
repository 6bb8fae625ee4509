import type { Client, Types } from '@opensearch-project/opensearch';
import {
  DocumentsRefused,
  LexicalIndexUnavailable,
  mostAmong,
  mostResults,
  NoSuchGeneration,
  type DocumentCounts,
  type GenerationName,
  type IndexedEntry,
  type LexicalDocument,
  type LexicalIndex,
  type LexicalIndexHealth,
  type LexicalQuery,
  type WrittenDocuments,
} from '../../ports/lexical-index.ts';
import { BulkOutcome, bulksOf, operationsOf } from './bulk.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { definitionOf, IndexNames } from './definition.ts';
import { alreadyExists, hasTooManyWords, translate } from './errors.ts';
import { expungeIndex } from './expunge.ts';
import { listIndex } from './listing.ts';
import { fewerWords, queryOf } from './query.ts';

export interface OpenSearchOptions extends ConnectionOptions {
  /** Prefix of every index and alias. Each Stratalog on a cluster needs its own. */
  readonly prefix?: string;
  /** Number of shards of generations created from now on. A tenant's documents share a shard. */
  readonly shards?: number;
}

/** Concurrent bulks of one `write`. */
const bulksInFlight = 2;

/** An index on an OpenSearch 2.19 cluster. Connects with the first request, which waits for unavailable nodes. */
export function openOpenSearch(options: OpenSearchOptions): LexicalIndex {
  return new OpenSearchIndex(options);
}

class OpenSearchIndex implements LexicalIndex {
  readonly #connection: Connection;
  readonly #names: IndexNames;
  readonly #shards: number;

  constructor({ prefix = 'stratalog-lexical', shards = 1, ...connection }: OpenSearchOptions) {
    this.#names = new IndexNames(prefix);
    this.#shards = shards;
    this.#connection = new Connection(connection);
  }

  async createGeneration(generation: GenerationName): Promise<void> {
    const body = definitionOf(this.#names.write(generation), this.#shards);
    const index = this.#names.index(generation);
    await this.#connection.change((client) =>
      client.indices.create({ index, body }).catch((error: unknown) => {
        if (!alreadyExists(error)) throw error;
      }),
    );
  }

  async dropGeneration(generation: GenerationName): Promise<void> {
    const index = this.#names.index(generation);
    await this.#connection.change((client) => client.indices.delete({ index, ignore_unavailable: true }));
  }

  async generations(): Promise<GenerationName[]> {
    const { body } = await this.#connection.read((client) =>
      client.indices.getAlias({ index: this.#names.all }),
    );
    return Object.keys(body)
      .map((index) => this.#names.generation(index))
      .sort();
  }

  async serve(generation: GenerationName): Promise<void> {
    const alias = this.#names.serving;
    const actions = [
      { remove: { index: this.#names.all, alias, must_exist: false } },
      { add: { index: this.#names.index(generation), alias } },
    ];
    await this.#connection.change((client) => client.indices.updateAliases({ body: { actions } }));
  }

  async serving(): Promise<GenerationName | undefined> {
    const name = this.#names.serving;
    const { body, statusCode } = await this.#connection.read((client) =>
      client.indices.getAlias({ name }, { ignore: [404] }),
    );
    const [index] = statusCode === 404 ? [] : Object.keys(body);
    return index === undefined ? undefined : this.#names.generation(index);
  }

  async write(generation: GenerationName, documents: readonly LexicalDocument[]): Promise<WrittenDocuments> {
    const alias = this.#names.write(generation);
    const outcome = new BulkOutcome();
    const bulks = bulksOf(documents);
    const lane = async (): Promise<void> => {
      // A failure in one lane ends the generator, so the others stop after their current bulk.
      for (const bulk of bulks) await this.#writeBulk(alias, bulk, outcome);
    };
    const lanes = await Promise.allSettled(Array.from({ length: bulksInFlight }, lane));
    for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason;
    if (outcome.refused.length > 0) throw new DocumentsRefused(outcome.refused);
    return { written: outcome.written, outdated: outcome.outdated };
  }

  async #writeBulk(alias: string, bulk: readonly LexicalDocument[], outcome: BulkOutcome): Promise<void> {
    let rest = bulk;
    await this.#connection.change(async (client) => {
      const { body } = await client.bulk({ body: operationsOf(alias, rest), require_alias: true });
      const { again, reason } = outcome.add(rest, body.items);
      rest = again;
      if (rest.length > 0)
        throw new LexicalIndexUnavailable(`OpenSearch cannot take ${rest.length} documents now: ${reason}`);
    });
  }

  async refresh(generation: GenerationName): Promise<void> {
    const index = this.#names.index(generation);
    await this.#connection.change(async (client) => {
      const { body } = await client.indices
        .refresh({ index })
        .catch(async (error: unknown) => Promise.reject(await refreshFailure(client, index, error)));
      const {
        _shards: { total, successful, failed },
      } = body;
      // OpenSearch silently skips a shard that no node holds, and also a replica for which there is no second node.
      if (failed > 0 || (successful < total && (await statusOf(client, index)) === 'red'))
        throw new LexicalIndexUnavailable(`${successful} of ${total} shards of ${index} were refreshed`);
    });
  }

  async search({ region, text, limit, among }: LexicalQuery, generation: GenerationName): Promise<string[]> {
    const index = this.#names.index(generation);
    checkMost('limit', limit, mostResults);
    checkMost('the number of ids', among?.length ?? 1, mostAmong);
    return this.#connection.read(async (client) => {
      for (let words = text; ; words = fewerWords(words)) {
        try {
          return await find(client, index, region.tenant, limit, queryOf(region, words, among));
        } catch (error) {
          if (!hasTooManyWords(error)) throw error;
        }
      }
    });
  }

  async count(generation: GenerationName): Promise<DocumentCounts> {
    const index = this.#names.index(generation);
    return this.#connection.read(async (client) => ({
      active: await countOf(client, index, false),
      deleted: await countOf(client, index, true),
    }));
  }

  list(generation: GenerationName, pageSize = 1_000): AsyncIterable<IndexedEntry[]> {
    checkMost('a page', pageSize, mostResults);
    return listIndex(this.#connection, this.#names.index(generation), pageSize);
  }

  expunge(generation: GenerationName, signal?: AbortSignal): Promise<void> {
    return expungeIndex(this.#connection, this.#names.index(generation), signal);
  }

  async health(): Promise<LexicalIndexHealth> {
    return this.#connection.ask(async (client) => {
      const { body } = await client.info();
      const { number: version, distribution } = body.version;
      return { distribution, version, status: await statusOf(client) };
    });
  }

  close(): Promise<void> {
    return this.#connection.close();
  }
}

/**
 * While a node starts, it answers a refresh with "no such index", although other requests wait until it has read its state from disk.
 * So this asks again whether the index exists. If it does, the refresh can be tried again.
 */
async function refreshFailure(client: Client, index: string, error: unknown): Promise<unknown> {
  if (!(translate(error) instanceof NoSuchGeneration)) return error;
  const { body: exists } = await client.indices.exists({ index });
  return exists ? new LexicalIndexUnavailable('the node has only just read its state') : error;
}

/** Health of one index, or of the whole cluster. */
async function statusOf(client: Client, index?: string): Promise<LexicalIndexHealth['status']> {
  const { body } = await client.cluster.health(index === undefined ? {} : { index });
  return body.status.toLowerCase() as LexicalIndexHealth['status'];
}

async function find(
  client: Client,
  index: string,
  tenant: string,
  limit: number,
  query: Types.Common_QueryDsl.QueryContainer,
): Promise<string[]> {
  const { body } = await client.search({
    index,
    routing: tenant,
    allow_partial_search_results: false,
    body: {
      query,
      size: limit,
      // The sort values contain the id, so nothing else is fetched.
      sort: [{ _score: { order: 'desc' } }, { memoryId: { order: 'asc' } }],
      _source: false,
      stored_fields: '_none_',
      track_total_hits: false,
    },
  });
  return body.hits.hits.map(({ sort }) => String(sort?.[1]));
}

async function countOf(client: Client, index: string, deleted: boolean): Promise<number> {
  const { body } = await client.count({ index, body: { query: { term: { deleted: { value: deleted } } } } });
  const {
    _shards: { failed },
  } = body;
  if (failed > 0) throw new LexicalIndexUnavailable(`${failed} shards of ${index} were not counted`);
  return body.count;
}

function checkMost(what: string, value: number, most: number): void {
  if (!(Number.isInteger(value) && value >= 0 && value <= most))
    throw new RangeError(`${what} is ${most} at most, not ${value}`);
}
