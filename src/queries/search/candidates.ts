import type { Region } from '../../domain/access/region.ts';
import type { WeightedTerms } from '../../domain/ranking/bm25.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import type { ReadView } from '../read-models.ts';
import { regionCondition } from '../scope-sql.ts';
import { Parameters } from '../sql-builder.ts';
import { filterJoin, type MemoryFilters } from './filter-join.ts';
import { lookupsOf } from './lookups.ts';
import { readNeighbours } from './neighbours.ts';
import { nearestInPool, wordsInPool } from './pool-candidates.ts';
import { poolQuery, type Pool } from './pool.ts';
import { negativeCosine, vectorText } from './vectors.ts';
import { signalsOf, textColumns, type TermSignal, type TextRow, type TextSignal } from './text-signals.ts';

export interface CandidateRequest extends MemoryFilters {
  readonly region: Region;
  readonly queryText: string;
  /** Its terms, with what each is worth in the tenant. */
  readonly weighted: WeightedTerms;
  /** What the filters leave, where it is little. */
  readonly pool?: Pool | undefined;
  /** What a lexical index found by the words of the text; `database`: they are to be looked for here. */
  readonly words: readonly string[] | 'database';
  /** The query's vector and the table that keeps vectors of its model; undefined where there is none. */
  readonly dense?:
    { readonly vector: Float32Array; readonly table: string; readonly exact: boolean } | undefined;
  /** How many each engine contributes. */
  readonly perEngine: number;
}

/** A memory that an engine found, with both signals. */
export interface CandidateRow extends TextSignal {
  readonly memory_id: string;
  /** Null where the memory has no vector. */
  readonly cosine: number | null;
  /** The turns around it in its session. */
  readonly neighbours: readonly TermSignal[];
}

interface CosineRow {
  readonly memory_id: string;
  readonly cosine: number;
}

/**
 * Both engines' candidates inside the region and the filters, each with its cosine, its term counts and what surrounds
 * it. Filters stand
 * inside each engine's own search, so that they never eat its results. Runs inside one transaction, whose planner
 * settings it changes.
 */
export async function findCandidates(
  tx: SqlExecutor,
  view: ReadView,
  request: CandidateRequest,
): Promise<CandidateRow[]> {
  // Sent one behind the other without waiting: the database keeps their order, and no answer travels in between.
  const [cosines, texts] = await Promise.all([
    denseCandidates(tx, view, request),
    lexicalCandidates(tx, view, request),
  ]);
  const found = [...new Set([...cosines.keys(), ...texts.keys()])];
  await Promise.all([
    completeTexts(tx, view, request, missing(found, texts), texts),
    completeCosines(tx, request, missing(found, cosines), cosines),
  ]);
  const turns = [...texts].filter(([, text]) => text.is_turn).map(([id]) => id);
  const neighbours = await readNeighbours(tx, view, request.region.tenant, request.weighted.terms, turns);
  // Without its text a memory is not there for this search: deleted, or not indexed yet.
  return [...texts].map(([memory_id, text]) => ({
    memory_id,
    ...text,
    cosine: cosines.get(memory_id) ?? null,
    neighbours: neighbours.get(memory_id) ?? [],
  }));
}

function missing(ids: readonly string[], known: ReadonlyMap<string, unknown>): string[] {
  return ids.filter((id) => !known.has(id));
}

async function denseCandidates(
  tx: SqlExecutor,
  view: ReadView,
  request: CandidateRequest,
): Promise<Map<string, number>> {
  const { dense, perEngine, pool } = request;
  if (!dense) return new Map();
  if (pool)
    return nearestInPool(tx, view, { ...request, pool }, { ...dense, vector: vectorText(dense.vector) });
  if (dense.exact) return search(true);
  const [, near] = await Promise.all([keepToIndexes(tx, perEngine), search(false)]);
  if (near.size >= perEngine) return near;
  // Fewer than asked for: a selective filter used the scan up, and the few that match are compared one by one.
  const [, all] = await Promise.all([planFreely(tx), search(true)]);
  return all;

  async function search(exact: boolean): Promise<Map<string, number>> {
    const parameters = new Parameters();
    const vector = `${parameters.bind(vectorText(dense!.vector))}::vector`;
    const order = exact ? 'negative' : `k.embedding <=> ${vector}`;
    const rows = await tx.query<CosineRow>(
      `select found.memory_id, -found.negative as cosine from (
         select k.memory_id, ${negativeCosine('k.embedding', vector)} as negative
         from ${dense!.table} k ${filterJoin(view, request, 'k', parameters)}
         where k.embedding is not null and ${regionCondition(request.region, 'k', parameters)}
         order by ${order} limit ${parameters.bind(perEngine)}) found`,
      parameters.values,
    );
    return new Map(rows.map(({ memory_id, cosine }) => [memory_id, cosine]));
  }
}

async function lexicalCandidates(
  tx: SqlExecutor,
  view: ReadView,
  request: CandidateRequest,
): Promise<Map<string, TextSignal>> {
  const { weighted, pool } = request;
  if (weighted.terms.length === 0) return new Map();
  if (pool?.counted) return wordsInPool(tx, view, { ...request, pool }, weighted);
  return request.words === 'database'
    ? bm25Candidates(tx, view, request)
    : indexCandidates(tx, view, request, request.words);
}

async function bm25Candidates(
  tx: SqlExecutor,
  view: ReadView,
  request: CandidateRequest,
): Promise<Map<string, TextSignal>> {
  const parameters = new Parameters();
  const query = `to_bm25query(${parameters.bind(request.queryText)}, '${view.table('lexical', 'lexical_body')}')`;
  const { region, pool, perEngine } = request;
  // Looked up in a hash of the pool's ids. A join would not keep the order in which the index finds them.
  const pooled = pool
    ? `and (l.memory_id in (${poolQuery(view, region.tenant, pool, parameters)})) is true`
    : '';
  const found = `select l.* from ${view.table('lexical')} l ${filterJoin(view, request, 'l', parameters)}
     where l.body is not null and ${regionCondition(region, 'l', parameters)} ${pooled}
     order by l.body <@> ${query} limit ${parameters.bind(perEngine)}`;
  // Counted for those that were found, not for each that was looked at.
  const signals = `select t.memory_id, ${textColumns(request.weighted.terms, parameters)} from (${found}) t`;
  // The index gives rows that match and no others. A condition on their score would tokenise each of them again (.1 ms),
  // as would a plan without the index: the planner does not know what that costs, so other ways are closed.
  const [, rows] = await Promise.all([
    asksHnsw(request) ? undefined : keepToIndexes(tx, perEngine),
    tx.query<TextRow>(signals, parameters.values),
  ]);
  return signalsOf(rows);
}

/** Of what the index found, what stands here too: it may be ahead, and its word is not taken for who may see what. */
async function indexCandidates(
  tx: SqlExecutor,
  view: ReadView,
  request: CandidateRequest,
  ids: readonly string[],
): Promise<Map<string, TextSignal>> {
  if (ids.length === 0) return new Map();
  const {
    region,
    weighted: { terms },
  } = request;
  const parameters = new Parameters();
  const lookup = lookupsOf(region.tenant, parameters);
  const found = `select l.* from unnest(${parameters.bind(ids)}::uuid[]) as found(memory_id)
     cross join ${lookup('t.*', view.table('lexical'), 't.body is not null')} l ${filterJoin(view, request, 'l', parameters)}
     where ${regionCondition(region, 'l', parameters)}`;
  return signalsOf(
    await tx.query<TextRow>(
      `select t.memory_id, ${textColumns(terms, parameters)} from (${found}) t`,
      parameters.values,
    ),
  );
}

/** Whether the vectors' index is asked, first of all, and the planner is kept to indexes for it. */
function asksHnsw({ dense, pool }: CandidateRequest): boolean {
  return dense !== undefined && !dense.exact && !pool;
}

/** From here on the planner sorts and reads tables only where no index serves, and HNSW goes on until enough are found. */
function keepToIndexes(tx: SqlExecutor, perEngine: number): Promise<unknown> {
  return tx.query(
    `select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
       set_config('enable_sort', 'off', true), set_config('hnsw.iterative_scan', 'relaxed_order', true),
       set_config('hnsw.ef_search', $1, true)`,
    [String(Math.min(1_000, perEngine))],
  );
}

/** The end of `keepToIndexes`. */
function planFreely(tx: SqlExecutor): Promise<unknown> {
  return tx.query(
    `select set_config('enable_seqscan', 'on', true), set_config('enable_bitmapscan', 'on', true), set_config('enable_sort', 'on', true)`,
  );
}

async function completeTexts(
  tx: SqlExecutor,
  view: ReadView,
  { region, weighted: { terms } }: CandidateRequest,
  ids: readonly string[],
  texts: Map<string, TextSignal>,
): Promise<void> {
  if (ids.length === 0) return;
  const parameters = new Parameters();
  const rows = await tx.query<TextRow>(
    `select t.memory_id, ${textColumns(terms, parameters)} from ${view.table('lexical')} t
     where ${amongIds(region, ids, parameters)} and t.body is not null`,
    parameters.values,
  );
  for (const [id, text] of signalsOf(rows)) texts.set(id, text);
}

async function completeCosines(
  tx: SqlExecutor,
  { region, dense }: CandidateRequest,
  ids: readonly string[],
  cosines: Map<string, number>,
): Promise<void> {
  if (!dense || ids.length === 0) return;
  const parameters = new Parameters();
  const rows = await tx.query<CosineRow>(
    `select t.memory_id, -(${negativeCosine('t.embedding', `${parameters.bind(vectorText(dense.vector))}::vector`)}) as cosine
     from ${dense.table} t where ${amongIds(region, ids, parameters)} and t.embedding is not null`,
    parameters.values,
  );
  for (const row of rows) cosines.set(row.memory_id, row.cosine);
}

function amongIds({ tenant }: Region, ids: readonly string[], parameters: Parameters): string {
  return `t.tenant = ${parameters.bind(tenant)} and t.memory_id = any (${parameters.bind(ids)}::uuid[])`;
}
