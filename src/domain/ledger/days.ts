import type { Budget } from './budget.ts';

/** The day of UTC, such as `2026-11-27`. Days and months sort as text. */
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

export const monthOf = (day: string): string => day.slice(0, 7);

/** The name of the period of a budget that a day is in: the day itself, or its month. */
export function periodOf(day: string, { period }: Pick<Budget, 'period'>): string {
  return period === 'day' ? day : monthOf(day);
}

/** The first moment after the period, in RFC 3339. */
export function endOfPeriod(day: string, { period }: Pick<Budget, 'period'>): string {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number];
  const end = period === 'day' ? Date.UTC(year, month - 1, date + 1) : Date.UTC(year, month, 1);
  return new Date(end).toISOString();
}
