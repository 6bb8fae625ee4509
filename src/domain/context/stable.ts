import { askedTimes } from '../ranking/dates.ts';
import { findPeriods } from '../text/periods.ts';

const dayMs = 86_400_000;
/** What is said of a longer time, such as a month or a year, may well be true for ever: "moved to Oslo in March 2024". */
const longestTiedMs = 8 * dayMs;
/** Days that come back every year. */
const yearly =
  /\b(?:born|birthdays?|anniversar(?:y|ies)|name day|geboren|Geburtstag|né|née|anniversaire|cumpleaños|nací|nacida?)\b/iu;

/**
 * Whether a text speaks of single days ("tomorrow", "on 7 May 2026", "until Friday"), so that it says little about what is stably true.
 * `time`: when it was said, RFC 3339. What holds since a day is no such thing, and neither is what happens every week.
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
