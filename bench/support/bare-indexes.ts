import { vectorTable } from '../../src/domain/retrieval/vector-table.ts';
import { openPglite } from '../../src/adapters/pglite/open.ts';
import type { Sql } from '../../src/ports/sql.ts';
import { tenant } from './loaded.ts';

const deterministicModel = 'deterministic-words-384';
const candidates = 100;

/** The two indexes that a search asks, in the data folder of a stopped server, asked as barely as can be. */
export class BareIndexes {
  readonly #sql: Sql;
  readonly #lexical: string;

  private constructor(sql: Sql, lexicalGeneration: number) {
    this.#sql = sql;
    this.#lexical = `read.lexical_g${lexicalGeneration}`;
  }

  static async open(dataDir: string): Promise<BareIndexes> {
    const sql = await openPglite({ dataDir });
    const [live] = await sql.query<{ generation: number }>(
      `select generation from read.active where name = 'lexical'`,
    );
    await sql.execute(`set hnsw.ef_search = ${candidates}`);
    return new BareIndexes(sql, live!.generation);
  }

  /** For each query the milliseconds of both top 100 together; each query is run once before. */
  async time(queries: readonly string[], vectors: readonly Float32Array[]): Promise<number[]> {
    let times: number[] = [];
    for (let round = 0; round < 2; round++) {
      times = [];
      for (const [index, query] of queries.entries()) {
        const start = performance.now();
        await this.#lexicalTop(query);
        await this.nearest(vectors[index]!, candidates, 'index');
        times.push(performance.now() - start);
      }
    }
    return times;
  }

  /** Ids of the nearest memories, by the HNSW index or by comparing every vector. */
  async nearest(vector: Float32Array, limit: number, how: 'index' | 'exact'): Promise<string[]> {
    const distance = `embedding <=> $1::vector`;
    const rows = await this.#sql.query<{ memory_id: string }>(
      `select memory_id from ${vectorTable(deterministicModel)} where tenant = $2
       order by ${how === 'exact' ? `(${distance}) + 0` : distance} limit $3`,
      [`[${vector.join(',')}]`, tenant, limit],
    );
    return rows.map(({ memory_id: id }) => id);
  }

  async close(): Promise<void> {
    await this.#sql.close();
  }

  async #lexicalTop(query: string): Promise<void> {
    const bm25 = `body <@> to_bm25query($1, '${this.#lexical}_body')`;
    await this.#sql.query(
      `select memory_id from ${this.#lexical} where tenant = $2 and ${bm25} < 0 order by ${bm25} limit $3`,
      [query, tenant, candidates],
    );
  }
}
