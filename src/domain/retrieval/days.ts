import { earliest } from '../build-filter.ts';
import type { Filter } from '../filter.ts';
import { instantOf } from '../instant.ts';

/** A quarter, and a little more: what asks for a longer time finds so much that keys are of no use. */
const mostDays = 100;
const dayMs = 86_400_000;

/** The day of an instant, in UTC: `2023-05-07`. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

/**
 * The days on which whatever meets all of `filters` occurred, or was recorded where it does not tell when it occurred;
 * undefined where they do not say it, or name more than a quarter.
 */
export function daysAsked(filters: readonly Filter[]): readonly string[] | undefined {
  const field = filters.some(isUntold) ? 'createdAt' : 'occurredAt';
  let from = -Infinity;
  let last = Infinity;
  for (const filter of filters) {
    if (filter.kind !== 'test' || filter.field !== field) continue;
    const { operator, value } = filter;
    const instant = instantOf(value);
    if (!instant) continue;
    if (operator === 'gte' || operator === 'gt' || operator === 'eq') from = Math.max(from, +instant);
    if (operator === 'lte' || operator === 'eq') last = Math.min(last, +instant);
    if (operator === 'lt') last = Math.min(last, +instant - 1);
  }
  const first = Math.floor(from / dayMs);
  const count = Math.max(1, Math.floor(last / dayMs) - first + 1);
  // Not so where an end is missing.
  if (!(count <= mostDays)) return undefined;
  return Array.from({ length: count }, (_, day) => dayOf(new Date((first + day) * dayMs)));
}

/** As `occurredOrRecorded` says that a memory does not tell when it occurred. */
function isUntold(filter: Filter): boolean {
  if (filter.kind !== 'not' || filter.filter.kind !== 'test') return false;
  const { field, operator, value } = filter.filter;
  return field === 'occurredAt' && operator === 'gte' && value === earliest;
}
