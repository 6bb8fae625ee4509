import type { SqlExecutor } from '../../ports/sql.ts';
import { filedUnderAll } from '../postings-sql.ts';
import type { ReadView } from '../read-models.ts';
import { regionCondition } from '../scope-sql.ts';
import { Parameters } from '../sql-builder.ts';
import { otherSignal, type Compared, type DenseQuery, type EngineHit } from './both-signals.ts';
import { filterJoin, type MemoryFilters } from './filter-join.ts';
import type { Pool } from './pool.ts';
import { bm25Column, hasTerms } from './text-signals.ts';
import { negativeCosine } from './vectors.ts';

/** So many of the nearest are asked whether they pass, for each that is wanted; all only where too few do. */
const sortedPerWanted = 4;

export interface PoolRequest extends MemoryFilters, Compared {
  readonly pool: Pool;
  /** How many are wanted. */
  readonly perEngine: number;
}

/** The nearest of a pool, every vector compared. The filters are asked of the nearest first, until enough have passed. */
export async function nearestInPool(
  tx: SqlExecutor,
  view: ReadView,
  request: PoolRequest & { readonly dense: DenseQuery },
): Promise<readonly EngineHit[]> {
  const { pool, perEngine, dense } = request;
  // Nearly all of a pool pass the filters that made it: to sort the whole of it first takes as long as to compare it.
  const most = perEngine * sortedPerWanted;
  const found = await nearest(most);
  return found.length < perEngine && pool.size > most ? nearest(pool.size) : found;

  async function nearest(sorted: number): Promise<readonly EngineHit[]> {
    const parameters = new Parameters();
    const negative = negativeCosine('t.embedding', `${parameters.bind(dense.vector)}::vector`);
    const inReach = regionCondition(request.region, 't', parameters);
    const near = `select t.memory_id, ${negative} as negative from ${dense.table} t
       where t.embedding is not null and ${inPool(view, request, 't', parameters)} and ${inReach}
       order by negative limit ${parameters.bind(sorted)}`;
    const passing = `select found.* from (${near}) found
       ${filterJoin(view, request, 'found', parameters)} order by found.negative limit ${parameters.bind(perEngine)}`;
    const { words } = otherSignal(view, request, parameters);
    return tx.query<EngineHit>(
      `select found.memory_id, -found.negative as cosine, l.* from (${passing}) found left join ${words('found')} l on true`,
      parameters.values,
    );
  }
}

/** The best of a pool by our own BM25, computed for every text that has a term of the query. */
export async function wordsInPool(
  tx: SqlExecutor,
  view: ReadView,
  request: PoolRequest,
): Promise<readonly EngineHit[]> {
  const parameters = new Parameters();
  const { region, perEngine, weighted } = request;
  const scored = `select t.memory_id, ${bm25Column(view, weighted, parameters)} as bm25 from ${view.table('lexical')} t
     where t.body is not null and ${hasTerms(view, weighted.terms, parameters)}
       and ${inPool(view, request, 't', parameters)} and ${regionCondition(region, 't', parameters)}
     order by bm25 desc`;
  const best = `select found.memory_id from (${scored}) found
     ${filterJoin(view, request, 'found', parameters)} order by found.bm25 desc limit ${parameters.bind(perEngine)}`;
  const { words, meaning } = otherSignal(view, request, parameters);
  return tx.query<EngineHit>(
    `select found.memory_id, l.*, k.cosine from (${best}) found
     cross join ${words('found')} l left join ${meaning('found')} k on true`,
    parameters.values,
  );
}

/** The ids of a pool's memories, each once. */
export async function idsInPool(
  tx: SqlExecutor,
  view: ReadView,
  tenant: string,
  { lists }: Pool,
): Promise<readonly string[]> {
  const parameters = new Parameters();
  const rows = await tx.query<{ memory_id: string }>(
    filedUnderAll(lists, view, tenant, parameters),
    parameters.values,
  );
  return [...new Set(rows.map(({ memory_id }) => memory_id))];
}

/**
 * Whether a row belongs to the pool. All its ids in one array: one walk through the primary key finds their rows, in less than
 * half the time of a lookup each. The planner takes an array for short and walks so whatever it believes of the table.
 */
function inPool(
  view: ReadView,
  { region, pool }: PoolRequest,
  alias: string,
  parameters: Parameters,
): string {
  return `${alias}.memory_id = any (array(${filedUnderAll(pool.lists, view, region.tenant, parameters)}))`;
}
