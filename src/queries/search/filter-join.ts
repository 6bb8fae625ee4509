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

/** Joins the memories table, where such things stand, to the table of `alias`. */
export function filterJoin(
  view: ReadView,
  { spaces, tags, filter }: MemoryFilters,
  alias: string,
  parameters: Parameters,
): string {
  const conditions: string[] = [];
  if (spaces) conditions.push(`m.spaces && ${parameters.bind([...spaces])}::text[]`);
  if (tags) conditions.push(`m.tags && ${parameters.bind([...tags])}::text[]`);
  if (filter) conditions.push(filterCondition(filter, 'm', parameters));
  if (conditions.length === 0) return '';
  return `join ${view.table('memories')} m
    on m.tenant = ${alias}.tenant and m.memory_id = ${alias}.memory_id and m.to_position is null and ${allOf(conditions)}`;
}
