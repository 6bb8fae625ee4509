import { boundAt, rangeOf, type Ordering } from './comparators.ts';
import { allOf, test } from '../../build-filter.ts';
import { stanceOf } from './negation.ts';
import { heldTogether, isLower } from './paired-bounds.ts';
import type { Span } from './question.ts';
import type { Reading, Reach } from './reading.ts';

/** A bound or range of numbers, and the field that is named right beside it. */
interface Quantity {
  readonly span: Span;
  readonly field: string;
  readonly limits: readonly Limit[];
  readonly ordering?: Ordering;
}

type Limit = readonly [ordering: Ordering, number: number];

/** Reads bounds on fields of numbers: "priority above 30", "at least 5 points", "between 20 and 40 pages". */
export function readQuantities(reading: Reading): void {
  if (!reading.fields.some(({ kind }) => kind === 'number')) return;
  for (const group of heldTogether(reading, quantitiesIn(reading), isRange)) addCondition(reading, group);
}

function quantitiesIn(reading: Reading): Quantity[] {
  const found: Quantity[] = [];
  for (let from = 0; from < reading.question.tokens.length; from++) {
    const bounded = isNumber(reading, from) ? boundedAt(reading, from) : undefined;
    const field =
      bounded && (fieldBeside(reading, bounded.span) ?? fieldBefore(reading, bounded.span, found.at(-1)));
    if (!bounded || field === undefined) continue;
    reading.read(bounded.span);
    from = bounded.span.to - 1;
    if (isMeant(reading, bounded.span, field)) found.push({ ...bounded, field });
  }
  return found;
}

function boundedAt(reading: Reading, from: number): Omit<Quantity, 'field'> | undefined {
  const span = { from, to: from + 1 };
  const number = Number(reading.word(from));
  const range = rangeOf(reading, span);
  if (range && isNumber(reading, range.to)) {
    if (isYear(reading, from) && isYear(reading, range.to)) return undefined;
    const limits: Limit[] = [
      ['gte', number],
      ['lte', Number(reading.word(range.to))],
    ];
    return { span: { from: range.from, to: range.to + 1 }, limits };
  }
  const bound = boundAt(reading, span, 'quantity');
  if (isYear(reading, from) && OVER_TIME.has(reading.word(from - 1))) return undefined;
  return bound && { span: bound.span, limits: [[bound.ordering, number]], ordering: bound.ordering };
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
      ({ field, kind }) => kind === 'number' && reading.naming(field, { from: start, to }, reach) > 0,
    );
  return (named(BEFORE) ?? (HAVING.has(reading.word(from - 1)) ? named(AFTER) : undefined))?.field;
}

/** The field of the previous number, for "priority above 20 and below 40", which names it once. */
function fieldBefore(reading: Reading, { from }: Span, last: Quantity | undefined): string | undefined {
  const words = last && from - last.span.to;
  const isNext = words === 0 || (words === 1 && ['and', 'or', 'but'].includes(reading.word(from - 1)));
  return isNext ? last?.field : undefined;
}

/** Whether a bound makes a condition. A field with digits stored as texts cannot be compared: texts do not sort as numbers. */
function isMeant(reading: Reading, span: Span, field: string): boolean {
  const isText = reading.valuesOf(field).some(({ value }) => typeof value !== 'number');
  return !isText && stanceOf(reading, span, { kind: field }) === 'wanted';
}

function isRange(one: Quantity, other: Quantity): boolean {
  const [lower, upper] = isLower(one.ordering!) ? [one, other] : [other, one];
  return one.field === other.field && lower.limits[0]![1] < upper.limits[0]![1];
}

/** `quantities`: one, or two bounds that must both apply. */
function addCondition(reading: Reading, quantities: readonly Quantity[]): void {
  const { field } = quantities[0]!;
  const limits = quantities.flatMap((quantity) => quantity.limits);
  const said = reading.sayTogether(
    field,
    quantities.map(({ span }) => span),
  );
  reading.conditions.push({
    ...said,
    filter: allOf(limits.map(([ordering, number]) => test(field, ordering, number))),
    isSure: true,
  });
}

/** Whether a word is a plain number: not a version with a `v`, and not joined to a word by a sign, as in a name. */
function isNumber(reading: Reading, index: number): boolean {
  const token = reading.question.tokens[index];
  return (
    token !== undefined &&
    reading.isFree({ from: index, to: index + 1 }) &&
    /^\d+(?:\.\d+)?$/.test(token.word) &&
    /^\d/.test(reading.question.text.slice(token.start)) &&
    !/[-#]$/.test(reading.between(index - 1))
  );
}
