import { fold } from './tokens.ts';

/** A period with both bounds in the shortest ISO 8601 form: `2019`, `2019-03`, `2019-03-07`. */
export interface Period {
  /** Inclusive. */
  readonly from: string;
  /** Exclusive. */
  readonly until: string;
  /** UTF-16 offsets of the words that name the period. */
  readonly start: number;
  readonly end: number;
  /** Whether the words can only be a time. A year or the name of a month alone can mean something else. */
  readonly isPlain: boolean;
}

const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
);
const MONTH = `(${MONTHS.join('|')}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\\.?`;
const YEAR = '((?:19|20)\\d\\d)';

const ISO = new RegExp(
  `\\b${YEAR}-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\\d|3[01]))?(?:T[\\d:.]+Z?)?(?![\\d-])`,
  'g',
);
const DAY_FIRST = new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?\\s+(?:of\\s+)?${MONTH},?\\s+${YEAR}\\b`, 'gi');
const MONTH_FIRST = new RegExp(`\\b${MONTH}\\s+(?:(\\d{1,2})(?:st|nd|rd|th)?,?\\s+)?${YEAR}\\b`, 'gi');
const QUARTER = new RegExp(`\\bq([1-4])\\s*(?:of\\s+)?${YEAR}\\b|\\b${YEAR}[- ]?q([1-4])\\b`, 'gi');
const ALONE = new RegExp(`\\b${YEAR}\\b(?![-.]\\d)`, 'g');
/** "may" and "march" are read as months only when capitalized. */
const THIS_MONTH = new RegExp(`\\b(${MONTHS.join('|')})\\b`, 'gi');
const RELATIVE = /\b(last|past|previous|this|current)\s+(?:(\d{1,3})\s+)?(day|week|month|quarter|year)s?\b/gi;
const YESTERDAY = /\b(the\s+day\s+before\s+)?yesterday\b/gi;
const NUMBERS = 'one two three four five six seven eight nine ten eleven twelve'.split(' ');
const AGO = new RegExp(`\\b(\\d{1,3}|an?|${NUMBERS.join('|')})\\s+(day|week|month|year)s?\\s+ago\\b`, 'gi');
const WEEKDAYS = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ');
const WEEKDAY = new RegExp(`\\b(?:on|last|past)\\s+(${WEEKDAYS.join('|')})\\b`, 'gi');
const WEEKEND = /\b(?:last|past)\s+weekend\b/gi;

/**
 * Finds the periods that a question names, in order, in UTC and without overlaps. Relative expressions ("March", "last
 * quarter") are only read if `now` is given.
 */
export function findPeriods(text: string, now?: Date): Period[] {
  const found: Period[] = [];
  const add = (pattern: RegExp, read: (match: RegExpExecArray) => Ends | undefined) => {
    for (const match of text.matchAll(pattern)) {
      const [start, end] = [match.index, match.index + match[0].length];
      if (found.some((other) => start < other.end && end > other.start)) continue;
      const ends = read(match);
      if (ends) found.push({ isPlain: pattern !== ALONE, ...ends, start, end });
    }
  };
  add(ISO, ([, year, month, day]) => (day ? dayOf(+year!, +month!, +day) : monthOf(+year!, +month!)));
  add(DAY_FIRST, ([, day, month, year]) => dayOf(+year!, monthNumber(month!), +day!));
  add(MONTH_FIRST, ([, month, day, year]) =>
    day ? dayOf(+year!, monthNumber(month!), +day) : monthOf(+year!, monthNumber(month!)),
  );
  add(QUARTER, ([, q, year, otherYear, otherQ]) => quarterOf(+(year ?? otherYear!), +(q ?? otherQ!)));
  add(ALONE, ([, year]) => yearOf(+year!));
  if (now) {
    add(RELATIVE, ([, which, count, unit]) => relative(now, fold(which!), count, fold(unit!)));
    add(AGO, ([, count, unit]) => ago(now, numberOf(fold(count!)), fold(unit!)));
    add(YESTERDAY, ([, before]) => (before ? days(now, 2, 1) : days(now, 1, 0)));
    add(WEEKDAY, ([, name]) => weekday(now, WEEKDAYS.indexOf(fold(name!)), 1));
    add(WEEKEND, () => weekday(now, WEEKDAYS.indexOf('saturday'), 2));
    add(THIS_MONTH, ([name]) =>
      /^(?:march|may)$/.test(name) ? undefined : latestMonth(monthNumber(name), now),
    );
  }
  return found.sort((a, b) => a.start - b.start);
}

type Ends = Pick<Period, 'from' | 'until'> & { readonly isPlain?: boolean };

const pad = (n: number) => String(n).padStart(2, '0');
const monthText = (year: number, month: number) => `${year}-${pad(month)}`;
const dayText = (time: Date) => time.toISOString().slice(0, 10);

function monthNumber(name: string): number {
  return MONTHS.findIndex((month) => month.startsWith(fold(name).slice(0, 3))) + 1;
}

function yearOf(year: number): Ends {
  return { from: String(year), until: String(year + 1) };
}

function monthOf(year: number, month: number): Ends {
  return {
    from: monthText(year, month),
    until: month === 12 ? String(year + 1) : monthText(year, month + 1),
  };
}

function quarterOf(year: number, quarter: number): Ends {
  return { from: monthText(year, quarter * 3 - 2), until: monthOf(year, quarter * 3).until };
}

function dayOf(year: number, month: number, day: number): Ends | undefined {
  const time = new Date(Date.UTC(year, month - 1, day));
  if (time.getUTCDate() !== day) return undefined;
  return { from: dayText(time), until: dayText(new Date(Date.UTC(year, month - 1, day + 1))) };
}

/** The most recent month with this number that has begun. */
function latestMonth(month: number, now: Date): Ends {
  const year = now.getUTCFullYear() - (month > now.getUTCMonth() + 1 ? 1 : 0);
  return { ...monthOf(year, month), isPlain: false };
}

/** The days from `back` days ago (inclusive) to `until` days ago (exclusive). */
function days(now: Date, back: number, until: number): Ends {
  const at = (ago: number) =>
    dayText(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - ago)));
  return { from: at(back), until: at(until) };
}

/** The latest `count` days that start on weekday `day` and end before today. */
function weekday(now: Date, day: number, count: number): Ends {
  const back = ((now.getUTCDay() - day - count + 7) % 7) + count;
  return days(now, back, back - count);
}

function numberOf(count: string): number {
  return /^an?$/.test(count) ? 1 : NUMBERS.includes(count) ? NUMBERS.indexOf(count) + 1 : +count;
}

/** "3 days ago" is that day, "two weeks ago" the seven days around that day, "a month ago" that calendar month. */
function ago(now: Date, count: number, unit: string): Ends {
  if (unit === 'day') return days(now, count, count - 1);
  if (unit === 'week') return days(now, count * DAYS.week + 3, count * DAYS.week - 4);
  if (unit === 'year') return yearOf(now.getUTCFullYear() - count);
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - count, 1));
  return monthOf(month.getUTCFullYear(), month.getUTCMonth() + 1);
}

const DAYS = { day: 1, week: 7 } as const;

/** "last month" is the previous calendar month; "the last 3 months" end today. */
function relative(now: Date, which: string, count: string | undefined, unit: string): Ends | undefined {
  const year = now.getUTCFullYear();
  const month = now.getUTCMonth() + 1;
  const isThis = which === 'this' || which === 'current';
  const length = count === undefined ? 1 : +count;
  if (isThis && count !== undefined) return undefined;
  if (unit === 'day' || unit === 'week') return days(now, length * DAYS[unit], -1);
  if (count !== undefined) {
    const months = length * { month: 1, quarter: 3, year: 12 }[unit as 'month' | 'quarter' | 'year'];
    const from = new Date(Date.UTC(year, month - 1 - months, now.getUTCDate()));
    return { from: dayText(from), until: days(now, 0, -1).until };
  }
  const back = isThis ? 0 : 1;
  if (unit === 'year') return yearOf(year - back);
  const step = unit === 'month' ? 1 : 3;
  const firstMonth = month - 1 - ((month - 1) % step) - back * step;
  const first = new Date(Date.UTC(year, firstMonth, 1));
  return unit === 'month'
    ? monthOf(first.getUTCFullYear(), first.getUTCMonth() + 1)
    : quarterOf(first.getUTCFullYear(), first.getUTCMonth() / 3 + 1);
}
