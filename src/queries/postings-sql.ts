import type { AnyOf } from '../domain/retrieval/posting-keys.ts';
import { keyListsOf, type LookupConditions } from '../domain/retrieval/postings.ts';
import type { ReadView } from './read-models.ts';
import type { Parameters } from './sql-builder.ts';

/** The first version of the memories read model with ordered postings. Ranges are not used with an older one, which serves until it is rebuilt. */
const firstInOrder = 4;

/** The posting keys to look the conditions up with, in the live read model. */
export function listsIn(view: ReadView, conditions: LookupConditions): readonly AnyOf[] {
  return keyListsOf({ ...conditions, inOrder: Number(view.signature('memories')) >= firstInOrder });
}

/** An SQL array with the number of active memories that have one of the keys of each list. Counting stops at `most` + 1. */
export function countsOf(
  lists: readonly AnyOf[],
  most: number,
  view: ReadView,
  tenant: string,
  parameters: Parameters,
): string {
  const counts = lists.map(
    (list) =>
      `(select count(*)::integer from (${filedUnder(list, view, tenant, parameters)} limit ${most + 1}) filed)`,
  );
  return `array[${counts.join(', ')}]::integer[]`;
}

/**
 * A query for the `memory_id`s of the active memories that have a key of each list. It may return an id twice: making them
 * distinct would lose their order, and the lookup of the memories would have to sort them again.
 */
export function filedUnderAll(
  lists: readonly AnyOf[],
  view: ReadView,
  tenant: string,
  parameters: Parameters,
): string {
  return lists.map((list) => `(${filedUnder(list, view, tenant, parameters)})`).join(' intersect ');
}

/** Memories with one of the keys, or a key in one of the ranges. Each part of the union is one index scan. */
function filedUnder({ keys, ranges }: AnyOf, view: ReadView, tenant: string, parameters: Parameters): string {
  const own = parameters.bind(tenant);
  const conditions = [
    // With neither keys nor ranges, the empty list of keys matches nothing.
    ...(keys.length > 0 || ranges.length === 0 ? [`= any (${parameters.bind([...keys])}::bigint[])`] : []),
    ...ranges.map(
      ({ from, to }) => `between ${parameters.bind(from)}::bigint and ${parameters.bind(to)}::bigint`,
    ),
  ];
  return conditions
    .map(
      (condition) => `select memory_id from ${view.table('memories', 'memories_postings')}
        where tenant = ${own} and key ${condition}`,
    )
    .join(' union all ');
}
