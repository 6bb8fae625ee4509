import { exactScanLimit } from '../../../domain/retrieval/exact-scan-limit.ts';
import type { AnyOf } from '../../../domain/retrieval/posting-keys.ts';
import type { Sql, SqlExecutor } from '../../../ports/sql.ts';
import { countsOf, filedUnderAll, listsIn } from '../../postings-sql.ts';
import type { ReadView } from '../../read-models.ts';
import { Parameters } from '../../sql-builder.ts';
import { hasFilters } from '../filter-join.ts';
import type { Restrictions } from './candidate-source.ts';

/** Comparing this many vectors takes as long as the HNSW index does when one in ten passes the filters. */
const maxMemories = 12_000;
/** Up to this many texts are scored one by one from their own term counts; for more, the BM25 index is faster. */
const fewTextsLimit = 2_000;

/**
 * A superset of the memories that the restrictions of a search allow, small enough to look at each of them: those filed under
 * one key of each list of the postings. The restrictions still have to be checked.
 */
export interface PrefilterSet {
  readonly lists: readonly AnyOf[];
  /** Upper bound of the number of memories. */
  readonly size: number;
  /** Estimated number of memories, as if the conditions were independent. */
  readonly expected: number;
  /** Whether it is small enough to score each text, too. */
  readonly hasFewTexts: boolean;
}

/**
 * Undefined if the restrictions allow too many memories, or no posting key says how many. In tenants of up to `scanLimit`
 * memories the region alone makes no set: all vectors are compared there anyway.
 */
export async function findPrefilterSet(
  sql: Sql,
  view: ReadView,
  restrictions: Restrictions,
  scanLimit = exactScanLimit,
): Promise<PrefilterSet | undefined> {
  const lists = listsIn(view, restrictions);
  if (lists.length === 0) return undefined;
  const { tenant } = restrictions.region;
  const parameters = new Parameters();
  // Counting stops at the limit: an unselective filter would read that many index entries for nothing. Without filters the
  // tables themselves contain the region, and scanning a small tenant is faster than looking it up.
  const counts = countsOf(lists, maxMemories, view, tenant, parameters);
  const isNeeded = hasFilters(restrictions) ? 'true' : `corpus.documents > ${scanLimit}`;
  const [row] = await sql.queryAs<{ counts: number[] | null; documents: number | null }>(
    tenant,
    `select case when ${isNeeded} then ${counts} end as counts, corpus.documents
     from (select (select documents from ${view.table('lexical', 'lexical_corpus')} where tenant = ${parameters.bind(tenant)}) as documents) corpus`,
    parameters.values,
  );
  const { counts: sizes, documents } = row!;
  if (!sizes) return undefined;
  const short = lists
    .map((list, index) => ({ list, size: sizes[index]! }))
    .filter(({ size }) => size <= maxMemories);
  if (short.length === 0) return undefined;
  // An estimate is enough: it decides how memories are found, not which.
  const expected = short.reduce((left, { size }) => (left * size) / (documents || 1), documents ?? 0);
  return {
    lists: short.map(({ list }) => list),
    size: Math.min(...short.map(({ size }) => size)),
    expected,
    hasFewTexts: expected <= fewTextsLimit,
  };
}

/** The ids of the set's memories, each once. */
export async function idsInPrefilterSet(
  tx: SqlExecutor,
  view: ReadView,
  tenant: string,
  { lists }: PrefilterSet,
): Promise<readonly string[]> {
  const parameters = new Parameters();
  const rows = await tx.query<{ memory_id: string }>(
    filedUnderAll(lists, view, tenant, parameters),
    parameters.values,
  );
  return [...new Set(rows.map(({ memory_id }) => memory_id))];
}

/**
 * SQL for whether a row belongs to the set. With all ids in one array PostgreSQL finds their rows in a single walk through the
 * primary key, in less than half the time of one lookup each. The planner assumes that an array is short, so it chooses
 * this plan whatever its statistics of the table say.
 */
export function inPrefilterSet(
  view: ReadView,
  tenant: string,
  { lists }: PrefilterSet,
  alias: string,
  parameters: Parameters,
): string {
  return `${alias}.memory_id = any (array(${filedUnderAll(lists, view, tenant, parameters)}))`;
}
