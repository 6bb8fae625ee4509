import type { Filter } from '../../src/domain/filter.ts';

/** A filter in one readable line. */
export function filterText(filter: Filter): string {
  if (filter.kind === 'not') return `not ${filterText(filter.filter)}`;
  if (filter.kind !== 'test') return `(${filter.filters.map(filterText).join(` ${filter.kind} `)})`;
  const field = filter.field === 'metadata' ? filter.path.join('.') : filter.field;
  const signs: Record<string, string> = { eq: '=', gte: '>=', gt: '>', lte: '<=', lt: '<' };
  return `${field} ${signs[filter.operator] ?? filter.operator} ${String(filter.value)}`;
}
