import { boundAt, rangeOf, type Ordering } from './comparators.ts';
import { allOf, test } from '../../build-filter.ts';
import { asMeant, stanceOf, type Stance } from './negation.ts';
import { isInUnit, numbersIn, type WrittenNumber } from './numbers.ts';
import { pairBounds, isLower } from './paired-bounds.ts';
import type { Span } from './question.ts';
import type { Reading, Reach } from './reading.ts';

/** A number, bound or range of numbers, and the field that is named right beside it. */
interface Quantity {
  readonly span: Span;
  readonly field: string;
  readonly limits: readonly Limit[];
  readonly ordering?: Ordering;
  readonly stance: Stance;
}

type Limit = readonly [ordering: Ordering | 'eq', number: number];

/**
 * Reads bounds on fields of numbers ("priority above 30", "at least 5 points", "between 20 and 40 pages"), and numbers that are more
 * than a word of digits ("size 18,000"). What is not understood of those is marked as read, so that no rule reads a part of it.
 */
export function readQuantities(reading: Reading, now?: Date): void {
  const numbers = numbersIn(reading.question, now);
  if (reading.fields.some(({ kind }) => kind === 'number')) {
    const groups = pairBounds(reading, quantitiesIn(reading, numbers), isRange);
    for (const group of groups) addCondition(reading, group);
  }
  for (const number of numbers)
    if (!number.isPlain && !number.isWord && reading.isFree(number)) reading.markRead(number);
}

function quantitiesIn(reading: Reading, numbers: readonly WrittenNumber[]): Quantity[] {
  const found: Quantity[] = [];
  for (const number of numbers) {
    if (!reading.isFree(number)) continue;
    const bounded = boundedAt(reading, number, numbers);
    const field =
      bounded && (fieldBeside(reading, bounded.span) ?? fieldBefore(reading, bounded.span, found.at(-1)));
    if (!bounded || field === undefined) continue;
    const { isReadable, ...quantity } = bounded;
    const isEqual = quantity.ordering === undefined && quantity.limits.length < 2;
    const isMeant = isReadable && isInUnit(number.unit, reading.nameOf(field));
    // A word of digits that is not compared is left to the known values, if the field has its unit.
    if (isEqual && number.isPlain && isMeant) continue;
    reading.markRead(quantity.span);
    const stance = stanceOf(reading, quantity.span, { kind: field });
    if (isMeant && !isText(reading, field) && stance !== 'unclear' && (isEqual || stance === 'wanted'))
      found.push({ ...quantity, field, stance });
  }
  return found;
}

type Bounded = Omit<Quantity, 'field' | 'stance'> & { readonly isReadable: boolean };

function boundedAt(
  reading: Reading,
  { from, to, value = NaN, isPlain }: WrittenNumber,
  numbers: readonly WrittenNumber[],
): Bounded | undefined {
  const span = { from, to };
  const range = rangeOf(reading, span);
  const upper = range && numbers.find((other) => other.from === range.to);
  if (range && upper && reading.isFree(upper)) {
    if (isPlain && upper.isPlain && isYear(reading, from) && isYear(reading, upper.from)) return undefined;
    const limits: Limit[] = [
      ['gte', value],
      ['lte', upper.value ?? NaN],
    ];
    return { span: { from: range.from, to: upper.to }, limits, isReadable: limits.every(isReadableLimit) };
  }
  const bound = boundAt(reading, span, 'quantity');
  if (isPlain && isYear(reading, from) && OVER_TIME.has(reading.word(from - 1))) return undefined;
  const isReadable = !Number.isNaN(value);
  return bound
    ? { span: bound.span, limits: [[bound.ordering, value]], ordering: bound.ordering, isReadable }
    : { span, limits: [['eq', value]], isReadable };
}

function isReadableLimit([, number]: Limit): boolean {
  return !Number.isNaN(number);
}

/** "over 2024" means a time, as does "between 2020 and 2024". */
const OVER_TIME = new Set(['over', 'under']);

function isYear(reading: Reading, index: number): boolean {
  return /^(?:19|20)\d\d$/.test(reading.word(index));
}

/** Words between the name of a field and its value: "whose priority is". */
const COPULAS = new Set(['is', 'are', 'was', 'were', 'of', 'being', 'be', 'not', 'no']);
const BEFORE: Reach = { before: 1, after: 0 };
const AFTER: Reach = { before: 0, after: 1 };
/** Words before a number that make it a condition: "with at least 5 comments". "show at most 5 comments" limits the answer instead. */
const HAVING = new Set(['with', 'having', 'have', 'has', 'had']);

/** The field named right beside a number; a name farther away may belong to another number. */
function fieldBeside(reading: Reading, { from, to }: Span): string | undefined {
  let start = from;
  while (COPULAS.has(reading.word(start - 1))) start--;
  const named = (reach: Reach) =>
    reading.fields.find(
      ({ field, kind }) => kind === 'number' && reading.nameScore(field, { from: start, to }, reach) > 0,
    );
  return (named(BEFORE) ?? (HAVING.has(reading.word(from - 1)) ? named(AFTER) : undefined))?.field;
}

/** The field of the previous number, for "priority above 20 and below 40", which names it once. */
function fieldBefore(reading: Reading, { from }: Span, last: Quantity | undefined): string | undefined {
  const words = last && from - last.span.to;
  const isNext = words === 0 || (words === 1 && ['and', 'or', 'but'].includes(reading.word(from - 1)));
  return isNext ? last?.field : undefined;
}

/** Whether a field holds numbers stored as texts. They cannot be compared: texts do not sort as numbers. */
function isText(reading: Reading, field: string): boolean {
  return reading.valuesOf(field).some(({ value }) => typeof value !== 'number');
}

function isRange(one: Quantity, other: Quantity): boolean {
  const [lower, upper] = isLower(one.ordering!) ? [one, other] : [other, one];
  return one.field === other.field && lower.limits[0]![1] < upper.limits[0]![1];
}

/** `quantities`: one, or two bounds that must both apply. */
function addCondition(reading: Reading, quantities: readonly Quantity[]): void {
  const { field, stance } = quantities[0]!;
  const limits = quantities.flatMap((quantity) => quantity.limits);
  const said = reading.markTogether(
    field,
    quantities.map(({ span }) => span),
  );
  reading.conditions.push({
    ...said,
    ...asMeant(stance, allOf(limits.map(([ordering, number]) => test(field, ordering, number)))),
    isSure: true,
  });
}
