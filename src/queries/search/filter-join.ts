import type { Region } from '../../domain/access/region.ts';
import type { Visibility } from '../../domain/access/visibility.ts';
import type { Filter } from '../../domain/filter.ts';
import { filterCondition } from '../filter-sql.ts';
import type { ReadView } from '../read-models.ts';
import { allOf, type Parameters } from '../sql-builder.ts';
import type { Asker } from '../use-sql.ts';
import { lookupsOf } from './lookups.ts';

/** Conditions on those properties of a memory that may change. */
export interface MemoryFilters {
  readonly spaces?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly filter?: Filter | undefined;
  /** A filter on importance counts the uses that this user may know of. */
  readonly asker?: Asker;
  /** A filter on citations counts the memories that the asker sees. */
  readonly visibility?: Visibility | undefined;
}

export function hasFilters({ spaces, tags, filter }: MemoryFilters): boolean {
  return spaces !== undefined || tags !== undefined || filter !== undefined;
}

/** SQL conditions on a row of the memories table, `alias`. */
export function filterConditions(
  { spaces, tags, filter, asker, visibility }: MemoryFilters,
  view: ReadView,
  alias: string,
  parameters: Parameters,
): string[] {
  const conditions: string[] = [];
  if (spaces) conditions.push(`${alias}.spaces && ${parameters.bind([...spaces])}::text[]`);
  if (tags) conditions.push(`${alias}.tags && ${parameters.bind([...tags])}::text[]`);
  if (filter) conditions.push(filterCondition(filter, { view, alias, asker, visibility }, parameters));
  return conditions;
}

/**
 * A join that keeps the rows of `of` whose memory passes the filters: one lookup for each row, in the order of the rows. With an
 * ordinary join the planner might start with all memories that pass, which it takes for few while a table that was just filled
 * has no statistics.
 */
export function filterJoin(
  view: ReadView,
  request: MemoryFilters & { readonly region: Region },
  of: string,
  parameters: Parameters,
): string {
  if (!hasFilters(request)) return '';
  const lookup = lookupsOf(request.region.tenant, parameters);
  const passes = allOf(['t.to_position is null', ...filterConditions(request, view, 't', parameters)]);
  return `cross join ${lookup('true', view.table('memories'), passes, of)} m`;
}
