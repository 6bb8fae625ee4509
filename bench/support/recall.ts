import { parseFilter } from '../../src/domain/filter.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import type { Layer, Scope } from '../../src/domain/layers.ts';
import { inDatabaseLimit } from '../../src/domain/retrieval/exact-scan-limit.ts';
import { vectorTable } from '../../src/read-models/vectors/tables.ts';
import type { Sql } from '../../src/ports/sql.ts';
import type { VectorIndex } from '../../src/ports/vector-index.ts';
import { WakeUp } from '../../src/support/wake-up.ts';
import { leastPerEngine } from '../../src/queries/search/query.ts';
import { findCandidates, type CandidateRequest } from '../../src/queries/search/candidates.ts';
import { inMemoryOf } from '../../src/queries/search/nearest-in-memory.ts';
import { findPool, narrowingTo } from '../../src/queries/search/pool.ts';
import { readStatistics } from '../../src/queries/search/statistics.ts';
import { ReadModels } from '../../src/queries/read-models.ts';
import type { QueryVectors } from './bare-indexes.ts';
import { tenant } from './loaded.ts';

const best = 10;

/** What of a search request narrows it. */
export interface Narrowing {
  readonly layers?: readonly Layer[];
  readonly scope?: Scope;
  readonly tags?: readonly string[];
  readonly filter?: JsonObject;
}

/** The share of the exact 10 nearest that are among the 10 nearest of the server's own dense search. */
export async function denseRecall(
  sql: Sql,
  index: VectorIndex,
  { id, vectors }: QueryVectors,
  narrowing: Narrowing,
): Promise<number> {
  const table = vectorTable(id);
  let found = 0;
  let wanted = 0;
  for (const vector of vectors) {
    const exact = await nearest(sql, { vector, table, exact: true }, narrowing);
    const served = new Set(await nearest(sql, { vector, table, exact: false }, narrowing, index));
    wanted += exact.length;
    found += exact.filter((id) => served.has(id)).length;
  }
  return found / wanted;
}

async function nearest(
  sql: Sql,
  dense: NonNullable<CandidateRequest['dense']>,
  { layers, scope, tags, filter }: Narrowing,
  index?: VectorIndex,
): Promise<string[]> {
  const models = new ReadModels(sql, new WakeUp());
  const view = await models.view({ projections: ['memories', 'lexical', 'vectors', 'usage'] });
  const reach = {
    region: { tenant, visibility: 'all' as const, ...(layers && { layers }), ...(scope && { scope }) },
    ...(tags && { tags }),
    ...(filter && { filter: parseFilter(filter) }),
  };
  const pool = index && (await findPool(sql, view, reach, inDatabaseLimit));
  const set = { tenant, table: dense.table };
  const isInMemory = (await index?.has(set)) ?? false;
  const rows = await sql.transaction(
    async (tx) => {
      const { documents } = await readStatistics(tx, view, tenant, []);
      return findCandidates(tx, view, {
        ...reach,
        ...narrowingTo(pool, documents, isInMemory),
        queryText: '',
        weighted: { terms: [], weights: [], mass: 0 },
        words: 'database',
        dense,
        inMemory: isInMemory ? inMemoryOf(index!, tx, set, dense.vector) : undefined,
        perEngine: leastPerEngine,
      });
    },
    { tenant, readOnly: true },
  );
  return rows
    .sort((left, right) => (right.cosine ?? 0) - (left.cosine ?? 0))
    .slice(0, best)
    .map(({ memory_id: id }) => id);
}
