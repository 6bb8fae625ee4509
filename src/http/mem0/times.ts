import { invalid } from '../../domain/problems.ts';

const dayMs = 86_400_000;
const dateOnly = /^\d{4}-\d{2}-\d{2}$/;

export type Bound = 'start' | 'end';

/**
 * Reads a time as mem0 takes it: a date, an ISO 8601 time (UTC without an offset), or seconds since 1970. Returns RFC 3339 in UTC; for
 * a date, its first or its last millisecond.
 */
export function timeOf(sent: unknown, path: string, bound: Bound = 'start'): string {
  const time = new Date(typeof sent === 'number' ? sent * 1_000 : textOf(sent));
  if (Number.isNaN(time.getTime()) || time.getUTCFullYear() < 1 || time.getUTCFullYear() > 9999)
    throw invalid(path, 'must be a date (2026-01-31), an ISO 8601 time, or seconds since 1970');
  const isDate = typeof sent === 'string' && dateOnly.test(sent);
  return new Date(time.getTime() + (isDate && bound === 'end' ? dayMs - 1 : 0)).toISOString();
}

function textOf(sent: unknown): string {
  if (typeof sent !== 'string') return '';
  const hasOffset = dateOnly.test(sent) || /(?:z|[+-]\d{2}:?\d{2})$/i.test(sent);
  return hasOffset ? sent : `${sent}Z`;
}
