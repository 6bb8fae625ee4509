import type { SqlExecutor } from '../../ports/sql.ts';
import { filedUnderAll } from '../postings-sql.ts';
import type { TermSignal, Words } from '../../ports/word-index.ts';
import type { ReadView } from '../read-models.ts';
import { regionCondition } from '../scope-sql.ts';
import { Parameters } from '../sql-builder.ts';
import { otherSignal, type Compared, type DenseQuery, type EngineHit } from './both-signals.ts';
import { filterJoin, type MemoryFilters } from './filter-join.ts';
import { lookupsOf } from './lookups.ts';
import { readNeighbours } from './neighbours.ts';
import { depthsOf, nearestInMemory, type InMemory } from './nearest-in-memory.ts';
import { idsInPool, nearestInPool, wordsInPool } from './pool-candidates.ts';
import type { Narrowing } from './pool.ts';
import { negativeCosine } from './vectors.ts';
import { textColumns, told, type TextSignal } from './text-signals.ts';

/**
 * HNSW looks at so many for each that is wanted. At 200, with a hundred thousand vectors, it finds .99 of the ten nearest, also
 * where a filter leaves half of them; at 100 it is .96 to .97, for 2 ms less.
 */
export const lookedAtPerWanted = 4;

export interface CandidateRequest extends MemoryFilters, Compared, Narrowing {
  readonly queryText: string;
  /** What a lexical index found by the words of the text, unless they are in memory; `database`: they are to be looked for here. */
  readonly words: readonly string[] | 'database';
  /** Where the vectors are compared in memory. */
  readonly inMemory?: InMemory | undefined;
  /** How many each engine contributes. */
  readonly perEngine: number;
  /** The ids of the pool, once they are read. */
  readonly among?: readonly string[] | undefined;
}

/** A memory that an engine found, with both signals. */
export interface CandidateRow extends TextSignal {
  readonly memory_id: string;
  /** Null where the memory has no vector. */
  readonly cosine: number | null;
  /** The turns around it in its session. */
  readonly neighbours: readonly TermSignal[];
}

/**
 * Both engines' candidates inside the region and the filters, each with its cosine, its term counts and what surrounds
 * it. Filters stand inside each engine's own search, so that they never eat its results. Runs inside one transaction,
 * whose planner settings it changes.
 */
export async function findCandidates(
  tx: SqlExecutor,
  view: ReadView,
  request: CandidateRequest,
): Promise<CandidateRow[]> {
  const hits = (await hitsInMemory(tx, view, request)) ?? (await hitsInDatabase(tx, view, request));
  const found = [...new Map(hits.map((hit) => [hit.memory_id, hit])).values()];
  const { terms } = request.weighted;
  const words = request.wordsInMemory;
  const candidates = (words ? told(found, (hit) => hit.memory_id, terms, words) : found).filter(hasText);
  const turns = candidates.filter((hit) => hit.is_turn).map(({ memory_id: id }) => id);
  const neighbours = await readNeighbours(tx, view, request.region.tenant, { terms, words, turns });
  return candidates.map((hit) => ({ ...hit, neighbours: neighbours.get(hit.memory_id) ?? [] }));
}

/** Undefined where the database has to compare meaning. Where it looks for words, it is asked first, and does so meanwhile. */
async function hitsInMemory(
  tx: SqlExecutor,
  view: ReadView,
  request: CandidateRequest,
): Promise<readonly EngineHit[] | undefined> {
  const { inMemory, pool } = request;
  if (!inMemory) return undefined;
  const among = pool && (await idsInPool(tx, view, request.region.tenant, pool));
  const asked = { ...request, among };
  const [matching, near] = await Promise.all([
    lexicalCandidates(tx, view, { ...asked, dense: undefined }),
    nearestInMemory(tx, view, asked, inMemory),
  ]);
  const cosines = near && inMemory.cosines(matching.map((hit) => hit.memory_id));
  if (cosines) return [...near, ...matching.map((hit, index) => ({ ...hit, cosine: cosines[index]! }))];
  await planFreely(tx);
  return undefined;
}

async function hitsInDatabase(
  tx: SqlExecutor,
  view: ReadView,
  request: CandidateRequest,
): Promise<readonly EngineHit[]> {
  // Sent one behind the other without waiting: the database keeps their order, and no answer travels in between.
  const hits = await Promise.all([denseCandidates(tx, view, request), lexicalCandidates(tx, view, request)]);
  return hits.flat();
}

function hasText(hit: EngineHit): hit is EngineHit & TextSignal {
  return hit.length !== null;
}

async function denseCandidates(
  tx: SqlExecutor,
  view: ReadView,
  request: CandidateRequest,
): Promise<readonly EngineHit[]> {
  const { dense, perEngine, pool } = request;
  if (!dense) return [];
  if (pool) return nearestInPool(tx, view, { ...request, dense, pool });
  if (dense.exact) return allCompared(tx, view, request, dense);
  const [, near] = await Promise.all([
    keepToIndexes(tx, perEngine),
    nearestByGraph(tx, view, request, dense),
  ]);
  if (near.length > 0 && near[0]!.in_graph >= perEngine) return near;
  // Fewer than asked for: a selective filter used the scan up, and the few that match are compared one by one.
  const [, all] = await Promise.all([planFreely(tx), allCompared(tx, view, request, dense)]);
  return all;
}

function allCompared(
  tx: SqlExecutor,
  view: ReadView,
  request: CandidateRequest,
  dense: DenseQuery,
): Promise<EngineHit[]> {
  const parameters = new Parameters();
  const near = nearestOf(view, request, dense, parameters);
  const { words } = otherSignal(view, request, parameters);
  return tx.query<EngineHit>(
    `select found.memory_id, -found.negative as cosine, l.*
     from (${near.all()}) found left join ${words('found')} l on true`,
    parameters.values,
  );
}

interface GraphHit extends EngineHit {
  /** How many the index found. */
  readonly in_graph: number;
}

/** What the index finds, and beside it what stands apart, compared one by one: nothing where a tenant is large. */
function nearestByGraph(
  tx: SqlExecutor,
  view: ReadView,
  request: CandidateRequest,
  dense: DenseQuery,
): Promise<GraphHit[]> {
  const parameters = new Parameters();
  const { inGraph, apart, limit } = nearestOf(view, request, dense, parameters);
  const { words } = otherSignal(view, request, parameters);
  return tx.query<GraphHit>(
    `with graph as materialized (${inGraph()}), apart as materialized (${apart()})
     select found.memory_id, -found.negative as cosine, (select count(*)::integer from graph) as in_graph, l.*
     from (select * from graph union all select * from apart order by negative limit ${limit}) found
     left join ${words('found')} l on true`,
    parameters.values,
  );
}

/** Queries for the nearest in reach, with their negative cosine. */
function nearestOf(
  view: ReadView,
  request: CandidateRequest,
  { table, vector }: DenseQuery,
  parameters: Parameters,
) {
  const asked = `${parameters.bind(vector)}::vector`;
  const limit = parameters.bind(request.perEngine);
  const columns = `k.memory_id, ${negativeCosine('k.embedding', asked)} as negative`;
  const passing = (alias: string) => filterJoin(view, request, alias, parameters);
  const inReach = `k.embedding is not null and ${regionCondition(request.region, 'k', parameters)}`;
  return {
    limit,
    /** Every vector is compared. */
    all: () =>
      `select ${columns} from ${table} k ${passing('k')} where ${inReach} order by negative limit ${limit}`,
    inGraph: () =>
      `select ${columns} from ${table} k ${passing('k')} where k.in_graph and ${inReach} order by k.embedding <=> ${asked} limit ${limit}`,
    /** The filters are asked of the nearest first: where the planner is kept to indexes, each takes a lookup. */
    apart: () => `select k.* from (
        select ${columns} from ${table} k where not k.in_graph and ${inReach} order by negative) k ${passing('k')}
      order by k.negative limit ${limit}`,
  };
}

async function lexicalCandidates(
  tx: SqlExecutor,
  view: ReadView,
  request: CandidateRequest,
): Promise<readonly EngineHit[]> {
  const { weighted, pool, wordsInMemory } = request;
  if (weighted.terms.length === 0) return [];
  if (wordsInMemory) return matchingInMemory(tx, view, request, wordsInMemory);
  if (pool?.counted) return wordsInPool(tx, view, { ...request, pool });
  if (request.words === 'database') return bm25Candidates(tx, view, request);
  return indexCandidates(tx, view, request, request.words);
}

/** What the words in memory say, looked up in the database: the best, and more of them until enough are within region and filters. */
async function matchingInMemory(
  tx: SqlExecutor,
  view: ReadView,
  request: CandidateRequest,
  words: Words,
): Promise<readonly EngineHit[]> {
  const { weighted, perEngine, pool, region } = request;
  const among = request.among ?? (pool && (await idsInPool(tx, view, region.tenant, pool)));
  for (const limit of [...depthsOf({ ...request, among }), Infinity]) {
    const ids = words.best(weighted, limit, among);
    const hits = await indexCandidates(tx, view, request, ids);
    if (hits.length >= perEngine || ids.length < limit) return hits;
  }
  throw new Error('there are no more than all');
}

async function bm25Candidates(
  tx: SqlExecutor,
  view: ReadView,
  request: CandidateRequest,
): Promise<readonly EngineHit[]> {
  const parameters = new Parameters();
  const query = `to_bm25query(${parameters.bind(request.queryText)}, '${view.table('lexical', 'lexical_body')}')`;
  const { region, pool, perEngine } = request;
  // Looked up in a hash of the pool's ids. A join would not keep the order in which the index finds them.
  const pooled = pool
    ? `and (l.memory_id in (${filedUnderAll(pool.lists, view, region.tenant, parameters)})) is true`
    : '';
  const found = `select l.* from ${view.table('lexical')} l ${filterJoin(view, request, 'l', parameters)}
     where l.body is not null and ${regionCondition(region, 'l', parameters)} ${pooled}
     order by l.body <@> ${query} limit ${parameters.bind(perEngine)}`;
  // The index gives rows that match and no others. A condition on their score would tokenise each of them again (.1 ms),
  // as would a plan without the index: the planner does not know what that costs, so other ways are closed.
  const [, rows] = await Promise.all([
    asksHnsw(request) ? undefined : keepToIndexes(tx, perEngine),
    withMeaning(tx, view, request, { found, parameters }),
  ]);
  return rows;
}

/** The best of what an index found that stand here too: it may be ahead, and its word is not taken for who may see what. */
async function indexCandidates(
  tx: SqlExecutor,
  view: ReadView,
  request: CandidateRequest,
  ids: readonly string[],
): Promise<readonly EngineHit[]> {
  if (ids.length === 0) return [];
  const { region, perEngine } = request;
  const parameters = new Parameters();
  const lookup = lookupsOf(region.tenant, parameters);
  const inReach = `t.body is not null and ${regionCondition(region, 't', parameters)}`;
  const found = `select l.* from unnest(${parameters.bind(ids)}::uuid[]) with ordinality as found(memory_id, place)
     cross join ${lookup('t.*', view.table('lexical'), inReach)} l ${filterJoin(view, request, 'l', parameters)}
     order by found.place limit ${parameters.bind(perEngine)}`;
  return withMeaning(tx, view, request, { found, parameters });
}

/** Rows of the lexical read model: their words counted for those that were found, not for each that was looked at. */
function withMeaning(
  tx: SqlExecutor,
  view: ReadView,
  request: CandidateRequest,
  { found, parameters }: { readonly found: string; readonly parameters: Parameters },
): Promise<EngineHit[]> {
  const counted = `select t.memory_id, ${textColumns(view, request.weighted.terms, request.wordsInMemory, parameters)} from (${found}) t`;
  const { meaning } = otherSignal(view, request, parameters);
  return tx.query<EngineHit>(
    `select l.*, k.cosine from (${counted}) l left join ${meaning('l')} k on true`,
    parameters.values,
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
    [String(Math.min(1_000, lookedAtPerWanted * perEngine))],
  );
}

/** The end of `keepToIndexes`. */
function planFreely(tx: SqlExecutor): Promise<unknown> {
  return tx.query(
    `select set_config('enable_seqscan', 'on', true), set_config('enable_bitmapscan', 'on', true), set_config('enable_sort', 'on', true)`,
  );
}
