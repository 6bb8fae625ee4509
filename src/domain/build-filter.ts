import { metadataPath } from './metadata-path.ts';
import type { Filter, FilterField, FilterOperator, FilterScalar } from './filter.ts';

/** A test of one field; `metadata.a.b` and `metadata["a.b"]` become exactly this path below `metadata`. */
export function test(
  field: string,
  operator: FilterOperator,
  value: FilterScalar | readonly FilterScalar[],
): Filter {
  const path = metadataPath(field);
  return path
    ? { kind: 'test', field: 'metadata', path: path.keys, operator, value }
    : { kind: 'test', field: field as FilterField, path: [], operator, value };
}

/** Conjunction of `filters`, which must not be empty. */
export function allOf(filters: readonly Filter[]): Filter {
  return filters.length === 1 ? filters[0]! : { kind: 'and', filters };
}

/** Disjunction of `filters`, which must not be empty. */
export function anyOf(filters: readonly Filter[]): Filter {
  return filters.length === 1 ? filters[0]! : { kind: 'or', filters };
}

/** Passes if the field equals one of `values`, which must not be empty. */
export function oneOf(field: string, values: readonly FilterScalar[]): Filter {
  return values.length === 1 ? test(field, 'eq', values[0]!) : test(field, 'in', values);
}

/** A time range in ISO 8601 with at least one bound. `until` is exclusive. */
export interface TimeRange {
  readonly from?: string;
  readonly until?: string;
}

export function timeFilter(field: string, { from, until }: TimeRange): Filter {
  const filters: Filter[] = [];
  if (from !== undefined) filters.push(test(field, 'gte', from));
  if (until !== undefined) filters.push(test(field, 'lt', until));
  return allOf(filters);
}

/** Lower bound of all valid times. */
export const earliest = '0001-01-01T00:00:00.000Z';

/** Filters by `occurredAt`, or by `createdAt` for memories without `occurredAt`. */
export function occurredOrCreated(range: TimeRange): Filter {
  const hasNoTime: Filter = { kind: 'not', filter: test('occurredAt', 'gte', earliest) };
  return anyOf([timeFilter('occurredAt', range), allOf([hasNoTime, timeFilter('createdAt', range)])]);
}
