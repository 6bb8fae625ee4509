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
  const parameters = new Parameters();
  const { tenant } = request.region;
  const lookup = lookupsOf(tenant, parameters);
  const near = lookup(
    `t.embedding <=> ${parameters.bind(vector)}::vector as distance`,
    table,
    `t.embedding is not null and ${regionCondition(request.region, 't', parameters)}`,
  );
  const rows = await tx.query<{ memory_id: string; cosine: number }>(
    `select found.memory_id, 1 - found.distance as cosine from (
       select found.memory_id, k.distance from (${poolQuery(view, tenant, request.pool, parameters)}) found
       cross join ${near} k order by k.distance) found
     ${filterJoin(view, request, 'found', parameters)} order by found.distance limit ${parameters.bind(request.perEngine)}`,
    parameters.values,
  );
  return new Map(rows.map(({ memory_id, cosine }) => [memory_id, cosine]));
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
  const { tenant } = request.region;
  const table = view.table('lexical');
  const lookup = lookupsOf(tenant, parameters);
  const scored = lookup(
    `${bm25Column(weighted, parameters)} as bm25`,
    table,
    `t.body is not null and t.counts ?| ${parameters.bind([...terms])}::text[] and ${regionCondition(request.region, 't', parameters)}`,
  );
  const signals = lookup(textColumns(terms, parameters), table);
  const rows = await tx.query<TextRow>(
    `select found.memory_id, l.* from (
       select found.memory_id, s.bm25 from (${poolQuery(view, tenant, request.pool, parameters)}) found
       cross join ${scored} s order by s.bm25 desc) found
     ${filterJoin(view, request, 'found', parameters)} cross join ${signals} l
     order by found.bm25 desc limit ${parameters.bind(request.perEngine)}`,
    parameters.values,
  );
  return signalsOf(rows);
}
