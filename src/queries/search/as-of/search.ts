import { heaviest, weigh } from '../../../domain/ranking/bm25.ts';
import type { ModelScale } from '../../../domain/ranking/calibration.ts';
import { usesWordsInMemory } from '../../../read-models/lexical/variant.ts';
import { isWithoutVector } from '../../../ports/embedder.ts';
import type { Sql } from '../../../ports/sql.ts';
import type { ReadView } from '../../read-models.ts';
import { lookDeeper } from '../deeper-look.ts';
import type { Scored } from '../shortlist.ts';
import type { Query, SearchRequest } from '../query.ts';
import { liveModel, type QueryVector } from '../query-vectors.ts';
import { rank } from '../rank.ts';
import { readMemories } from '../read-memories.ts';
import { readStatistics } from '../statistics.ts';
import type { WordsInMemory } from '../word-search.ts';
import { candidatesAsOf } from './candidates.ts';
import { bestOf, scanAsOf, type AsOfRequest, type Scanned } from './scan.ts';

export interface AsOfSearch extends Query, Omit<SearchRequest, 'asOf'> {
  /** A position that the read models have reached. */
  readonly at: number;
  /** Of the query; undefined where it cannot be embedded now. */
  readonly vector: QueryVector | undefined;
  /** Of the live model, where it brought one along. */
  readonly scale: ModelScale | undefined;
  /** Of today, where they are kept in memory. */
  readonly words: WordsInMemory | undefined;
}

export interface AsOfFound {
  readonly found: readonly Scored[];
  /** Whether meaning was compared too. */
  readonly compared: boolean;
  /** Whether words counted for as much as they are rare. */
  readonly weighed: boolean;
}

/**
 * The best of the memories as they were at a position, texts, tags and what surrounds a turn included; scored as in any
 * search. Only how rare a term is among the tenant's memories, and who may see what, are as of today. Throws
 * `as-of-scope-too-large`.
 */
export async function searchAsOf(sql: Sql, view: ReadView, search: AsOfSearch): Promise<AsOfFound> {
  const { vector, region, at, scale } = search;
  if (search.seesNothing) return { found: [], compared: vector !== undefined, weighed: true };
  const { tenant } = region;
  const model = liveModel(view);
  const inTenant = { tenant, readOnly: true };
  const { statistics, weighed } = await sql.transaction(async (tx) => {
    const words = await search.words?.(tx);
    const isKnown = words !== undefined || !usesWordsInMemory(view.signature('lexical'));
    return { statistics: await readStatistics(tx, view, tenant, search.terms, words), weighed: isKnown };
  }, inTenant);
  const terms = heaviest(search.terms, statistics);
  const request: AsOfRequest = {
    ...search,
    weighted: weigh(terms, statistics),
    dense: vector && { vector: vector.vector, embedder: vector.embedder },
  };
  const { seen, compared } = await scan(sql, view, request);
  const { best } = await lookDeeper(search.perEngine, (perEngine) =>
    sql.transaction(async (tx) => {
      const rows = await candidatesAsOf(tx, view, request, bestOf(seen, perEngine, search.times));
      const list = rank(rows, { ...search, terms, perEngine, statistics, model, scale });
      const best = await list.best((ids) => readMemories(tx, view, tenant, ids, { at }));
      return { best, isCrowded: list.isCrowded };
    }, inTenant),
  );
  return { found: best, compared, weighed };
}

/** Without meaning where old texts cannot be embedded now. */
async function scan(
  sql: Sql,
  view: ReadView,
  request: AsOfRequest,
): Promise<{ readonly seen: Scanned; readonly compared: boolean }> {
  try {
    return { seen: await scanAsOf(sql, view, request), compared: request.dense !== undefined };
  } catch (error) {
    if (!isWithoutVector(error)) throw error;
    return { seen: await scanAsOf(sql, view, { ...request, dense: undefined }), compared: false };
  }
}
