import { findPeriods } from '../../text/periods.ts';
import { stem } from '../../text/porter2.ts';
import { fold } from '../../text/tokens.ts';
import type { Question, Span } from './question.ts';

/** A number as a question writes it, with all that belongs to it: "18,000", "-0.5", "1e6", "18k", "2.5 million", "30 %". */
export interface WrittenNumber extends Span {
  /** Undefined if the meaning is not clear: "12,5", "10-20", "10^6". */
  readonly value: number | undefined;
  /** The unit, if one is written; it must be the unit of the field. */
  readonly unit?: string;
  /** Whether it is a word of digits, perhaps with decimals. */
  readonly isPlain: boolean;
  /** Whether it is one whole word of the question, so that no other rule can read a part of it. */
  readonly isWord: boolean;
}

const SPACE = '[ \\u00a0\\u2009\\u202f]';
/** Digits and what separates them. A space separates groups of three only. */
const DIGITS = `\\d+(?:(?:[.,'’_]|${SPACE}(?=\\d{3}(?!\\d)))\\d+)*`;
const NUMBER = new RegExp(
  [
    // Not inside a word, a name such as KEP-5, or a reference such as #5.
    '(?<![\\p{L}\\p{N}#@_+−–-])(?<![\\p{L}\\p{N}][-–/:.,]{1,2})',
    '(?<sign>[-−–+])?(?<currency>[$€£¥])?',
    `(?<digits>${DIGITS}|\\.\\d+)`,
    '(?<exponent>e[+-]?\\d+(?![\\p{L}\\p{N}]))?',
    '(?<suffix>[%‰]|[\\p{L}°µ][\\p{L}\\p{N}°µ]*)?',
    // "10-20", "10:30", "1/2", "10^6", "5+" and "5 1/2" are not single numbers.
    `(?<more>(?:[-–/:^*×]|\\.{2,3})\\d|\\+|${SPACE}\\d+/\\d|${SPACE}and${SPACE}a${SPACE}half)?`,
  ].join(''),
  'giu',
);

const FACTORS: Readonly<Record<string, number>> = {
  k: 1e3,
  K: 1e3,
  thousand: 1e3,
  M: 1e6,
  mn: 1e6,
  mio: 1e6,
  million: 1e6,
  bn: 1e9,
  billion: 1e9,
  trillion: 1e12,
};
const LONGEST_WORD = 20;
/** Units that a field without a unit in its name is taken to have. */
const PLAIN_UNITS = new Set('usd eur gbp chf jpy dollar euro pound byte point item'.split(' '));
/** Units by what field names call them. */
const UNITS: readonly (readonly string[])[] = [
  '% ‰ percent percentag pct',
  'ms milli millisecond',
  's sec second',
  'm min minut meter metr',
  'h hr hour',
  'd day',
  'week',
  'month',
  'year yr',
  'kb kib kilobyt',
  'mb mib megabyt',
  'gb gib gigabyt',
  'tb tib terabyt',
  'g gram',
  'kg kilo kilogram',
  'mg',
  'km kilomet kilometr',
  'cm',
  'mm',
  'mile mi',
  'l liter litr',
  'ml',
].map((names) => names.split(' '));

/** The numbers of a question, in order, without dates, versions and parts of names. */
export function numbersIn(question: Question, now?: Date): WrittenNumber[] {
  const { text, tokens } = question;
  const dates = findPeriods(text, now);
  let at = 0;
  return [...text.matchAll(NUMBER)].flatMap((match): WrittenNumber[] => {
    const [start, end] = [match.index, match.index + match[0].length];
    while (at < tokens.length && tokens[at]!.end <= start) at++;
    const from = at;
    let to = from;
    while (to < tokens.length && tokens[to]!.start < end) to++;
    const found = to > from && read(match, question, { from, to });
    if (!found) return [];
    const isWord = to === from + 1 && tokens[from]!.start === start && tokens[from]!.end === end;
    const number = { ...found, isWord };
    const isDate = dates.some((date) => start < date.end && end > date.start);
    return isDate && !number.isPlain ? [] : [number];
  });
}

function read(
  match: RegExpExecArray,
  question: Question,
  { from, to }: Span,
): Omit<WrittenNumber, 'isWord'> | undefined {
  const { sign, currency, digits = '', exponent, suffix = '', more } = match.groups ?? {};
  if (/^(?:st|nd|rd|th|s)$/i.test(suffix) || isNoNumber(digits)) return undefined;
  const isPlain = !sign && !currency && !exponent && !suffix && !more && /^\d+(?:\.\d+)?$/.test(digits);
  const size = sizeOf(digits);
  const isSpacedMinus = !sign && /[-−–]\s+$/.test(question.text.slice(0, match.index));
  if (size === undefined || more || sign === '–' || isSpacedMinus)
    return { from, to, value: undefined, isPlain: isPlain && !isSpacedMinus };
  const power = exponent ? 10 ** Number(exponent.slice(1)) : 1;
  const value = (sign === '-' || sign === '−' ? -1 : 1) * size * power;
  const next = suffix === '' ? wordAfter(question, match.index + match[0].length) : suffix;
  const last = suffix === '' && next !== '' ? to + 1 : to;
  const factor = FACTORS[next] ?? FACTORS[fold(next)];
  if (factor !== undefined) return { from, to: last, value: value * factor, isPlain: false };
  const unit = unitOf(next);
  if (unit !== undefined) return { from, to: last, value, unit, isPlain };
  if (suffix !== '') return { from, to, value: undefined, isPlain: false };
  return { from, to, value, isPlain };
}

/** Versions, addresses and lists: "1.2.3", "1,2,3", "1.27,1.28". */
function isNoNumber(digits: string): boolean {
  if (/^\d+(?:\.\d+){2,}$/.test(digits)) return true;
  const parts = digits.split(',');
  const isGrouped = parts.slice(1).every((part) => /^\d{3}(?:\.\d+)?$/.test(part));
  return (
    parts.length > 1 &&
    !isGrouped &&
    !isIndian(digits) &&
    !isContinental(digits) &&
    parts.length + digits.split('.').length > 3
  );
}

const isIndian = (digits: string) => /^\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?$/.test(digits);
/** "12.450,00". */
const isContinental = (digits: string) => /^\d{1,3}(?:\.\d{3})+,\d+$/.test(digits);

/** The number that digits with separators stand for; undefined if it is not clear. */
function sizeOf(digits: string): number | undefined {
  if (isContinental(digits)) return Number(digits.replaceAll('.', '').replace(',', '.'));
  const isGrouped = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(digits) || isIndian(digits);
  if (isGrouped) return Number(digits.replaceAll(',', ''));
  const spaced = new RegExp(`^\\d{1,3}(?:(['’_]|${SPACE})\\d{3})(?:\\1\\d{3})*(?:[.,]\\d+)?$`).test(digits);
  if (spaced) return Number(digits.replaceAll(new RegExp(`['’_]|${SPACE}`, 'g'), '').replace(',', '.'));
  return /^(?:\d+(?:\.\d+)?|\.\d+)$/.test(digits) ? Number(digits) : undefined;
}

/** The word right after a number, as it is written; also a percent sign. */
function wordAfter({ text }: Question, end: number): string {
  return /^\s([%‰]|\p{L}+)/u.exec(text.slice(end, end + LONGEST_WORD))?.[1] ?? '';
}

function unitOf(word: string): string | undefined {
  const [folded, stemmed] = [fold(word), stem(fold(word))];
  if (PLAIN_UNITS.has(folded) || PLAIN_UNITS.has(stemmed)) return '';
  const unit = UNITS.find((names) => names.includes(folded) || names.includes(stemmed));
  return unit?.[0];
}

/** Whether a field with these words in its name holds numbers of a unit. */
export function isInUnit(unit: string | undefined, names: ReadonlySet<string>): boolean {
  if (unit === undefined || unit === '') return true;
  return UNITS.find(([first]) => first === unit)!.some((name) => names.has(name));
}
