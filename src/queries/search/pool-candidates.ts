import type { Region } from '../../domain/access/region.ts';
import type { WeightedTerms } from '../../domain/ranking/bm25.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import type { ReadView } from '../read-models.ts';
import { regionCondition } from '../scope-sql.ts';
import { Parameters } from '../sql-builder.ts';
import { filterJoin, type MemoryFilters } from './filter-join.ts';
import { lookupsOf } from './lookups.ts';
import { poolQuery, type Pool } from './pool.ts';
import { bm25Column, signalsOf, textColumns, type TextRow, type TextSignal } from './text-signals.ts';
import { negativeCosine } from './vectors.ts';

/** So many of the nearest are asked whether they pass, for each that is wanted; all only where too few do. */
const sortedPerWanted = 4;

export interface PoolRequest extends MemoryFilters {
  readonly region: Region;
  readonly pool: Pool;
  /** How many are wanted. */
  readonly perEngine: number;
}

/**
 * The nearest of a pool, every vector compared. The filters are asked of the nearest first, until enough have passed.
 * `vector` is an SQL expression of what `parameters` bind.
 */
export async function nearestInPool(
  tx: SqlExecutor,
  view: ReadView,
  request: PoolRequest,
  { vector, table }: { readonly vector: string; readonly table: string },
): Promise<Map<string, number>> {
  const { pool, perEngine } = request;
  // Nearly all of a pool pass the filters that made it: to sort the whole of it first takes as long as to compare it.
  const most = perEngine * sortedPerWanted;
  const cosines = await nearest(most);
  return cosines.size < perEngine && pool.size > most ? nearest(pool.size) : cosines;

  async function nearest(sorted: number): Promise<Map<string, number>> {
    const parameters = new Parameters();
    const negative = negativeCosine('t.embedding', `${parameters.bind(vector)}::vector`);
    const inReach = regionCondition(request.region, 't', parameters);
    const near = `select t.memory_id, ${negative} as negative from ${table} t
       where t.embedding is not null and ${inPool(view, request, 't', parameters)} and ${inReach}
       order by negative limit ${parameters.bind(sorted)}`;
    const rows = await tx.query<{ memory_id: string; cosine: number }>(
      `select found.memory_id, -found.negative as cosine from (${near}) found
       ${filterJoin(view, request, 'found', parameters)} order by found.negative limit ${parameters.bind(perEngine)}`,
      parameters.values,
    );
    return new Map(rows.map(({ memory_id, cosine }) => [memory_id, cosine]));
  }
}

/** The best of a pool by our own BM25, computed for every text that has a term of the query. */
export async function wordsInPool(
  tx: SqlExecutor,
  view: ReadView,
  request: PoolRequest,
  weighted: WeightedTerms,
): Promise<Map<string, TextSignal>> {
  const { terms } = weighted;
  const parameters = new Parameters();
  const { region, perEngine } = request;
  const table = view.table('lexical');
  const scored = `select t.memory_id, ${bm25Column(weighted, parameters)} as bm25 from ${table} t
     where t.body is not null and t.counts ?| ${parameters.bind([...terms])}::text[]
       and ${inPool(view, request, 't', parameters)} and ${regionCondition(region, 't', parameters)}
     order by bm25 desc`;
  const signals = lookupsOf(region.tenant, parameters)(textColumns(terms, parameters), table);
  const rows = await tx.query<TextRow>(
    `select found.memory_id, l.* from (${scored}) found
     ${filterJoin(view, request, 'found', parameters)} cross join ${signals} l
     order by found.bm25 desc limit ${parameters.bind(perEngine)}`,
    parameters.values,
  );
  return signalsOf(rows);
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
  return `${alias}.memory_id = any (array(${poolQuery(view, region.tenant, pool, parameters)}))`;
}
