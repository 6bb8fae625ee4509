import { timestamp } from './memory/content.ts';

/** `2024`, `2024-03` or `2024-03-07`. */
const date = /^(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?$/;

/** Parses an RFC 3339 time, or a date (year, month or day) as its first midnight in UTC. Returns undefined for anything else. */
export function parseInstant(value: unknown): Date | undefined {
  const [isDate, year, month = '01', day = '01'] = (typeof value === 'string' && date.exec(value)) || [];
  const time = timestamp.safeParse(isDate === undefined ? value : `${year}-${month}-${day}T00:00:00Z`);
  return time.success ? new Date(time.data) : undefined;
}
