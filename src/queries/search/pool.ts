import type { Region } from '../../domain/access/region.ts';
import { exactScanLimit } from '../../domain/retrieval/exact-scan-limit.ts';
import type { AnyOf } from '../../domain/retrieval/posting-keys.ts';
import type { Sql } from '../../ports/sql.ts';
import { countsOf, listsIn } from '../postings-sql.ts';
import type { ReadView } from '../read-models.ts';
import { Parameters } from '../sql-builder.ts';
import { hasFilters, type MemoryFilters } from './filter-join.ts';

/** Of as many the exact comparison takes as long as the index, which finds one in ten that pass. */
const pooledLimit = 12_000;
/** Up to this many texts in reach each is scored by its own counts; above, the BM25 index answers. */
const countedLimit = 2_000;

/**
 * What region and filters leave at most, where it is little enough to be looked at one by one: memories filed under one
 * key of each list. Whether they match indeed remains to be checked.
 */
export interface Pool {
  readonly lists: readonly AnyOf[];
  /** No more memories than this. */
  readonly size: number;
  /** How many are expected, as if the conditions knew nothing of each other. */
  readonly expected: number;
  /** Whether also the words of each are looked at. */
  readonly counted: boolean;
}

export interface Reach extends MemoryFilters {
  readonly region: Region;
}

/**
 * Undefined where too many are left, or no key tells how many. Up to `scanLimit` memories in the tenant nothing is counted for the
 * region alone: all are compared then.
 */
export async function findPool(
  sql: Sql,
  view: ReadView,
  reach: Reach,
  scanLimit = exactScanLimit,
): Promise<Pool | undefined> {
  const lists = listsIn(view, reach);
  if (lists.length === 0) return undefined;
  const { tenant } = reach.region;
  const parameters = new Parameters();
  // No more are counted than decide something: an unselective filter costs a look at so many entries of an index. Without
  // filters the tables themselves tell the region, and a small tenant is scanned faster than looked up.
  const counts = countsOf(lists, pooledLimit, view, tenant, parameters);
  const decides = hasFilters(reach) ? 'true' : `corpus.documents > ${scanLimit}`;
  const [row] = await sql.queryAs<{ counts: number[] | null; documents: number | null }>(
    tenant,
    `select case when ${decides} then ${counts} end as counts, corpus.documents
     from (select (select documents from ${view.table('lexical', 'lexical_corpus')} where tenant = ${parameters.bind(tenant)}) as documents) corpus`,
    parameters.values,
  );
  const { counts: sizes, documents } = row!;
  if (!sizes) return undefined;
  const short = lists
    .map((list, index) => ({ list, size: sizes[index]! }))
    .filter(({ size }) => size <= pooledLimit);
  if (short.length === 0) return undefined;
  // It decides how memories are found, not which.
  const expected = short.reduce((left, { size }) => (left * size) / (documents || 1), documents ?? 0);
  return {
    lists: short.map(({ list }) => list),
    size: Math.min(...short.map(({ size }) => size)),
    expected,
    counted: expected <= countedLimit,
  };
}

/** How a search keeps to what region and filters leave. */
export interface Narrowing {
  /** By looking among these. */
  readonly pool?: Pool | undefined;
  /** By looking among all, of which they leave this share. */
  readonly share?: number | undefined;
}

/**
 * Where vectors are in memory, to look up the nearest of all until enough of them are in the pool may take less than to compare
 * the pool: a lookup with its filter takes seven times as long as a comparison, and 1.5 for each wanted one in the pool are
 * needed.
 */
export function narrowingTo(pool: Pool | undefined, documents: number, isInMemory: boolean): Narrowing {
  const isWide = isInMemory && pool && !pool.counted && pool.expected > 22 * Math.sqrt(documents);
  return isWide ? { share: pool.expected / documents } : { pool };
}
