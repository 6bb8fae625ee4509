import { findPeriods } from '../text/periods.ts';
import { askedRanges, isTime, type AskedRange } from '../text/periods/asked-ranges.ts';
import { FULL_MONTH, monthOf, YEAR } from '../text/periods/words.ts';
import { termCounts } from '../text/tokens.ts';
import { rangeInUtc, wallClock } from '../wall-clock.ts';

/** A month that a question names, perhaps with its year. */
export interface AskedMonth {
  /** 0 is January. */
  readonly month: number;
  readonly year?: number;
}

const ANY_YEAR = new RegExp(`\\b${YEAR}\\b`, 'g');
const NUMERIC = new RegExp(`\\b(${YEAR})-(0[1-9]|1[0-2])(?:-\\d\\d)?\\b`, 'g');
const NAMED = new RegExp(`\\b${FULL_MONTH}\\b`, 'gi');
/** Text between a month and its own year: "May 2023", "May 7th, 2023", "May of 2023". */
const BESIDE = /^(?:\s+\d{1,2}(?:st|nd|rd|th)?)?,?\s+(?:of\s+)?$/i;
/** Text between months that share a year: "May and June 2024", "May/June 2024". */
const JOINED = /^[\s,/&–-]*(?:(?:and|or|to|until|through)\s+)?$/i;

/**
 * The months that a question names: "in June", "on 7 May 2023", "2023-05-07". The year of a month is the one beside it, or beside
 * the month it is joined with; else the last year before it, else the next one after it.
 */
function askedMonths(question: string): WrittenMonth[] {
  const numeric = [...question.matchAll(NUMERIC)].map(({ index, 1: year, 2: month }) => ({
    month: Number(month) - 1,
    year: Number(year),
    index,
  }));
  return [...numeric, ...namedMonths(question)];
}

interface WrittenMonth extends AskedMonth {
  /** UTF-16 offset in the question. */
  readonly index: number;
}

function namedMonths(question: string): WrittenMonth[] {
  const years = [...question.matchAll(ANY_YEAR)].map(({ 0: year, index }) => ({ year: Number(year), index }));
  const begin = question.search(/\S/);
  const names = [...question.matchAll(NAMED)].filter(
    ({ 0: name, index }) => !/^(?:march|may)$/i.test(name) || isCapitalInside(question, index, begin),
  );
  const months: WrittenMonth[] = [];
  let later: { readonly index: number; readonly year: number | undefined } | undefined;
  // Backwards, because a month follows the one it is joined with.
  for (const { 0: name, index } of names.toReversed()) {
    const upTo = (end: number) => question.slice(index + name.length, end);
    const next = years.find((one) => one.index > index);
    const beside = next && BESIDE.test(upTo(next.index)) ? next : undefined;
    const joined = later && JOINED.test(upTo(later.index)) ? later : undefined;
    const { year } = beside ?? joined ?? years.findLast((one) => one.index < index) ?? next ?? {};
    months.unshift({
      month: monthOf(name) - 1,
      ...(year !== undefined && { year }),
      index,
    });
    later = { index, year };
  }
  return months;
}

/** "May" and "March" are months if they are capitalised inside the sentence, after a space. */
function isCapitalInside(question: string, index: number, begin: number): boolean {
  return index > begin && /\s/.test(question[index - 1]!) && /[A-Z]/.test(question[index]!);
}

/** The times that a question asks about. */
export interface AskedTimes {
  readonly months: readonly AskedMonth[];
  /** Days, weeks, months and quarters that it names, and ranges such as "since 7 May". */
  readonly periods: readonly AskedRange[];
  /** Offset of the asker's clock, by which a time belongs to a month, in minutes from UTC; default: 0. */
  readonly utcOffset?: number;
}

const DAY_MS = 86_400_000;
/** "The past week" ends today, and so has eight days. */
const LONGEST_WEEK_MS = 8 * DAY_MS;
/** Years and longer periods say hardly anything about which memory is meant. */
const LONGEST_MS = 92 * DAY_MS;
/** A text with more periods, such as a pasted log, asks about none of them. */
const MOST_PERIODS = 8;

/**
 * @param now What "last week" and "5 days ago" are relative to; without it they are ignored.
 * @param utcOffset Offset of the asker's clock in minutes: a day that the question names is the day of the asker.
 */
export function askedTimes(question: string, now?: Date, utcOffset = 0): AskedTimes {
  const { ranges, excluded } = askedRanges(question, findPeriods(question, now && wallClock(now, utcOffset)));
  const periods = ranges.filter(
    (range) => isTime(question, range) && (range.isBounded || lengthOf(range) <= LONGEST_MS),
  );
  // In "before May 2023" the question is not about May itself, and in "on 7 May 2023" not about the rest of May.
  const apart = [
    ...excluded,
    ...ranges.filter((range) => range.isBounded || lengthOf(range) <= LONGEST_WEEK_MS),
  ];
  /** By UTF-16 unit: whether a month there is not asked about. */
  const isApart = new Uint8Array(question.length);
  for (const { start, end } of apart) isApart.fill(1, start, end);
  const months = askedMonths(question).filter(({ index }) => isApart[index] === 0);
  return {
    months: months.map(({ index: _, ...month }) => month),
    periods: periods.length > MOST_PERIODS ? [] : periods.map((range) => rangeInUtc(range, utcOffset)),
    utcOffset,
  };
}

/**
 * Terms of a question that are only the number of a day, or of how long ago something was. The 7 of "7 May 2023" says nothing by
 * itself about the time of a memory, and means something else in most memories that contain it.
 */
export function numbersOfTimes(question: string, { periods }: AskedTimes): ReadonlySet<string> {
  const named = periods.flatMap(({ start, end }) => [
    ...termCounts(question.slice(start, end)).counts.keys(),
  ]);
  return new Set(named.filter((term) => /^\d{1,3}(?:st|nd|rd|th)?$/.test(term)));
}

export function asksTime({ months, periods }: AskedTimes): boolean {
  return months.length > 0 || periods.length > 0;
}

/**
 * How well an ISO 8601 time fits a question: 2 within a day or week that it names, 1 within a month, a quarter or a longer
 * range, else 0.
 */
export function datedAs(time: string, { months, periods, utcOffset = 0 }: AskedTimes): 0 | 1 | 2 {
  const met = periods.filter(lies(new Date(time)));
  if (met.some((period) => lengthOf(period) <= LONGEST_WEEK_MS)) return 2;
  return met.length > 0 || isOfMonth(wallClock(new Date(time), utcOffset), months) ? 1 : 0;
}

/** Whether a time is in one of the periods. */
export function isWithin(time: Date, { periods }: AskedTimes): boolean {
  return periods.some(lies(time));
}

function lies(time: Date) {
  return ({ from, until }: AskedRange) =>
    (from === undefined || time.getTime() >= Date.parse(from)) &&
    (until === undefined || time.getTime() < Date.parse(until));
}

/** In milliseconds; infinite without one of the bounds. */
function lengthOf({ from, until }: AskedRange): number {
  return from === undefined || until === undefined ? Infinity : Date.parse(until) - Date.parse(from);
}

function isOfMonth(shown: Date, months: readonly AskedMonth[]): boolean {
  return months.some(
    ({ month, year }) =>
      shown.getUTCMonth() === month && (year === undefined || shown.getUTCFullYear() === year),
  );
}
