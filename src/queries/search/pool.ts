import type { Region } from '../../domain/access/region.ts';
import { exactScanLimit } from '../../domain/retrieval/exact-scan-limit.ts';
import type { AnyOf } from '../../domain/retrieval/posting-keys.ts';
import { lookupsOf } from '../../domain/retrieval/postings.ts';
import type { Sql } from '../../ports/sql.ts';
import type { ReadView } from '../read-models.ts';
import { Parameters } from '../sql-builder.ts';
import { hasFilters, type MemoryFilters } from './filter-join.ts';

/** Of as many the exact comparison takes as long as the index, which finds one in ten that pass. */
const pooledLimit = 12_000;
/** The first version of the memories read model that files in order: of one before, which serves until it is built anew, no range is asked. */
const firstInOrder = 4;
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
  /** Whether also the words of each are looked at. */
  readonly counted: boolean;
}

export interface Reach extends MemoryFilters {
  readonly region: Region;
}

/** Undefined where too many are left, or no key tells how many. */
export async function findPool(sql: Sql, view: ReadView, reach: Reach): Promise<Pool | undefined> {
  const lists = lookupsOf({ ...reach, inOrder: Number(view.signature('memories')) >= firstInOrder });
  if (lists.length === 0) return undefined;
  const { tenant } = reach.region;
  const parameters = new Parameters();
  const own = parameters.bind(tenant);
  // No more are counted than decide something: an unselective filter costs a look at so many entries of an index.
  const counts = lists.map(
    (list) =>
      `(select count(*)::integer from (${filedUnder(list, view, own, parameters)} limit ${pooledLimit + 1}) filed)`,
  );
  const [row] = await sql.queryAs<{ counts: number[]; documents: number | null }>(
    tenant,
    `select array[${counts.join(', ')}] as counts,
       (select documents from ${view.table('lexical', 'lexical_corpus')} where tenant = ${own}) as documents`,
    parameters.values,
  );
  const { counts: sizes, documents } = row!;
  // Without filters the tables themselves tell the region, and a small tenant is scanned faster than looked up.
  if (!hasFilters(reach) && (documents ?? 0) <= exactScanLimit) return undefined;
  const short = lists
    .map((list, index) => ({ list, size: sizes[index]! }))
    .filter(({ size }) => size <= pooledLimit);
  if (short.length === 0) return undefined;
  // As if the conditions knew nothing of each other: it decides how the words are found, not what is.
  const expected = short.reduce((left, { size }) => (left * size) / (documents || 1), documents ?? 0);
  return {
    lists: short.map(({ list }) => list),
    size: Math.min(...short.map(({ size }) => size)),
    counted: expected <= countedLimit,
  };
}

/**
 * The ids of a pool, as a query for `memory_id`; some may come twice. They come in their order, which whoever looks them up
 * would have to bring them into, and to make them distinct would lose it.
 */
export function poolQuery(view: ReadView, tenant: string, { lists }: Pool, parameters: Parameters): string {
  const own = parameters.bind(tenant);
  return lists.map((list) => `(${filedUnder(list, view, own, parameters)})`).join(' intersect ');
}

/** The ids of the memories that are filed under one of these keys, as a query: each part of it is a walk through the index. */
function filedUnder({ keys, ranges }: AnyOf, view: ReadView, own: string, parameters: Parameters): string {
  const where = [
    ...(keys.length > 0 ? [`= any (${parameters.bind([...keys])}::bigint[])`] : []),
    ...ranges.map(
      ({ from, to }) => `between ${parameters.bind(from)}::bigint and ${parameters.bind(to)}::bigint`,
    ),
  ];
  return where
    .map(
      (condition) => `select memory_id from ${view.table('memories', 'memories_postings')}
        where tenant = ${own} and key ${condition}`,
    )
    .join(' union all ');
}
