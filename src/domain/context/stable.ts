import { askedTimes } from '../ranking/dates.ts';
import { findPeriods } from '../text/periods.ts';

const dayMs = 86_400_000;
/** Longer times, such as a month or a year, often date a lasting fact: "moved to Oslo in March 2024". */
const longestTiedMs = 8 * dayMs;
/** Words for days that recur every year. `\b` knows only ASCII letters, so it finds no end of "né". */
const yearly =
  /(?<!\p{L})(?:born|birthdays?|anniversar(?:y|ies)|name day|geboren|Geburtstag|née?|anniversaire|cumpleaños|nací|nacid[ao])(?!\p{L})/iu;

/**
 * Whether a text is about single days ("tomorrow", "on 7 May 2026", "until Friday"), so that it says little about what is true for long.
 * "Since 7 May" does not count, and neither does what happens every week. `time`: when it was said, RFC 3339.
 */
export function isTiedToDays(text: string, time: string): boolean {
  if (yearly.test(text)) return false;
  const now = new Date(time);
  const since = askedTimes(text, now).periods.filter(
    ({ isBounded, until }) => isBounded && until === undefined,
  );
  return findPeriods(text, now).some(
    ({ from, until, start, end }) =>
      Date.parse(until) - Date.parse(from) <= longestTiedMs &&
      !since.some((range) => range.start <= start && end <= range.end),
  );
}
