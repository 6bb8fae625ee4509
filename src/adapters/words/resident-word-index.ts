import { generationTable } from '../../read-models/generation-table.ts';
import { usesWordsInMemory } from '../../read-models/lexical/variant.ts';
import type { Sql, SqlExecutor } from '../../ports/sql.ts';
import type { Surface } from '../../ports/surface.ts';
import type { WordIndex, Words, WordSet } from '../../ports/word-index.ts';
import type { Selection } from '../resident/changes.ts';
import { TenantRowCache, type SizedSet } from '../resident/tenant-row-cache.ts';
import { bytesOfMemory } from './inverted-index.ts';
import { ResidentWords, type WordRow } from './resident-words.ts';

/** How long a search waits for words that are being loaded. */
const longestWaitMs = 5_000;

const selection: Selection = {
  columns: `k.layer, k.user_id, k.session, k.agent,
    k.counts::text as counts, k.length, k.passage_terms::text as passage_terms, k.passage_lengths`,
  condition: 'k.body is not null',
  // Few rows, since a text may have thousands of terms.
  pageSize: 200,
};
/** What one occurrence of a term takes in all lists, including their spare capacity. */
const bytesOfOccurrence = 20;

export interface ResidentWordIndexOptions {
  /** Limit for all tenants together: the tenant that was not searched for the longest time is evicted first. */
  readonly mostBytes: number;
  /** Called when words cannot be loaded or kept current. */
  readonly onError: (error: unknown) => void;
}

/**
 * Keeps the words of tenants in RAM. All tenants are loaded after startup, the largest first, or on request. There is no other
 * index of them: a tenant that exceeds the limit by itself is kept nevertheless.
 */
export class ResidentWordIndex implements WordIndex {
  readonly #sql: Sql;
  readonly #cache: TenantRowCache<WordRow, ResidentWords>;
  /** The table of the generation that queries will read next. */
  #next: string | undefined;

  constructor(sql: Sql, options: ResidentWordIndexOptions) {
    this.#sql = sql;
    const kind = { name: 'words', selection, empty: () => new ResidentWords() };
    this.#cache = new TenantRowCache(sql, kind, {
      ...options,
      keepsLarger: true,
      bytesOf: async (executor, set) => (await sizesIn(executor, set.table, set.tenant))[0]?.bytes ?? 0,
      first: async (executor) => {
        const [table] = await liveTables(executor);
        return table === undefined ? [] : sizesIn(executor, table);
      },
      inUse: async (executor) => [...(await liveTables(executor)), ...(this.#next ? [this.#next] : [])],
    });
  }

  /** Number of memories whose words are in RAM. */
  get size(): number {
    return this.#cache.size;
  }

  get bytes(): number {
    return this.#cache.bytes;
  }

  /** Resolves when the tenants that fit are loaded after startup, or cannot be loaded. */
  get firstLoaded(): Promise<void> {
    return this.#cache.firstLoaded;
  }

  /** Starts to load the tenants that fit and to apply changes, in the background. */
  start(): Promise<void> {
    return this.#cache.start();
  }

  ready(set: WordSet): Promise<boolean> {
    return this.#cache.load(set, longestWaitMs);
  }

  words(executor: SqlExecutor, set: WordSet): Promise<Words | undefined> {
    return this.#cache.current(executor, set);
  }

  /** Loads the tenants of the generation that queries will read next, as far as they fit beside the current one. */
  async takeOver(table: string): Promise<void> {
    this.#next = table;
    await this.#cache.loadBeside(await sizesIn(this.#sql, table), longestWaitMs);
  }

  get surfaces(): readonly Surface[] {
    return [this.#cache.surface('words in memory')];
  }

  close(): Promise<void> {
    return this.#cache.close();
  }
}

/** The table with the texts that queries read, if their words are kept here. */
async function liveTables(executor: SqlExecutor): Promise<string[]> {
  const live = await executor.query<{ generation: number; signature: string }>(
    `select generation, g.signature from read.active a join read.generations g using (name, generation) where a.name = 'lexical'`,
  );
  return live
    .filter(({ signature }) => usesWordsInMemory(signature))
    .map(({ generation }) => generationTable('lexical', generation));
}

/** The sizes of the sets, largest first, estimated from the lengths of the texts. */
async function sizesIn(executor: SqlExecutor, table: string, tenant?: string): Promise<SizedSet[]> {
  const rows = await executor.query<{ tenant: string; bytes: number }>(
    `select tenant, sum(${bytesOfMemory} + ${bytesOfOccurrence} * length * (case when passage_lengths is null then 1 else 2 end))::bigint as bytes from ${table}
     where body is not null ${tenant === undefined ? '' : 'and tenant = $1'} group by tenant order by bytes desc`,
    tenant === undefined ? [] : [tenant],
  );
  return rows.map((row) => ({ set: { table, tenant: row.tenant }, bytes: row.bytes }));
}
