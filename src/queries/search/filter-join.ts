import type { Filter } from '../../domain/filter.ts';
import { filterCondition } from '../filter-sql.ts';
import type { ReadView } from '../read-models.ts';
import { allOf, type Parameters } from '../sql-builder.ts';

/** What a search asks of a memory that may change. */
export interface MemoryFilters {
  readonly spaces?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly filter?: Filter | undefined;
}

export function hasFilters({ spaces, tags, filter }: MemoryFilters): boolean {
  return spaces !== undefined || tags !== undefined || filter !== undefined;
}

/** The filters as a condition on the current row of the memories table, `alias`; undefined where there are none. */
export function filterConditions(
  { spaces, tags, filter }: MemoryFilters,
  alias: string,
  parameters: Parameters,
): string | undefined {
  const conditions: string[] = [];
  if (spaces) conditions.push(`${alias}.spaces && ${parameters.bind([...spaces])}::text[]`);
  if (tags) conditions.push(`${alias}.tags && ${parameters.bind([...tags])}::text[]`);
  if (filter) conditions.push(filterCondition(filter, alias, parameters));
  return conditions.length === 0 ? undefined : allOf([`${alias}.to_position is null`, ...conditions]);
}

/** Joins the memories table, where such things stand, to the table of `alias`. */
export function filterJoin(
  view: ReadView,
  filters: MemoryFilters,
  alias: string,
  parameters: Parameters,
): string {
  const conditions = filterConditions(filters, 'm', parameters);
  if (conditions === undefined) return '';
  return `join ${view.table('memories')} m
    on m.tenant = ${alias}.tenant and m.memory_id = ${alias}.memory_id and ${conditions}`;
}
