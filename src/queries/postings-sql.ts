import type { AnyOf } from '../domain/retrieval/posting-keys.ts';
import { keyListsOf, type LookupConditions } from '../domain/retrieval/postings.ts';
import type { ReadView } from './read-models.ts';
import type { Parameters } from './sql-builder.ts';

/** The first version of the memories read model that files in order: of one before, which serves until it is built anew, no range is asked. */
const firstInOrder = 4;

/** Under what the memories that are asked for are filed in the read model that is live now. */
export function listsIn(view: ReadView, conditions: LookupConditions): readonly AnyOf[] {
  return keyListsOf({ ...conditions, inOrder: Number(view.signature('memories')) >= firstInOrder });
}

/** Of each list how many active memories are filed under one of its keys, as an array; no more than `most` and one are counted. */
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
 * The ids of the active memories that are filed under a key of each list, as a query for `memory_id`; some may come twice. They
 * come in their order, which whoever looks them up would have to bring them into, and to make them distinct would lose it.
 */
export function filedUnderAll(
  lists: readonly AnyOf[],
  view: ReadView,
  tenant: string,
  parameters: Parameters,
): string {
  return lists.map((list) => `(${filedUnder(list, view, tenant, parameters)})`).join(' intersect ');
}

/** Each part of it is a walk through the index. */
function filedUnder({ keys, ranges }: AnyOf, view: ReadView, tenant: string, parameters: Parameters): string {
  const own = parameters.bind(tenant);
  const conditions = [
    // Also where there are neither: under no key is nothing.
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
