import { parseFilter } from '../../src/domain/filter.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import type { Layer, Scope } from '../../src/domain/layers.ts';
import { inDatabaseLimit } from '../../src/domain/retrieval/exact-scan-limit.ts';
import { vectorTable } from '../../src/read-models/vectors/tables.ts';
import type { Sql } from '../../src/ports/sql.ts';
import type { VectorIndex } from '../../src/ports/vector-index.ts';
import { WakeUp } from '../../src/support/wake-up.ts';
import { minCandidates } from '../../src/queries/search/query.ts';
import type { DenseQuery } from '../../src/queries/search/sources/candidate-source.ts';
import { chooseSources } from '../../src/queries/search/sources/choose-sources.ts';
import { ExactVectorSource } from '../../src/queries/search/sources/exact-vectors.ts';
import { PlannerSettings } from '../../src/queries/search/sources/planner-settings.ts';
import { findPrefilterSet } from '../../src/queries/search/sources/prefilter-set.ts';
import { readStatistics } from '../../src/queries/search/statistics.ts';
import { ReadModels } from '../../src/queries/read-models.ts';
import type { QueryVectors } from './bare-indexes.ts';
import { tenant } from './loaded.ts';

const best = 10;

/** The restrictions of a search request. */
export interface SearchRestrictions {
  readonly layers?: readonly Layer[];
  readonly scope?: Scope;
  readonly tags?: readonly string[];
  readonly filter?: JsonObject;
}

/** Share of the exact 10 nearest that the server's own dense search also returns among its 10 nearest. */
export async function denseRecall(
  sql: Sql,
  index: VectorIndex,
  { id, vectors }: QueryVectors,
  restrictions: SearchRestrictions,
): Promise<number> {
  const table = vectorTable(id);
  let found = 0;
  let wanted = 0;
  for (const vector of vectors) {
    const exact = await nearest(sql, { vector, table }, restrictions);
    const served = new Set(await nearest(sql, { vector, table }, restrictions, index));
    wanted += exact.length;
    found += exact.filter((id) => served.has(id)).length;
  }
  return found / wanted;
}

/** Ids of the nearest memories: with `index` as the server finds them, else exact. */
async function nearest(
  sql: Sql,
  dense: DenseQuery,
  { layers, scope, tags, filter }: SearchRestrictions,
  index?: VectorIndex,
): Promise<string[]> {
  const models = new ReadModels(sql, new WakeUp());
  const view = await models.view({ projections: ['memories', 'lexical', 'vectors', 'usage'] });
  const restrictions = {
    region: { tenant, visibility: 'all' as const, ...(layers && { layers }), ...(scope && { scope }) },
    ...(tags && { tags }),
    ...(filter && { filter: parseFilter(filter) }),
  };
  const set = index && (await findPrefilterSet(sql, view, restrictions, inDatabaseLimit));
  const vectorSet = { tenant, table: dense.table };
  const isResident = (await index?.has(vectorSet)) ?? false;
  const hits = await sql.transaction(
    async (tx) => {
      const { size: documents } = await readStatistics(tx, view, restrictions.region, []);
      const vectors = isResident ? await index?.vectors(tx, vectorSet) : undefined;
      const context = { tx, view, planner: new PlannerSettings(tx), vectors };
      const weighted = { terms: [], weights: [], mass: 0 };
      const query = { ...restrictions, text: '', weighted, dense, times: { months: [], periods: [] } };
      const groups = index
        ? chooseSources(context, query, { documents, set, lookup: { in: 'nowhere' } })
        : [[new ExactVectorSource(context)]];
      return Promise.all(groups.flat().map((source) => source.find(query, minCandidates)));
    },
    { tenant, readOnly: true },
  );
  return hits
    .flat()
    .sort((left, right) => (right.cosine ?? 0) - (left.cosine ?? 0))
    .slice(0, best)
    .map(({ memory_id: id }) => id);
}
