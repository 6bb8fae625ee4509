import { fold } from '../tokens.ts';
import { NUMBER_WORDS } from '../written-numbers.ts';
import type { Unit } from './calendar.ts';

/** Sources of regular expressions for the parts of a time, to be used with the flag `i`. */

const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
);
const WEEKDAYS = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ');
const UNITS: readonly Unit[] = ['minute', 'hour', 'day', 'week', 'fortnight', 'month', 'quarter', 'year'];
const SHORT_UNITS: Readonly<Record<string, Unit>> = {
  min: 'minute',
  h: 'hour',
  hr: 'hour',
  d: 'day',
  w: 'week',
  wk: 'week',
  mo: 'month',
  y: 'year',
  yr: 'year',
};
const ORDINALS = 'first second third fourth'.split(' ');

export const MONTH = `(?:${MONTHS.join('|')}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\\b\\.?`;
export const FULL_MONTH = `(?:${MONTHS.join('|')})`;
/** Without the flag `i` they count only if capitalized: three letters also begin other words and names. */
export const SHORT_MONTH = '(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)';
export const SHORT_WEEKDAY = '(?:Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)';
export const YEAR = '(?:19|20)\\d\\d';
/** Also "'26". */
export const ANY_YEAR = `(?:${YEAR}|['’]\\d\\d)`;
export const WEEKDAY = `(?:${WEEKDAYS.join('|')})`;
export const ORDINAL = '(?:st|nd|rd|th)';
export const UNIT = '(?:minute|hour|day|week|fortnight|month|quarter|year)';
/** Beside a count: "24h", "7d", "30 min". */
export const SHORT_UNIT = '(?:mins?|h|hrs?|d|w|wks?|mos?|y|yrs?)';
/** A count of units, but not the decimals of "2.5 weeks". */
export const COUNT = `(?<![\\d.,:/-])(?:\\d{1,3}|an?|${NUMBER_WORDS.slice(1).join('|')}|(?:a\\s+)?couple(?:\\s+of)?)`;
export function monthOf(name: string): number {
  return MONTHS.findIndex((month) => month.startsWith(fold(name).slice(0, 3))) + 1;
}

/** 0 is Sunday. */
export function weekdayOf(name: string): number {
  return WEEKDAYS.findIndex((weekday) => weekday.startsWith(fold(name).slice(0, 3)));
}

/** Full year of "2026" or "'26". */
export function yearOf(text: string): number {
  return text.length === 4 ? Number(text) : 2000 + Number(text.slice(1));
}

export function countOf(text: string): number {
  const word = fold(text);
  if (word.includes('couple')) return 2;
  if (/^an?$/.test(word)) return 1;
  return NUMBER_WORDS.includes(word) ? NUMBER_WORDS.indexOf(word) : Number(word);
}

/** "3", "3rd" and "third". */
export function ordinalOf(text: string): number {
  const word = fold(text);
  return ORDINALS.includes(word) ? ORDINALS.indexOf(word) + 1 : Number.parseInt(word, 10);
}

/** "week", "weeks" and "w". */
export function unitOf(text: string): Unit {
  const word = fold(text);
  return UNITS.find((unit) => word.startsWith(unit)) ?? SHORT_UNITS[word.replace(/s$/, '')]!;
}

/** "May" and "March" in lower case are ordinary words unless the words around say otherwise. */
export function isOrdinaryWord(name: string): boolean {
  return /^(?:march|may|mar)$/.test(name);
}
