import type { Filter } from '../../domain/filter.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import { filterCondition } from '../filter-sql.ts';
import { joinUsage, memoryColumns, type MemoryRow } from '../memory-row.ts';
import type { ReadView } from '../read-models.ts';
import { regionCondition, type Region } from '../scope-sql.ts';
import { allOf, Parameters } from '../sql-builder.ts';

/** Above about this many memories in reach the HNSW index answers; up to it every vector is compared. */
export const exactScanLimit = 10_000;

export interface CandidateRequest {
  readonly region: Region;
  readonly spaces?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly filter?: Filter | undefined;
  readonly queryText: string;
  readonly terms: readonly string[];
  /** The query's vector and the table that keeps vectors of its model; undefined where there is none. */
  readonly dense?:
    { readonly vector: Float32Array; readonly table: string; readonly exact: boolean } | undefined;
  /** How many each engine contributes. */
  readonly perEngine: number;
}

/** A memory that an engine found, with both signals computed for it. */
export interface CandidateRow extends MemoryRow {
  cosine: number | null;
  length: number | null;
  /** Occurrences of each of the query's terms, in their order. */
  frequencies: number[] | null;
}

/**
 * Both engines' candidates inside the region and the filters, each with its cosine and its term counts: one statement.
 * Filters stand inside each engine's own search, so that they never eat its results.
 */
export async function findCandidates(
  executor: SqlExecutor,
  view: ReadView,
  request: CandidateRequest,
): Promise<CandidateRow[]> {
  const parameters = new Parameters();
  const { dense, region } = request;
  const tenant = parameters.bind(region.tenant);
  const vector = dense && `${parameters.bind(`[${dense.vector.join(',')}]`)}::vector`;
  const limit = parameters.bind(request.perEngine);
  const searches: string[] = [];
  if (dense) searches.push(`select memory_id from (${denseSearch(dense, vector!)}) dense`);
  if (request.terms.length > 0) searches.push(`select memory_id from (${lexicalSearch()}) lexical`);
  if (searches.length === 0) return [];
  return executor.query<CandidateRow>(
    `with found as materialized (${searches.join(' union ')})
     select ${memoryColumns}, l.length,
       array(select coalesce((l.terms->>term)::integer, 0) from unnest(${parameters.bind([...request.terms])}::text[]) term) as frequencies,
       ${dense ? `1 - (k.embedding <=> ${vector})` : 'null'} as cosine
     from found
     join ${view.table('memories')} m on m.tenant = ${tenant} and m.memory_id = found.memory_id and m.to_position is null
     join ${view.table('lexical')} l on l.tenant = ${tenant} and l.memory_id = found.memory_id
     ${dense ? `left join ${dense.table} k on k.tenant = ${tenant} and k.memory_id = found.memory_id` : ''}
     ${joinUsage(view.table('usage'))}
     where m.state = 'active'`,
    parameters.values,
  );

  function denseSearch({ table, exact }: NonNullable<typeof dense>, vector: string): string {
    // An expression that the index does not know makes the planner compare every vector in reach.
    const distance = exact ? `(k.embedding <=> ${vector}) + 0` : `k.embedding <=> ${vector}`;
    return `select k.memory_id from ${table} k ${joinFilter('k')}
      where k.embedding is not null and ${regionCondition(region, 'k', parameters)}
      order by ${distance} limit ${limit}`;
  }

  function lexicalSearch(): string {
    const query = `to_bm25query(${parameters.bind(request.queryText)}, '${view.table('lexical', 'lexical_body')}')`;
    return `select l.memory_id from ${view.table('lexical')} l ${joinFilter('l')}
      where l.body is not null and l.body <@> ${query} < 0 and ${regionCondition(region, 'l', parameters)}
      order by l.body <@> ${query} limit ${limit}`;
  }

  function joinFilter(alias: string): string {
    const conditions: string[] = [];
    if (request.spaces) conditions.push(`m.spaces && ${parameters.bind([...request.spaces])}::text[]`);
    if (request.tags) conditions.push(`m.tags && ${parameters.bind([...request.tags])}::text[]`);
    if (request.filter) conditions.push(filterCondition(request.filter, 'm', parameters));
    if (conditions.length === 0) return '';
    return `join ${view.table('memories')} m
      on m.tenant = ${alias}.tenant and m.memory_id = ${alias}.memory_id and m.to_position is null and ${allOf(conditions)}`;
  }
}

export interface Statistics {
  readonly documents: number;
  readonly documentFrequency: ReadonlyMap<string, number>;
}

/** The tenant's number of documents and those that hold each term. */
export async function readStatistics(
  executor: SqlExecutor,
  view: ReadView,
  tenant: string,
  terms: readonly string[],
): Promise<Statistics> {
  const rows = await executor.query<{ term: string | null; documents: number }>(
    `select null as term, documents from ${view.table('lexical', 'lexical_corpus')} where tenant = $1
     union all
     select term, documents from ${view.table('lexical', 'lexical_terms')} where tenant = $1 and term = any ($2::text[])`,
    [tenant, [...terms]],
  );
  return {
    documents: rows.find(({ term }) => term === null)?.documents ?? 0,
    documentFrequency: new Map(
      rows.flatMap(({ term, documents }) => (term === null ? [] : [[term, documents]])),
    ),
  };
}
