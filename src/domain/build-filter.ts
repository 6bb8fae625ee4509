import type { Filter, FilterField, FilterOperator, FilterScalar } from './filter.ts';

const METADATA = 'metadata.';

export function test(
  field: string,
  operator: FilterOperator,
  value: FilterScalar | readonly FilterScalar[],
): Filter {
  return field.startsWith(METADATA)
    ? { kind: 'test', field: 'metadata', path: field.slice(METADATA.length).split('.'), operator, value }
    : { kind: 'test', field: field as FilterField, path: [], operator, value };
}

/** `filters` has at least one. */
export function allOf(filters: readonly Filter[]): Filter {
  return filters.length === 1 ? filters[0]! : { kind: 'and', filters };
}

/** `filters` has at least one. */
export function anyOf(filters: readonly Filter[]): Filter {
  return filters.length === 1 ? filters[0]! : { kind: 'or', filters };
}

/** One of `values`. */
export function oneOf(field: string, values: readonly FilterScalar[]): Filter {
  return values.length === 1 ? test(field, 'eq', values[0]!) : test(field, 'in', values);
}

/** What lies within: at least one of the ends, in ISO 8601, `until` exclusive. */
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

/** No time that is told is before it. */
export const earliest = '0001-01-01T00:00:00.000Z';

/** By when it occurred; a memory that does not tell is as old as its record. */
export function occurredOrCreated(range: TimeRange): Filter {
  const untold: Filter = { kind: 'not', filter: test('occurredAt', 'gte', earliest) };
  return anyOf([timeFilter('occurredAt', range), allOf([untold, timeFilter('createdAt', range)])]);
}
