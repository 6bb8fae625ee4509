import { timestamp } from './memory/content.ts';

/** A day, or the first of a month or a year. */
const date = /^(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?$/;

/** The instant that an RFC 3339 time names, or the midnight in UTC that a date begins with; undefined for all else. */
export function parseInstant(value: unknown): Date | undefined {
  const [isDate, year, month = '01', day = '01'] = (typeof value === 'string' && date.exec(value)) || [];
  const time = timestamp.safeParse(isDate === undefined ? value : `${year}-${month}-${day}T00:00:00Z`);
  return time.success ? new Date(time.data) : undefined;
}
