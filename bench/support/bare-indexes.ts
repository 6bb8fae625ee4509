import { exactScanLimit } from '../../src/domain/retrieval/exact-scan-limit.ts';
import { generationTable } from '../../src/read-models/generation-table.ts';
import { passageVectorTable, vectorTable } from '../../src/read-models/vectors/tables.ts';
import type { Sql } from '../../src/ports/sql.ts';
import { minCandidates } from '../../src/queries/search/query.ts';
import { passagesPerMemory } from '../../src/queries/search/sources/passage-vectors.ts';
import { visitsPerHit } from '../../src/queries/search/sources/planner-settings.ts';
import { tenant } from './loaded.ts';

export const deterministicModel = 'deterministic-words-384';

/** Vectors of the queries, made with the model of the stored vectors. */
export interface QueryVectors {
  /** Id of the model. */
  readonly id: string;
  readonly vectors: readonly Float32Array[];
}

/**
 * Milliseconds for each query of the two bare index queries beneath a search: as many of the best by BM25 and by HNSW as a search
 * requests, on the tables of a stopped server. If there are few vectors, all are compared instead. With `passages` the nearest
 * passages are a third query. Each query is run once before.
 */
export async function timeBareIndexes(
  sql: Sql,
  queries: readonly string[],
  { id: modelId, vectors }: QueryVectors,
  { passages = false } = {},
): Promise<number[]> {
  const [live] = await sql.query<{ generation: number }>(
    `select generation from read.active where name = 'lexical'`,
  );
  const table = generationTable('lexical', live!.generation);
  const index = `lexical_words_g${live!.generation}`;
  const column = await withBm25(sql, table, index);
  const score = `${column} <@> to_bm25query($1, 'read.${index}')`;
  const lexical = `select memory_id from ${table} where tenant = $2 and body is not null order by ${score} limit $3`;
  const dense = [await nearestIn(sql, vectorTable(modelId), minCandidates)];
  if (passages)
    dense.push(await nearestIn(sql, passageVectorTable(modelId), passagesPerMemory * minCandidates));
  // Forces the planner to use the two indexes: it does not know the cost of BM25 without its index.
  await sql.execute(
    `set hnsw.ef_search = ${visitsPerHit * minCandidates}; set enable_seqscan = off; set enable_bitmapscan = off; set enable_sort = off`,
  );
  let times: number[] = [];
  for (let round = 0; round < 2; round++) {
    times = [];
    for (const [index, query] of queries.entries()) {
      const start = performance.now();
      await sql.query(lexical, [query, tenant, minCandidates]);
      for (const nearest of dense) await sql.query(nearest, [vectors[index]!, tenant]);
      times.push(performance.now() - start);
    }
  }
  await sql.execute('reset all');
  return times;
}

/** The statement for the nearest rows of a table. Few vectors are not indexed: then it compares all of them. */
async function nearestIn(sql: Sql, table: string, limit: number): Promise<string> {
  const inGraph = await withGraph(sql, table);
  const nearest = inGraph === undefined ? 'true order by embedding <#>' : `${inGraph} order by embedding <=>`;
  return `select memory_id from ${table} where tenant = $2 and embedding is not null and ${nearest} $1::vector limit ${limit}`;
}

/** Creates an index over the texts if there is none, because words are kept in RAM. Returns the column of the index. */
async function withBm25(sql: Sql, table: string, index: string): Promise<'terms' | 'body'> {
  const [standing] = await sql.query<{ oid: number | null }>(`select to_regclass($1)::oid as oid`, [
    `read.${index}`,
  ]);
  if (standing!.oid !== null) return 'terms';
  process.stderr.write('creating a BM25 index for the bare queries\n');
  await sql.execute(`create index ${index} on ${table} using bm25 (body) with (text_config = 'english')`);
  return 'body';
}

/** The condition of the HNSW index with the tenant's vectors, which is created if there is none; undefined if there are few vectors. */
async function withGraph(sql: Sql, kept: string): Promise<string | undefined> {
  const [standing] = await sql.query<{ in_graph: boolean; many: boolean }>(
    `select exists (select from ${kept} where tenant = $1 and in_graph) as in_graph,
       (select count(*) from ${kept} where tenant = $1) > ${exactScanLimit} as many`,
    [tenant],
  );
  if (standing!.in_graph) return 'in_graph';
  if (!standing!.many) return undefined;
  process.stderr.write('creating an HNSW index for the bare queries\n');
  await sql.execute(
    `set maintenance_work_mem = '512MB';
     create index on ${kept} using hnsw (embedding vector_cosine_ops) with (m = 16, ef_construction = 64)`,
  );
  return 'true';
}
