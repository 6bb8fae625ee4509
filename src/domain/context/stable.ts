import { askedTimes } from '../ranking/dates.ts';
import { findPeriods } from '../text/periods.ts';

const dayMs = 86_400_000;
/** Longer times, such as a month or a year, often date a lasting fact: "moved to Oslo in March 2024". */
const longestTiedMs = 8 * dayMs;
/** A day of a month, in the languages whose dates `findPeriods` does not read. */
const dayOfMonth =
  /(?<!\p{N})\d{1,2}\.? (?:de |di |d['’])?(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|sep?tiembre|octubre|noviembre|diciembre|janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|novembre|dicembre|janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|novembro|dezembro|januari|februari|maart|april|mei|juni|juli|augustus|september|oktober|november|december|Januar|Februar|März|Dezember)(?!\p{L})/iu;
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
  if (dayOfMonth.test(text)) return true;
  return findPeriods(text, now).some(
    ({ from, until, start, end }) =>
      Date.parse(until) - Date.parse(from) <= longestTiedMs &&
      !since.some((range) => range.start <= start && end <= range.end),
  );
}
