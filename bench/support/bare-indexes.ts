import { exactScanLimit } from '../../src/domain/retrieval/exact-scan-limit.ts';
import { generationTable } from '../../src/read-models/generation-table.ts';
import { vectorTable } from '../../src/read-models/vectors/tables.ts';
import type { Sql } from '../../src/ports/sql.ts';
import { leastCandidates } from '../../src/queries/search/query.ts';
import { visitsPerHit } from '../../src/queries/search/sources/planner-settings.ts';
import { tenant } from './loaded.ts';

export const deterministicModel = 'deterministic-words-384';

/** Of each query, by the model whose vectors are kept. */
export interface QueryVectors {
  /** Of the model. */
  readonly id: string;
  readonly vectors: readonly Float32Array[];
}

/**
 * For each query the milliseconds of the two index queries that a search stands on, as many of the best by BM25 and by
 * HNSW as a search asks for, or of all vectors where they are few, asked as barely as can be of the tables of a stopped
 * server. Each query is run once before.
 */
export async function timeBareIndexes(
  sql: Sql,
  queries: readonly string[],
  { id: modelId, vectors }: QueryVectors,
): Promise<number[]> {
  const [live] = await sql.query<{ generation: number }>(
    `select generation from read.active where name = 'lexical'`,
  );
  const table = generationTable('lexical', live!.generation);
  const index = `lexical_body_g${live!.generation}`;
  await withBm25(sql, table, index);
  const score = `body <@> to_bm25query($1, 'read.${index}')`;
  const lexical = `select memory_id from ${table} where tenant = $2 and body is not null order by ${score} limit $3`;
  const kept = vectorTable(modelId);
  const inGraph = await withGraph(sql, kept);
  // Few vectors stand in no index: to compare each of them is the barest way then.
  const nearest = inGraph === undefined ? 'true order by embedding <#>' : `${inGraph} order by embedding <=>`;
  const dense = `select memory_id from ${kept} where tenant = $2 and ${nearest} $1::vector limit $3`;
  // The planner, which does not know what a BM25 without its index costs, is left no other way than the two indexes.
  await sql.execute(
    `set hnsw.ef_search = ${visitsPerHit * leastCandidates}; set enable_seqscan = off; set enable_bitmapscan = off; set enable_sort = off`,
  );
  let times: number[] = [];
  for (let round = 0; round < 2; round++) {
    times = [];
    for (const [index, query] of queries.entries()) {
      const start = performance.now();
      await sql.query(lexical, [query, tenant, leastCandidates]);
      await sql.query(dense, [vectors[index]!, tenant, leastCandidates]);
      times.push(performance.now() - start);
    }
  }
  await sql.execute('reset all');
  return times;
}

/** Where words are found in memory there is no index over the texts: it is made. */
async function withBm25(sql: Sql, table: string, index: string): Promise<void> {
  const [standing] = await sql.query<{ oid: number | null }>(`select to_regclass($1)::oid as oid`, [
    `read.${index}`,
  ]);
  if (standing!.oid !== null) return;
  process.stderr.write('a BM25 index is made for the bare queries\n');
  await sql.execute(`create index ${index} on ${table} using bm25 (body) with (text_config = 'english')`);
}

/** The condition of the HNSW index that the tenant's vectors stand in, which is made where they do not; undefined where they are few. */
async function withGraph(sql: Sql, kept: string): Promise<string | undefined> {
  const [standing] = await sql.query<{ in_graph: boolean; many: boolean }>(
    `select exists (select from ${kept} where tenant = $1 and in_graph) as in_graph,
       (select count(*) from ${kept} where tenant = $1) > ${exactScanLimit} as many`,
    [tenant],
  );
  if (standing!.in_graph) return 'in_graph';
  if (!standing!.many) return undefined;
  process.stderr.write('an HNSW index is made for the bare queries\n');
  await sql.execute(
    `set maintenance_work_mem = '512MB';
     create index on ${kept} using hnsw (embedding vector_cosine_ops) with (m = 16, ef_construction = 64)`,
  );
  return 'true';
}
