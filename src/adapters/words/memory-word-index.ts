import { generationTable } from '../../read-models/generation-table.ts';
import { usesWordsInMemory } from '../../read-models/lexical/variant.ts';
import type { Sql, SqlExecutor } from '../../ports/sql.ts';
import type { WordIndex, Words, WordSet } from '../../ports/word-index.ts';
import type { Selection } from '../resident/changes.ts';
import { Keeper, type SizedSet } from '../resident/keeper.ts';
import { bytesOfMemory, InvertedIndex, type WordRow } from './inverted-index.ts';

/** A search waits so long for words that are being loaded. */
const longestWaitMs = 5_000;

const selection: Selection = {
  columns: 'k.counts::text as counts, k.length',
  condition: 'k.body is not null',
  // A text may have thousands of terms.
  pageSize: 200,
};
/** What a term of a memory takes in all its lists, with the room that they have left. */
const bytesOfOccurrence = 20;

export interface MemoryWordIndexOptions {
  /** Of memory in all: who was not asked for the longest time makes room. */
  readonly mostBytes: number;
  /** What keeps words from being loaded or followed. */
  readonly onError: (error: unknown) => void;
}

/**
 * Keeps the words of tenants in memory: all of them are loaded after a start, the largest first, or when somebody asks. There is
 * no other index of them, so a tenant whose words are more than may be kept is kept all the same.
 */
export class MemoryWordIndex implements WordIndex {
  readonly #sql: Sql;
  readonly #keeper: Keeper<WordRow, InvertedIndex>;
  /** The table of a generation that is about to be read. */
  #next: string | undefined;

  constructor(sql: Sql, options: MemoryWordIndexOptions) {
    this.#sql = sql;
    const kind = { name: 'words', selection, empty: () => new InvertedIndex() };
    this.#keeper = new Keeper(sql, kind, {
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

  /** How many memories' words are in memory. */
  get size(): number {
    return this.#keeper.size;
  }

  /** What they take. */
  get bytes(): number {
    return this.#keeper.bytes;
  }

  /** Resolves when what fits was loaded after the start, or cannot be. */
  get firstLoaded(): Promise<void> {
    return this.#keeper.firstLoaded;
  }

  /** Loads what fits, and follows the changes, in the background. */
  start(): Promise<void> {
    return this.#keeper.start();
  }

  ready(set: WordSet): Promise<boolean> {
    return this.#keeper.load(set, longestWaitMs);
  }

  words(executor: SqlExecutor, set: WordSet): Promise<Words | undefined> {
    return this.#keeper.current(executor, set);
  }

  /** Loads of the generation that will be read next what fits beside the one that is read. */
  async takeOver(table: string): Promise<void> {
    this.#next = table;
    await this.#keeper.loadBeside(await sizesIn(this.#sql, table), longestWaitMs);
  }

  close(): Promise<void> {
    return this.#keeper.close();
  }
}

/** The table with the texts that queries read, where their words are found here. */
async function liveTables(executor: SqlExecutor): Promise<string[]> {
  const live = await executor.query<{ generation: number; signature: string }>(
    `select generation, g.signature from read.active a join read.generations g using (name, generation) where a.name = 'lexical'`,
  );
  return live
    .filter(({ signature }) => usesWordsInMemory(signature))
    .map(({ generation }) => generationTable('lexical', generation));
}

/** Estimates from the texts' lengths, the largest first. */
async function sizesIn(executor: SqlExecutor, table: string, tenant?: string): Promise<SizedSet[]> {
  const rows = await executor.query<{ tenant: string; bytes: number }>(
    `select tenant, sum(${bytesOfMemory} + ${bytesOfOccurrence} * length)::bigint as bytes from ${table}
     where body is not null ${tenant === undefined ? '' : 'and tenant = $1'} group by tenant order by bytes desc`,
    tenant === undefined ? [] : [tenant],
  );
  return rows.map((row) => ({ set: { table, tenant: row.tenant }, bytes: row.bytes }));
}
