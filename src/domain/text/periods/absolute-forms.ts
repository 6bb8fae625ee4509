import { daysOf, halfOf, isoWeek, latestDays, monthsOf, quarterOf, yearsOf, type Ends } from './calendar.ts';
import { form, type Form, type FormMatch } from './form.ts';
import {
  ANY_YEAR,
  isOrdinaryWord,
  MONTH,
  monthOf,
  ordinalOf,
  ORDINAL,
  SHORT_WEEKDAY,
  WEEKDAY,
  YEAR,
  yearOf,
} from './words.ts';

const DAY = `(?<day>\\d{1,2})(?:${ORDINAL})?`;
/** "March 7-9", "7 to 9 March". */
const LAST_DAY = `(?:\\s*(?:[-–]|to|through|until|till)\\s*(?<last>\\d{1,2})(?:${ORDINAL})?)?`;
const NAMED_DAY = `\\b(?:(?:on\\s+)?(?:${WEEKDAY}|${SHORT_WEEKDAY}\\.?),?\\s+(?:the\\s+)?)?`;
const MONTH_NAME = `(?<month>${MONTH})`;
const ONE_YEAR = `(?<year>${ANY_YEAR})\\b`;
/** What follows a day that is a number of something else: "May 5.5", "7 March 10:30" keeps its day. */
const NO_NUMBER = '(?![\\d%]|[.,:/-]\\d)';

const dayNumbers = (group: (name: string) => string): [day: number, last: number] => {
  const day = Number(group('day'));
  return [day, Number(group('last') || day)];
};

/** Forms that name a year, or a day of a month. A form that contains another one comes first. */
export const absoluteForms: readonly Form[] = [
  form(
    `\\b(?<year>${YEAR})-(?<month>0[1-9]|1[0-2])(?:-(?<day>0[1-9]|[12]\\d|3[01]))?(?:[T ]\\d\\d:\\d\\d[\\d:.]*(?:Z|[+-]\\d\\d:?\\d\\d)?)?(?![\\d-])`,
    ({ group, has }) =>
      has('day')
        ? daysOf(+group('year'), +group('month'), +group('day'))
        : monthsOf(+group('year'), +group('month')),
  ),
  form(
    `\\b(?<year>${YEAR})/(?<month>\\d{1,2})/(?<day>\\d{1,2})\\b(?![/-])`,
    ({ group }) => daysOf(+group('year'), +group('month'), +group('day')) ?? 'none',
  ),
  // Dots put the day first wherever they are used. Slashes and hyphens are read only if they leave no choice.
  form(
    `(?<![\\d.])(?<day>\\d{1,2})\\. ?(?<month>\\d{1,2})\\. ?(?<year>${YEAR})\\b(?!\\.?\\d)`,
    ({ group }) => daysOf(+group('year'), +group('month'), +group('day')) ?? 'none',
  ),
  form(`(?<![\\d/.-])(?<one>\\d{1,2})([/-])(?<two>\\d{1,2})\\2(?<year>${YEAR})\\b(?![/-])`, ({ group }) => {
    const [one, two, year] = [+group('one'), +group('two'), +group('year')];
    const dayFirst = daysOf(year, two, one);
    const monthFirst = one === two ? undefined : daysOf(year, one, two);
    return dayFirst && monthFirst ? 'none' : (dayFirst ?? monthFirst ?? 'none');
  }),
  form(
    `${NAMED_DAY}\\b${DAY}${LAST_DAY}(?:\\s+(?:of\\s+)?|[-/])${MONTH_NAME}(?:,?\\s+|[-/])${ONE_YEAR}`,
    ({ group }) => daysOf(yearOf(group('year')), monthOf(group('month')), ...dayNumbers(group)),
  ),
  form(
    `${NAMED_DAY}\\b${MONTH_NAME}(?:\\s+(?:the\\s+)?|-)${DAY}${LAST_DAY}(?:,?\\s+(?:of\\s+)?|-)${ONE_YEAR}`,
    ({ group }) => daysOf(yearOf(group('year')), monthOf(group('month')), ...dayNumbers(group)),
  ),
  form(`\\b(?<year>${YEAR})[ -]${MONTH_NAME}[ -]${DAY}(?!\\d)`, ({ group }) =>
    daysOf(+group('year'), monthOf(group('month')), +group('day')),
  ),
  form(
    `\\b${MONTH_NAME}\\s*(?:[-–/]|to|through|until|till)\\s*(?<end>${MONTH}),?\\s+(?:of\\s+)?${ONE_YEAR}`,
    ({ group }) => {
      const [first, last] = [monthOf(group('month')), monthOf(group('end'))];
      return first < last ? monthsOf(yearOf(group('year')), first, last - first + 1) : undefined;
    },
  ),
  form(`\\b${MONTH_NAME},?(?:\\s+(?:of\\s+)?|[-/])${ONE_YEAR}`, ({ group }) =>
    monthsOf(yearOf(group('year')), monthOf(group('month'))),
  ),
  form(`\\b(?<year>${YEAR})[ -]${MONTH_NAME}`, ({ group }) =>
    isOrdinaryWord(group('month')) ? undefined : monthsOf(+group('year'), monthOf(group('month'))),
  ),
  form(`(?<![\\w/.-])(?<month>0?[1-9]|1[0-2])/(?<year>${YEAR})\\b(?![/-])`, ({ group }) =>
    monthsOf(+group('year'), +group('month')),
  ),
  form(
    `\\bq(?<quarter>[1-4])(?:\\s*(?:of\\s+)?|[-/])${ONE_YEAR}|\\b(?<yearBefore>${YEAR})[-/ ]?q(?<quarterAfter>[1-4])\\b`,
    ({ group }) =>
      quarterOf(yearOf(group('year') || group('yearBefore')), +(group('quarter') || group('quarterAfter'))),
  ),
  form(
    `\\b(?<which>first|second|third|fourth|1st|2nd|3rd|4th|last)\\s+quarter\\s+(?:of\\s+)?${ONE_YEAR}`,
    ({ group }) =>
      quarterOf(yearOf(group('year')), /^last$/i.test(group('which')) ? 4 : ordinalOf(group('which'))),
  ),
  form(
    `\\bh(?<half>[12])(?:\\s*(?:of\\s+)?|[-/])${ONE_YEAR}|\\b(?<yearBefore>${YEAR})[-/ ]?h(?<halfAfter>[12])\\b`,
    ({ group }) =>
      halfOf(yearOf(group('year') || group('yearBefore')), +(group('half') || group('halfAfter'))),
  ),
  form(`\\b(?<which>first|second|1st|2nd|last)\\s+half\\s+(?:of\\s+)?${ONE_YEAR}`, ({ group }) =>
    halfOf(yearOf(group('year')), /^last$/i.test(group('which')) ? 2 : ordinalOf(group('which'))),
  ),
  form(
    `\\b(?<yearBefore>${YEAR})-?w(?<isoWeek>\\d\\d?)\\b|\\b(?:calendar\\s+)?(?:week|cw|kw|w)\\s*(?<week>\\d\\d?)(?:,?\\s+(?:of\\s+)?|[-/])${ONE_YEAR}`,
    ({ group }) =>
      isoWeek(yearOf(group('year') || group('yearBefore')), +(group('week') || group('isoWeek'))) ?? 'none',
  ),
  // Without a year: the latest such day.
  form(`${NAMED_DAY}\\b${DAY}${LAST_DAY}\\s+(?<of>of\\s+)?${MONTH_NAME}(?!\\s+\\d{1,2}\\b(?!:))`, dayOfMonth),
  form(`${NAMED_DAY}\\b${MONTH_NAME}\\s+(?:the\\s+)?${DAY}${LAST_DAY}\\b${NO_NUMBER}`, dayOfMonth),
  form(`\\b(?<first>${YEAR})\\s*[-–]\\s*(?<last>${YEAR})\\b(?![-.]\\d)`, ({ group }) =>
    +group('first') < +group('last')
      ? { ...yearsOf(+group('first'), +group('last')), isPlain: false }
      : 'none',
  ),
  // "2024/25" may be a season, or a month.
  form(`\\b${YEAR}/\\d{1,2}\\b`, () => 'none'),
  form(`(?<!(?:^|\\D)\\d{1,2}/|\\d[.-])\\b(?<year>${YEAR})\\b(?![-.]\\d)`, ({ group }) => ({
    ...yearsOf(+group('year')),
    isPlain: false,
  })),
];

/** Words before a number that count something: "the top 5 May releases", "in May 20 users". */
const COUNTING = /\b(?:top|first|last|latest|next|best|past|these|those|in)\s+(?:the\s+)?$/i;
const OF_ANOTHER_YEAR = /^,?\s+(?:of\s+)?(?:last|previous|this|next)\s+year\b/i;
const TIME_WORD = /\b(?:on|since|until|till|before|after|from|by|of)\s+(?:the\s+)?$/i;

/** The year of "March 7" in "March 7 and March 9, 2026". */
const LATER_YEAR = new RegExp(
  `^\\s*(?:,|and|or|to|through|until|till|[-–])\\s*(?:the\\s+)?(?:${MONTH}\\s+(?:the\\s+)?\\d{1,2}${ORDINAL}?|\\d{1,2}${ORDINAL}?\\s+(?:of\\s+)?${MONTH}),?\\s+(?<year>${YEAR})\\b`,
  'i',
);

/** A day without a year: of the year that the next day names, or the latest such day. */
function dayOfMonth({ group, has, text, before, after }: FormMatch, now: Date | undefined): Ends | undefined {
  const isOrdinal = has('of') || /\d(?:st|nd|rd|th)/i.test(text);
  const isSure = isOrdinal || /^on\s/i.test(text) || TIME_WORD.test(before);
  const month = group('month');
  if (!isSure && (isOrdinaryWord(month) || COUNTING.test(before))) return undefined;
  if (OF_ANOTHER_YEAR.test(after)) return undefined;
  const [day, last] = dayNumbers(group);
  const year = LATER_YEAR.exec(after)?.groups?.['year'];
  if (year !== undefined) return daysOf(Number(year), monthOf(month), day, last);
  return now && latestDays(monthOf(month), day, now, last);
}
