/** Both bounds of a period in the shortest ISO 8601 form: `2019`, `2019-03`, `2019-03-07`, or a time for an hour. */
export interface Ends {
  /** Inclusive. */
  readonly from: string;
  /** Exclusive. */
  readonly until: string;
}

export type Unit = 'minute' | 'hour' | 'day' | 'week' | 'fortnight' | 'month' | 'quarter' | 'year';

const DAY_MS = 86_400_000;
const MS = { minute: 60_000, hour: 3_600_000 } as const;
/** How far from "10 minutes ago" and "2 hours ago" the time may be. */
const AROUND_MS = { minute: 10 * MS.minute, hour: MS.hour } as const;
const DAYS_PER_WEEK = 7;
const MONTHS = { month: 1, quarter: 3, year: 12 } as const;

/** UTC midnight. Months and days beyond their range carry over. `Date.UTC` would take the years 0 to 99 for 1900 to 1999. */
function midnight(year: number, month: number, day: number): Date {
  const time = new Date(0);
  time.setUTCFullYear(year, month - 1, day);
  return time;
}

const dayText = (time: Date) => time.toISOString().slice(0, 10);
const monthText = (time: Date) => time.toISOString().slice(0, 7);
const yearText = (year: number) => String(year).padStart(4, '0');

export function monthNumber(now: Date): number {
  return now.getUTCMonth() + 1;
}

/** From the beginning of one year to the end of another or the same. */
export function yearsOf(first: number, last = first): Ends {
  return { from: yearText(first), until: yearText(last + 1) };
}

/** `count` months from month `month` of a year on; `month` may be outside 1..12. */
export function monthsOf(year: number, month: number, count = 1): Ends {
  const until = midnight(year, month + count, 1);
  return {
    from: monthText(midnight(year, month, 1)),
    until: until.getUTCMonth() === 0 ? until.toISOString().slice(0, 4) : monthText(until),
  };
}

export function quarterOf(year: number, quarter: number): Ends {
  return monthsOf(year, quarter * 3 - 2, 3);
}

export function halfOf(year: number, half: number): Ends {
  return monthsOf(year, half * 6 - 5, 6);
}

/** The days `day` to `last` of a month; undefined if there is no such month or day. */
export function daysOf(year: number, month: number, day: number, last = day): Ends | undefined {
  const end = midnight(year, month, last);
  if (month < 1 || month > 12 || day < 1 || day > last || end.getUTCDate() !== last) return undefined;
  return { from: dayText(midnight(year, month, day)), until: dayText(midnight(year, month, last + 1)) };
}

/** The days from `first` (inclusive) to `end` (exclusive), counted from today: 0 is today, -1 yesterday. */
export function daysFrom(now: Date, first: number, end: number): Ends {
  const at = (days: number) =>
    dayText(midnight(now.getUTCFullYear(), now.getUTCMonth() + 1, now.getUTCDate() + days));
  return { from: at(first), until: at(end) };
}

/** Days since Monday. */
function sinceMonday(now: Date): number {
  return (now.getUTCDay() + 6) % DAYS_PER_WEEK;
}

/** A calendar week, which begins on Monday: 0 is this week, -1 the previous one. */
function weekFrom(now: Date, weeks: number): Ends {
  const first = weeks * DAYS_PER_WEEK - sinceMonday(now);
  return daysFrom(now, first, first + DAYS_PER_WEEK);
}

/** A day of a calendar week (`weekFrom`). `weekday`: 0 is Sunday. */
export function dayOfWeek(now: Date, weeks: number, weekday: number, count = 1): Ends {
  const first = weeks * DAYS_PER_WEEK - sinceMonday(now) + ((weekday + 6) % DAYS_PER_WEEK);
  return daysFrom(now, first, first + count);
}

/** The latest `count` days that start on a weekday and end before today. */
export function latestWeekday(now: Date, weekday: number, count = 1): Ends {
  const back = ((now.getUTCDay() - weekday - count + 2 * DAYS_PER_WEEK) % DAYS_PER_WEEK) + count;
  return daysFrom(now, -back, count - back);
}

/** The first such day after today. */
export function nextWeekday(now: Date, weekday: number): Ends {
  const ahead = ((weekday - now.getUTCDay() + 6) % DAYS_PER_WEEK) + 1;
  return daysFrom(now, ahead, ahead + 1);
}

/** A week by its ISO 8601 number; undefined if the year has no such week. */
export function isoWeek(year: number, week: number): Ends | undefined {
  // 4 January is always in the first week.
  const fourth = midnight(year, 1, 4);
  const found = weekFrom(fourth, week - 1);
  const thursday = new Date(Date.parse(found.from) + 3 * DAY_MS);
  return week >= 1 && thursday.getUTCFullYear() === year ? found : undefined;
}

/** The latest week with this number that has begun. */
export function latestIsoWeek(week: number, now: Date): Ends | undefined {
  const year = now.getUTCFullYear();
  const own = isoWeek(year, week);
  return own && Date.parse(own.from) <= now.getTime() ? own : isoWeek(year - 1, week);
}

/** The latest `count` months that begin with this one and have begun. */
export function latestMonths(month: number, now: Date, count = 1): Ends {
  return monthsOf(now.getUTCFullYear() - (month > monthNumber(now) ? 1 : 0), month, count);
}

/** The latest such days of a month that have begun; undefined if a month has none. */
export function latestDays(month: number, day: number, now: Date, last = day): Ends | undefined {
  const isAhead = month > monthNumber(now) || (month === monthNumber(now) && day > now.getUTCDate());
  const year = now.getUTCFullYear() - (isAhead ? 1 : 0);
  // 29 February is in every fourth year.
  const years = month === 2 && last === 29 ? [0, 1, 2, 3, 4, 5, 6, 7] : [0];
  return years.map((back) => daysOf(year - back, month, day, last)).find((ends) => ends !== undefined);
}

/** The latest day with this number in its month, today or earlier. */
export function latestDayOfMonth(day: number, now: Date): Ends | undefined {
  for (let back = 0; back < 3; back++) {
    const first = midnight(now.getUTCFullYear(), monthNumber(now) - back, 1);
    const ends = daysOf(first.getUTCFullYear(), monthNumber(first), day);
    if (ends && Date.parse(ends.from) <= now.getTime()) return ends;
  }
  return undefined;
}

/** A calendar unit: 0 is the current one, -1 the previous one. */
export function unitFrom(now: Date, offset: number, unit: Unit): Ends | undefined {
  switch (unit) {
    case 'minute':
    case 'hour':
    case 'fortnight':
      return undefined;
    case 'day':
      return daysFrom(now, offset, offset + 1);
    case 'week':
      return weekFrom(now, offset);
    case 'month':
      return monthsOf(now.getUTCFullYear(), monthNumber(now) + offset);
    case 'quarter':
      return quarterOf(now.getUTCFullYear(), Math.ceil(monthNumber(now) / 3) + offset);
    case 'year':
      return yearsOf(now.getUTCFullYear() + offset);
    default:
      return unit satisfies never;
  }
}

/** The last `count` units, to the end of today, or the next ones, from today on. */
export function runningUnits(now: Date, count: number, unit: Unit, isNext = false): Ends {
  if (unit === 'hour' || unit === 'minute') {
    const ends = [now.getTime(), now.getTime() + (isNext ? count : -count) * MS[unit]].sort((a, b) => a - b);
    const until = isNext ? new Date(ends[1]!).toISOString() : daysFrom(now, 0, 1).until;
    return { from: new Date(ends[0]!).toISOString(), until };
  }
  const shifted = (by: number) => {
    if (unit === 'day' || unit === 'week' || unit === 'fortnight')
      return daysFrom(now, by * daysOfUnit(unit), 0).from;
    const first = midnight(now.getUTCFullYear(), monthNumber(now) + by * MONTHS[unit], 1);
    const last = midnight(first.getUTCFullYear(), monthNumber(first) + 1, 0).getUTCDate();
    const day = Math.min(now.getUTCDate(), last);
    return dayText(midnight(first.getUTCFullYear(), monthNumber(first), day));
  };
  const today = daysFrom(now, 0, 1);
  return isNext ? { from: today.from, until: shifted(count) } : { from: shifted(-count), until: today.until };
}

function daysOfUnit(unit: 'day' | 'week' | 'fortnight'): number {
  return { day: 1, week: DAYS_PER_WEEK, fortnight: 2 * DAYS_PER_WEEK }[unit];
}

/**
 * What "… ago" means: that day, the seven days around that day for weeks, that calendar month or year, or the time around
 * for hours and minutes. `count` may be negative, for "in 3 days".
 */
export function unitsAgo(now: Date, count: number, unit: Unit): Ends | undefined {
  switch (unit) {
    case 'minute':
    case 'hour': {
      const at = now.getTime() - count * MS[unit];
      const around = AROUND_MS[unit];
      return { from: new Date(at - around).toISOString(), until: new Date(at + around).toISOString() };
    }
    case 'week':
    case 'fortnight': {
      const back = count * daysOfUnit(unit);
      return daysFrom(now, -back - 3, 4 - back);
    }
    case 'day':
    case 'month':
    case 'quarter':
    case 'year':
      return unitFrom(now, -count, unit);
    default:
      return unit satisfies never;
  }
}
