import {
  dayOfWeek,
  daysFrom,
  daysOf,
  halfOf,
  latestDayOfMonth,
  latestIsoWeek,
  latestMonths,
  latestWeekday,
  monthNumber,
  monthsOf,
  nextWeekday,
  quarterOf,
  runningUnits,
  unitFrom,
  unitsAgo,
  type Ends,
} from './calendar.ts';
import { form, type Form, type FormMatch, type ReadPeriod } from './form.ts';
import {
  COUNT,
  countOf,
  FULL_MONTH,
  isOrdinaryWord,
  MONTH,
  monthOf,
  ORDINAL,
  ordinalOf,
  SHORT_MONTH,
  SHORT_UNIT,
  SHORT_WEEKDAY,
  UNIT,
  unitOf,
  WEEKDAY,
  weekdayOf,
} from './words.ts';

const LAST = '(?:last|past|previous|preceding)';
const THIS = '(?:this|current)';
const NEXT = '(?:next|coming)';
const WHICH = `(?<which>${LAST}|${THIS}|${NEXT})`;
/** The unit after a count. */
const COUNTED = `(?:\\s+(?<unit>${UNIT}s?)|\\s?(?<short>${SHORT_UNIT}))`;
const NTH = '(?<nth>first|second|third|fourth|1st|2nd|3rd|4th)';
const DAY_NAME = `(?<weekday>${WEEKDAY})\\b`;
const SATURDAY = 6;

/** -1, 0 or 1 for "last", "this" and "next". */
function offsetOf(which: string): number {
  if (new RegExp(`^${THIS}$`, 'i').test(which)) return 0;
  return new RegExp(`^${LAST}$`, 'i').test(which) ? -1 : 1;
}

/** A form that can be read only if the time of asking is known. */
function relative(
  source: string,
  read: (match: FormMatch, now: Date) => ReadPeriod | 'none' | undefined,
  flags?: string,
): Form {
  return form(source, (match, now) => (now ? read(match, now) : undefined), flags);
}

/**
 * Forms that depend on the time of asking. A form that contains another one comes first. `\b` before a lookbehind keeps it from reading
 * a run of spaces back from each of them.
 */
export const relativeForms: readonly Form[] = [
  relative('\\b(?:the\\s+)?day\\s+before\\s+yesterday\\b', (_, now) => daysFrom(now, -2, -1)),
  relative('\\b(?:the\\s+)?day\\s+after\\s+tomorrow\\b', (_, now) => daysFrom(now, 2, 3)),
  relative('\\byesterday\\b|\\blast\\s+night\\b', (_, now) => daysFrom(now, -1, 0)),
  relative('\\btomorrow\\b', (_, now) => daysFrom(now, 1, 2)),
  relative('\\bthis\\s+(?:morning|afternoon|evening)\\b|\\btonight\\b', (_, now) => daysFrom(now, 0, 1)),
  // "today" often means the present in general.
  relative('\\btoday\\b', (_, now) => ({ ...daysFrom(now, 0, 1), isPlain: false })),
  relative(`\\b(?:the\\s+)?(?<unit>week|month|quarter|year)\\s+before\\s+last\\b`, ({ group }, now) =>
    unitFrom(now, -2, unitOf(group('unit'))),
  ),
  // "more than 3 weeks ago" names no time by itself.
  relative(
    `(?<vague>\\b(?:(?:more|less|longer|fewer|later|earlier)\\s+than|over|under|half|at\\s+(?:least|most))\\s+)?\\b(?<count>${COUNT})${COUNTED}\\s+ago\\b`,
    ({ group, has }, now) =>
      has('vague') ? 'none' : unitsAgo(now, countOf(group('count')), unitOf(group('unit') || group('short'))),
  ),
  relative(`\\b(?<which>${LAST}|${NEXT})\\s+(?<count>${COUNT})${COUNTED}\\b(?!\\s+of\\b)`, ({ group }, now) =>
    runningUnits(
      now,
      countOf(group('count')),
      unitOf(group('unit') || group('short')),
      offsetOf(group('which')) > 0,
    ),
  ),
  relative(`\\bin\\s+(?<count>${COUNT})${COUNTED}['’]?\\s+time\\b`, ({ group }, now) =>
    unitsAgo(now, -countOf(group('count')), unitOf(group('unit') || group('short'))),
  ),
  relative(
    `\\b(?<month>${MONTH})(?:\\s+(?:the\\s+)?(?<day>\\d{1,2})(?:${ORDINAL})?)?,?\\s+(?:of\\s+)?${WHICH}\\s+year\\b`,
    ({ group, has }, now) => {
      const [year, month] = [now.getUTCFullYear() + offsetOf(group('which')), monthOf(group('month'))];
      return has('day') ? daysOf(year, month, Number(group('day'))) : monthsOf(year, month);
    },
  ),
  relative(
    `\\b(?:q(?<quarter>[1-4])|${NTH}\\s+(?<part>quarter|half)),?\\s+(?:of\\s+)?${WHICH}\\s+year\\b`,
    ({ group }, now) => {
      const year = now.getUTCFullYear() + offsetOf(group('which'));
      const number = Number(group('quarter')) || ordinalOf(group('nth'));
      if (group('part').toLowerCase() !== 'half') return quarterOf(year, number);
      return number <= 2 ? halfOf(year, number) : undefined;
    },
  ),
  // "since the start of the year".
  relative(
    `\\b(?<=\\b(?:beginning|start)\\s+of\\s+)the\\s+(?<unit>week|month|quarter|year)\\b(?!\\s+(?:of|\\d))`,
    ({ group }, now) => unitFrom(now, 0, unitOf(group('unit'))),
  ),
  relative(`\\b${DAY_NAME},?\\s+(?:of\\s+)?${WHICH}\\s+week\\b`, ({ group }, now) =>
    dayOfWeek(now, offsetOf(group('which')), weekdayOf(group('weekday'))),
  ),
  relative(`\\b${WHICH}\\s+week(?:['’]s)?\\s+(?:on\\s+)?${DAY_NAME}`, ({ group }, now) =>
    dayOfWeek(now, offsetOf(group('which')), weekdayOf(group('weekday'))),
  ),
  relative(`\\b${WHICH}\\s+weekend\\b|\\bover\\s+the\\s+weekend\\b`, ({ group, has }, now) =>
    has('which') && offsetOf(group('which')) >= 0
      ? dayOfWeek(now, offsetOf(group('which')), SATURDAY, 2)
      : latestWeekday(now, SATURDAY, 2),
  ),
  // "the last week of August" needs its month.
  relative(`\\b${WHICH}\\s+(?<unit>${UNIT})\\b(?<of>\\s+of\\b)?`, unitNamed),
  relative(
    `\\b(?:from|between)\\s+(?:last\\s+)?(?<first>${WEEKDAY})\\s+(?:to|until|till|through|and)\\s+(?:last\\s+)?(?<weekday>${WEEKDAY})\\b`,
    ({ group }, now) => {
      const { from } = latestWeekday(now, weekdayOf(group('first')));
      const length = (weekdayOf(group('weekday')) - weekdayOf(group('first')) + 7) % 7;
      return daysFrom(new Date(from), 0, length + 1);
    },
  ),
  relative(
    `\\b(?:on\\s+)?(?:${WEEKDAY},?\\s+)?the\\s+(?<day>\\d{1,2})${ORDINAL}(?=\\s*(?:[?.!,;]|$))`,
    (match, now) =>
      /^(?:on|\p{L}+day)/iu.test(match.text) ? latestDayOfMonth(+match.group('day'), now) : undefined,
  ),
  relative(`\\b(?<which>on|${LAST}|${THIS}|${NEXT})\\s+${DAY_NAME}(?!\\s+of\\b)`, weekdayNamed),
  relative(
    `\\b(?<which>[Oo]n|[Ll]ast|[Tt]his|[Nn]ext)\\s+(?<weekday>${SHORT_WEEKDAY})\\b`,
    weekdayNamed,
    'g',
  ),
  relative(`\\b(?<=\\b(?:since|after|before|from)\\s+)${DAY_NAME}`, ({ group }, now) =>
    latestWeekday(now, weekdayOf(group('weekday'))),
  ),
  relative('\\bq(?<quarter>[1-4])\\b', (match, now) => {
    const quarter = Number(match.group('quarter'));
    const first = quarter * 3 - 2;
    return { ...latestMonths(first, now, 3), isPlain: AFTER_TIME_WORD.test(match.before) };
  }),
  relative(`\\b(?:the\\s+)?${NTH}\\s+quarter\\b(?!\\s+of\\b)`, ({ group }, now) => ({
    ...latestMonths(ordinalOf(group('nth')) * 3 - 2, now, 3),
    isPlain: false,
  })),
  relative('\\b(?:calendar\\s+week|cw|kw)\\s*(?<week>\\d{1,2})\\b', ({ group }, now) =>
    latestIsoWeek(Number(group('week')), now),
  ),
  relative(`\\b(?<which>next|coming)\\s+(?<month>${FULL_MONTH})\\b`, ({ group }, now) => {
    const month = monthOf(group('month'));
    return monthsOf(now.getUTCFullYear() + (month <= monthNumber(now) ? 1 : 0), month);
  }),
  relative(`\\b(?<month>${FULL_MONTH})\\b`, ({ group }, now) =>
    isOrdinaryWord(group('month'))
      ? undefined
      : { ...latestMonths(monthOf(group('month')), now), isPlain: false },
  ),
  relative(
    `\\b(?<=\\b(?:[Ii]n|of|[Ss]ince|[Ff]rom|[Uu]ntil|till|[Bb]efore|[Aa]fter|[Dd]uring|this|last)\\s+)(?<month>${SHORT_MONTH})\\b(?!\\s*\\d)`,
    ({ group }, now) => ({ ...latestMonths(monthOf(group('month')), now), isPlain: false }),
    'g',
  ),
];

/** Matches the text before a quarter if a word there shows that it is a time: "in Q3". */
const AFTER_TIME_WORD =
  /\b(?:in|of|for|during|since|from|until|till|before|after|by|this|last|next)\s+(?:the\s+)?$/i;
/** Before "last week": the days up to today instead of the calendar unit. */
const RUNNING = /\b(?:in|over|within|during|for|of|from)\s+the\s+$/i;

/**
 * "last week" is the previous calendar week, "the past week" and "in the last week" are the seven days up to today. Two forms name no
 * time by themselves: "the next week" follows another event, and "the last week of August" needs its month.
 */
function unitNamed({ group, has, before }: FormMatch, now: Date): ReadPeriod | 'none' | undefined {
  const [which, unit] = [group('which'), unitOf(group('unit'))];
  const offset = offsetOf(which);
  if (has('of') || (offset > 0 && /\bthe\s+$/i.test(before))) return 'none';
  if (unit === 'day' && offset >= 0) return undefined;
  const isRunning =
    /^past$/i.test(which) || (/^last$/i.test(which) && RUNNING.test(before) && unit !== 'quarter');
  const hasNoName = unit === 'minute' || unit === 'hour' || unit === 'fortnight' || unit === 'day';
  if (offset < 0 ? isRunning || hasNoName : hasNoName && offset > 0)
    return runningUnits(now, 1, unit, offset > 0);
  return unitFrom(now, offset, unit);
}

function weekdayNamed({ group }: FormMatch, now: Date): Ends {
  const [which, weekday] = [group('which'), weekdayOf(group('weekday'))];
  if (/^on$/i.test(which)) return latestWeekday(now, weekday);
  const offset = offsetOf(which);
  if (offset === 0) return dayOfWeek(now, 0, weekday);
  return offset < 0 ? latestWeekday(now, weekday) : nextWeekday(now, weekday);
}
