import type { Tables } from '../read-models/table.ts';

/**
 * What a read model holds of memories: a query `{count}` for its rows that hold content of the memories `$2` (an array of ids) of
 * tenant `$1` or derive from it, or why it holds none.
 */
export type Holding = ((tables: Tables) => string) | { readonly nothing: string };

/** SQL: the row belongs to one of the memories, in tables whose `memory_id` is a uuid. */
export const ofMemory = 'memory_id = any ($2::text[]::uuid[])';

/** SQL: the array of ids names one of the memories. */
export const named = (ids: string): string =>
  `exists (select 1 from unnest(${ids}) as named(id) where named.id = any ($2::text[]))`;

/** A query for the number of rows in tables of the tenant that meet their condition on the memories `$2`. */
export function rowsWith(...places: readonly (readonly [table: string, condition: string])[]): string {
  const counts = places.map(
    ([table, condition]) => `(select count(*) from ${table} where tenant = $1 and ${condition})`,
  );
  return `select (${counts.join(' + ')})::int as count`;
}
