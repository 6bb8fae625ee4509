import type { Range } from './range.ts';

/** Parts of a range that a chart shows as bars, in UTC. */
export type PeriodUnit = 'hour' | 'day' | 'month' | 'year';

/** How much of an ISO time names its period. */
const lengths: Readonly<Record<PeriodUnit, number>> = { hour: 13, day: 10, month: 7, year: 4 };

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The unit that divides a range into a number of bars that fits on a page. */
export function unitOf({ from, to }: Range): PeriodUnit {
  const days = (to.getTime() - from.getTime()) / dayMs;
  if (days <= 2) return 'hour';
  if (days <= 93) return 'day';
  return days <= 3_660 ? 'month' : 'year';
}

/** The name of the period that a time or a date is in, such as `2026-11-29`. */
export const periodOf = (at: string, unit: PeriodUnit): string => at.slice(0, lengths[unit]);

/** A period as a person reads it: hours with their minutes. */
export const periodText = (name: string): string =>
  name.length === lengths.hour ? `${name.replace('T', ' ')}:00` : name;

/** All periods that a range touches, in order. */
export function periodsOf({ from, to }: Range, unit: PeriodUnit): readonly string[] {
  const periods: string[] = [];
  for (let at = firstOf(from, unit); at < to; at = nextOf(at, unit))
    periods.push(periodOf(at.toISOString(), unit));
  return periods;
}

/** The beginning of the period that a time is in. */
function firstOf(instant: Date, unit: PeriodUnit): Date {
  const at = new Date(instant);
  at.setUTCMinutes(0, 0, 0);
  if (unit !== 'hour') at.setUTCHours(0);
  if (unit === 'month' || unit === 'year') at.setUTCDate(1);
  if (unit === 'year') at.setUTCMonth(0);
  return at;
}

function nextOf(instant: Date, unit: PeriodUnit): Date {
  const at = new Date(instant);
  if (unit === 'hour') at.setUTCHours(at.getUTCHours() + 1);
  else if (unit === 'day') at.setUTCDate(at.getUTCDate() + 1);
  else if (unit === 'month') at.setUTCMonth(at.getUTCMonth() + 1);
  else at.setUTCFullYear(at.getUTCFullYear() + 1);
  return at;
}
