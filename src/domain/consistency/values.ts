const NUMBERS: ReadonlyMap<string, string> = new Map([
  ...'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'
    .split(' ')
    .map((word, value) => [word, `${value}`] as const),
  ...'twenty thirty forty fifty sixty seventy eighty ninety hundred'
    .split(' ')
    .map((word, index) => [word, `${(index + 2) * 10}`] as const),
]);

/** Whether a word in lower case is a number from zero to nineteen, or a multiple of ten up to a hundred. */
export function isNumberWord(word: string): boolean {
  return NUMBERS.has(word);
}

/** Normalizes numbers for comparison: "thirty", "1,000" and "1.50" become 30, 1000 and 1.5. Other words are unchanged. */
export function plainNumber(word: string): string {
  const digits = NUMBERS.get(word) ?? (/^\d{1,3}(?:,\d{3})+$/.test(word) ? word.replaceAll(',', '') : word);
  return /^\d+\.\d+$/.test(digits) ? String(Number(digits)) : digits;
}

const NUMERAL = /^\d[\d.,:]*\p{L}*$/u;

/** Whether a word starts with a digit, possibly with a unit, or is a percent sign. */
export function isNumeral(word: string): boolean {
  return NUMERAL.test(word) || word === '%';
}

/** Whether two numbers in the same notation differ. Different notations are not compared: "10am" and "10:00" can be the same. */
export function numbersDiffer(left: readonly string[], right: readonly string[]): boolean {
  if (![...left, ...right].every(isNumeral)) return false;
  const shape = (words: readonly string[]) =>
    words.map((word) => word.replaceAll(/\d+(?:\.\d+)?/g, '0')).join(' ');
  return left.length > 0 && shape(left) === shape(right);
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const MONTH =
  /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/;
const WEEKDAY = /^(?:mon|tues|wednes|thurs|fri|satur|sun)day$/;
const DAY = /^([0-3]?\d)(?:st|nd|rd|th)?$/;
const YEAR = /^(?:19|20)\d\d$/;
const ISO = /^((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?$/;

/** Whether a word in lower case can be part of a date. */
export function isDatePart(word: string): boolean {
  return [MONTH, WEEKDAY, DAY, YEAR, ISO].some((form) => form.test(word));
}

/** Whether two dates with the same parts differ. Other dates are not compared: Friday can be the 3rd of May. */
export function datesDiffer(left: readonly string[], right: readonly string[]): boolean {
  const [own, other] = [dateOf(left), dateOf(right)];
  if (!own || !other || own.size !== other.size) return false;
  const parts = [...own.keys()];
  return parts.every((part) => other.has(part)) && parts.some((part) => own.get(part) !== other.get(part));
}

/** The parts of a date by name; undefined if it is not a date. A day alone is just a number. */
function dateOf(words: readonly string[]): ReadonlyMap<string, number | string> | undefined {
  const parts = new Map<string, number | string>();
  for (const word of words)
    for (const [part, value] of partsOf(word)) {
      if (parts.has(part)) return undefined;
      parts.set(part, value);
    }
  return parts.size === 0 || (parts.size === 1 && parts.has('day')) || parts.has('none') ? undefined : parts;
}

function partsOf(word: string): (readonly [string, number | string])[] {
  const iso = ISO.exec(word);
  if (iso)
    return ['year', 'month', 'day'].flatMap((part, index) =>
      iso[index + 1] === undefined ? [] : [[part, Number(iso[index + 1])] as const],
    );
  if (WEEKDAY.test(word)) return [['weekday', word]];
  if (MONTH.test(word)) return [['month', MONTHS.indexOf(word.slice(0, 3)) + 1]];
  if (YEAR.test(word)) return [['year', Number(word)]];
  const day = DAY.exec(word);
  return day ? [['day', Number(day[1])]] : [['none', word]];
}
