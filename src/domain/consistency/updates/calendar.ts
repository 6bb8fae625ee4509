import { fold } from '../../text/tokens.ts';

/** A value in a sentence, with the UTF-16 offsets of its words. */
export interface Value {
  /** Values are compared only if their keys are equal, such as the unit of a quantity. */
  readonly key: string;
  /** Equal for values that say the same. */
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** Languages of the names of months and weekdays, from the runtime's CLDR data. */
const LANGUAGES = 'en de fr es pt it nl pl tr ru uk sv da nb cs fi'.split(' ');

const months = new Map<string, number>();
const weekdays = new Map<string, number>();
for (const language of LANGUAGES)
  for (let index = 0; index < 12; index++) {
    const date = new Date(Date.UTC(2023, index, index + 1));
    for (const style of [{ month: 'long' }, { day: 'numeric', month: 'long' }] as const) {
      const parts = new Intl.DateTimeFormat(language, { ...style, timeZone: 'UTC' }).formatToParts(date);
      const name = parts.find(({ type }) => type === 'month')?.value;
      if (name !== undefined) months.set(fold(name), index + 1);
    }
    const weekday = new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' }).format(date);
    weekdays.set(fold(weekday), index % 7);
  }
for (const [index, name] of 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ').entries())
  months.set(name, index + 1);
months.set('sept', 9);
/** 1 January 2023 was a Sunday. Short English names are only read with a capital. */
const SHORT_WEEKDAYS = 'Sun Mon Tue Wed Thu Fri Sat'.split(' ');
const CJK_WEEKDAYS = '日月火水木金土';

const ISO = /(?<![\d-])((?:19|20)\d\d)[-/](0?[1-9]|1[0-2])[-/](0?[1-9]|[12]\d|3[01])(?![\d-])/g;
const DOTTED = /(?<![\d.])(0?[1-9]|[12]\d|3[01])\.(0?[1-9]|1[0-2])\.((?:19|20)?\d\d)(?![\d.])/g;
const MONTH_YEAR = /(?<![\d./-])(0[1-9]|1[0-2])\/((?:19|20)\d\d)(?![\d/-])/g;
const CJK_DATE = /(?<!\d)(1[0-2]|0?[1-9])月(3[01]|[12]\d|0?[1-9])日/g;
const CJK_WEEKDAY = /([日月火水木金土])曜|(?:星期|周|週)([一二三四五六日天])/g;
const DAY_NAME =
  /(?<![\p{N}.,:])(\d{1,2})(?:st|nd|rd|th|er|º|ª|\.)?\s+(?:(?:of|de|d'|di)\s+)?(\p{L}{3,14})\.?(?:,?\s+(?:de\s+)?((?:19|20)\d\d))?(?!\p{L})/gu;
const NAME_DAY =
  /(?<!\p{L})(\p{L}{3,14})\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?:,?\s+((?:19|20)\d\d))?(?![\p{N}:.,%]*\p{N}|[\p{L}%]|\s*[%$€£])/gu;
const NAME_YEAR = /(?<!\p{L})(\p{L}{3,14})\.?\s+(?:de\s+)?((?:19|20)\d\d)(?!\p{N})/gu;
const CLOCK = /(?<![\p{N}:.-])([01]?\d|2[0-3])(?::|h(?=\d))([0-5]\d)(?![\p{N}:])(?:\s*([ap])\.?m\b\.?)?/giu;
const HOUR = /(?<![\p{N}:.,-])([01]?\d|2[0-4])\s*(?:([ap])\.?m\b\.?|Uhr\b|o'clock\b)/giu;
const WORD = /\p{L}+(?:-\p{L}+)?/gu;

/** The weekdays, dates and times of day in a sentence, in several languages. Sorted by key; no two overlap. */
export function calendarValues(text: string): Value[] {
  const found: Value[] = [];
  const add = (key: string, value: string, start: number, length: number) => {
    const end = start + length;
    if (!found.some((other) => start < other.end && end > other.start))
      found.push({ key, value, start, end });
  };
  const each = (pattern: RegExp, read: (match: RegExpExecArray) => void) => {
    for (const match of text.matchAll(pattern)) read(match);
  };
  each(ISO, ({ 0: all, 1: year, 2: month, 3: day, index }) =>
    add('date', dateOf(month, day, year), index, all.length),
  );
  each(DOTTED, ({ 0: all, 1: day, 2: month, 3: year, index }) =>
    add('date', dateOf(month, day, year), index, all.length),
  );
  each(CJK_DATE, ({ 0: all, 1: month, 2: day, index }) => add('date', dateOf(month, day), index, all.length));
  each(MONTH_YEAR, ({ 0: all, 1: month, 2: year, index }) =>
    add('month', `${Number(month)} ${year}`, index, all.length),
  );
  each(DAY_NAME, ({ 0: all, 1: day, 2: name, 3: year, index }) => {
    const month = months.get(fold(name!));
    if (month !== undefined && Number(day) <= 31) add('date', dateOf(month, day, year), index, all.length);
  });
  each(NAME_DAY, ({ 0: all, 1: name, 2: day, 3: year, index }) => {
    const month = months.get(fold(name!));
    if (month !== undefined && Number(day) <= 31) add('date', dateOf(month, day, year), index, all.length);
  });
  each(NAME_YEAR, ({ 0: all, 1: name, 2: year, index }) => {
    const month = months.get(fold(name!));
    if (month !== undefined) add('month', `${month} ${year}`, index, all.length);
  });
  each(CLOCK, ({ 0: all, 1: hour, 2: minute, 3: half, index }) =>
    add('time', timeOf(hour, minute, half), index, all.length),
  );
  each(HOUR, ({ 0: all, 1: hour, 2: half, index }) =>
    add('time', timeOf(hour, '0', half), index, all.length),
  );
  each(CJK_WEEKDAY, ({ 0: all, 1: japanese, 2: chinese, index }) => {
    const day = japanese
      ? CJK_WEEKDAYS.indexOf(japanese)
      : '日一二三四五六'.indexOf(chinese!.replace('天', '日'));
    add('weekday', String(day), index, all.length);
  });
  each(WORD, ({ 0: word, index }) => {
    const short = SHORT_WEEKDAYS.indexOf(word.replace(/(?<=^(?:Tue|Thu))(?:s|rs?)$/, ''));
    const folded = fold(word);
    const day = short === -1 ? (weekdays.get(folded) ?? weekdays.get(folded.replace(/s$/, ''))) : short;
    if (day !== undefined) add('weekday', String(day), index, word.length);
  });
  return found;
}

function dateOf(month: unknown, day: unknown, year?: string): string {
  const full = year === undefined ? '' : `${year.length === 2 ? '20' : ''}${year}`;
  return `${Number(month)}-${Number(day)}-${full}`;
}

function timeOf(hour: string | undefined, minute: string | undefined, half: string | undefined): string {
  const base = Number(hour) % (half === undefined ? 24 : 12);
  return String((base + (half?.toLowerCase() === 'p' ? 12 : 0)) * 60 + Number(minute));
}

/** Whether two values of one key say the same. Dates can say the same even if only one of them names the year. */
export function saysTheSame(left: Value, right: Value): boolean {
  if (left.value === right.value) return true;
  if (left.key !== 'date') return false;
  const [own, other] = [left.value.split('-'), right.value.split('-')];
  return own[0] === other[0] && own[1] === other[1] && (own[2] === '' || other[2] === '');
}
