import type { Filter } from '../../domain/filter.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import { filterCondition } from '../filter-sql.ts';
import { memoryColumns, type MemoryRow } from '../memory-row.ts';
import type { ReadView } from '../read-models.ts';
import { regionCondition, type Region } from '../scope-sql.ts';
import { allOf, Parameters } from '../sql-builder.ts';

/** Up to this many memories in the tenant every vector in reach is compared; above, the HNSW index answers first. */
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
export interface CandidateRow extends Record<string, unknown> {
  memory_id: string;
  cosine: number | null;
  length: number;
  /** Occurrences of each of the query's terms, in their order. */
  frequencies: number[];
}

/**
 * Both engines' candidates inside the region and the filters, each with its cosine and its term counts. Filters stand
 * inside each engine's own search, so that they never eat its results. Runs inside one transaction, whose planner
 * settings it changes.
 */
export async function findCandidates(
  tx: SqlExecutor,
  view: ReadView,
  request: CandidateRequest,
): Promise<CandidateRow[]> {
  const dense = await denseCandidates(tx, view, request);
  const lexical = await lexicalCandidates(tx, view, request);
  const found = [...new Set([...dense, ...lexical])];
  return found.length === 0 ? [] : readSignals(tx, view, request, found);
}

interface FoundRow extends Record<string, unknown> {
  memory_id: string;
}

async function denseCandidates(
  tx: SqlExecutor,
  view: ReadView,
  request: CandidateRequest,
): Promise<string[]> {
  const { dense, perEngine } = request;
  if (!dense) return [];
  if (!dense.exact) {
    await tx.query(
      `select set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', $1, true)`,
      [String(Math.min(1_000, perEngine))],
    );
    const near = await search(false);
    // Fewer than asked for: a selective filter used the scan up, and the few that match are compared one by one.
    if (near.length >= perEngine) return near;
  }
  return search(true);

  async function search(exact: boolean): Promise<string[]> {
    const parameters = new Parameters();
    const vector = `${parameters.bind(vectorText(dense!.vector))}::vector`;
    // An expression that the index does not know makes the planner compare every vector in reach.
    const distance = exact ? `(k.embedding <=> ${vector}) + 0` : `k.embedding <=> ${vector}`;
    const rows = await tx.query<FoundRow>(
      `select k.memory_id from ${dense!.table} k ${filterJoin(view, request, 'k', parameters)}
       where k.embedding is not null and ${regionCondition(request.region, 'k', parameters)}
       order by ${distance} limit ${parameters.bind(perEngine)}`,
      parameters.values,
    );
    return rows.map(({ memory_id }) => memory_id);
  }
}

async function lexicalCandidates(
  tx: SqlExecutor,
  view: ReadView,
  request: CandidateRequest,
): Promise<string[]> {
  if (request.terms.length === 0) return [];
  // Without its index BM25 tokenises every row in reach: the planner does not know that, so other ways are closed.
  await tx.query(
    `select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true)`,
  );
  const parameters = new Parameters();
  const query = `to_bm25query(${parameters.bind(request.queryText)}, '${view.table('lexical', 'lexical_body')}')`;
  const rows = await tx.query<FoundRow>(
    `select l.memory_id from ${view.table('lexical')} l ${filterJoin(view, request, 'l', parameters)}
     where l.body is not null and l.body <@> ${query} < 0 and ${regionCondition(request.region, 'l', parameters)}
     order by l.body <@> ${query} limit ${parameters.bind(request.perEngine)}`,
    parameters.values,
  );
  return rows.map(({ memory_id }) => memory_id);
}

/** Filters on what may change stand in the memories table. */
function filterJoin(
  view: ReadView,
  request: CandidateRequest,
  alias: string,
  parameters: Parameters,
): string {
  const conditions: string[] = [];
  if (request.spaces) conditions.push(`m.spaces && ${parameters.bind([...request.spaces])}::text[]`);
  if (request.tags) conditions.push(`m.tags && ${parameters.bind([...request.tags])}::text[]`);
  if (request.filter) conditions.push(filterCondition(request.filter, 'm', parameters));
  if (conditions.length === 0) return '';
  return `join ${view.table('memories')} m
    on m.tenant = ${alias}.tenant and m.memory_id = ${alias}.memory_id and m.to_position is null and ${allOf(conditions)}`;
}

async function readSignals(
  tx: SqlExecutor,
  view: ReadView,
  { region, terms, dense }: CandidateRequest,
  found: readonly string[],
): Promise<CandidateRow[]> {
  const parameters = new Parameters();
  const lookup = lookupsOf(region.tenant, parameters);
  const ids = parameters.bind(found);
  const cosine =
    dense && `1 - (t.embedding <=> ${parameters.bind(vectorText(dense.vector))}::vector) as cosine`;
  const frequencies = `array(select coalesce((t.terms->>term)::integer, 0) from unnest(${parameters.bind([...terms])}::text[]) term)`;
  return tx.query<CandidateRow>(
    `select found.memory_id, l.length, l.frequencies, ${cosine ? 'k.cosine' : 'null::float8 as cosine'}
     from unnest(${ids}::uuid[]) as found(memory_id)
     cross join ${lookup(`t.length, ${frequencies} as frequencies`, view.table('lexical'), 't.body is not null')} l
     ${cosine ? `left join ${lookup(cosine, dense.table)} k on true` : ''}`,
    parameters.values,
  );
}

/** The memories themselves, of those that are active. */
export async function readMemories(
  tx: SqlExecutor,
  view: ReadView,
  tenant: string,
  ids: readonly string[],
): Promise<MemoryRow[]> {
  const parameters = new Parameters();
  const lookup = lookupsOf(tenant, parameters);
  return tx.query<MemoryRow>(
    `select ${memoryColumns} from unnest(${parameters.bind(ids)}::uuid[]) as found(memory_id)
     cross join ${lookup('t.*', view.table('memories'), "t.to_position is null and t.state = 'active'")} m
     left join ${lookup('t.accesses, t.last_accessed_at', view.table('usage'))} u on true`,
    parameters.values,
  );
}

/** Lookups by primary key, whatever the planner believes of the tables: a limit keeps it from joining at large. */
function lookupsOf(tenant: string, parameters: Parameters) {
  const own = parameters.bind(tenant);
  return (columns: string, table: string, condition = 'true') =>
    `lateral (select ${columns} from ${table} t
      where t.tenant = ${own} and t.memory_id = found.memory_id and ${condition} limit 1)`;
}

function vectorText(vector: Float32Array): string {
  return `[${vector.join(',')}]`;
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
