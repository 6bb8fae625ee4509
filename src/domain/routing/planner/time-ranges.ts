import { boundAt, isComparison, rangeOf, type Bound, type Ordering } from './comparators.ts';
import { occurredOrCreated, timeFilter, type TimeRange } from '../../build-filter.ts';
import type { Condition } from './conditions.ts';
import { asMeant, isUnderstood, stanceOf, type Stance } from './negation.ts';
import { pairBounds, isLower } from './paired-bounds.ts';
import { written, type Span } from './question.ts';
import { best, type Reading } from './reading.ts';
import { findPeriods, type Period } from '../../text/periods.ts';
import { rangeInUtc } from '../../wall-clock.ts';
import { DURING } from './request-words.ts';

/**
 * Reads times, of the field that the words around name: "since 2019", "in March 2024", "between 2020 and 2022", "last quarter".
 *
 * @param now The time of asking as the asker's clock shows it (`wallClock`).
 * @param utcOffset Offset of that clock in minutes.
 */
export function readTimeRanges(reading: Reading, now?: Date, utcOffset = 0): void {
  if (!reading.fields.some(({ kind }) => kind === 'date')) return;
  const times = timesIn(reading, now).filter(isUnderstood);
  const isRange = (one: Time, other: Time) => isRangeBetween(one, other) && isOfOneField(reading, one, other);
  let last: ConditionWords | undefined;
  for (const group of pairBounds(reading, times, isRange)) {
    last = addCondition(reading, group, { last, utcOffset });
  }
}

/** A period or a bound that the question means as a condition. */
interface Time {
  readonly span: Span;
  readonly limits: TimeRange;
  readonly ordering?: Ordering;
  readonly stance: Stance;
}

const KIND = 'time';

function timesIn(reading: Reading, now?: Date): Time[] {
  const periods = findPeriods(reading.question.text, now).flatMap((period) => {
    const span = spanOf(reading, period);
    return span && reading.isFree(span) ? [{ period, span }] : [];
  });
  const times: Time[] = [];
  for (const [i, { period, span }] of periods.entries()) {
    if (!reading.isFree(span)) continue;
    const time = timeAt(reading, { period, span }, periods[i + 1], times.at(-1));
    if (!time) continue;
    const stance = stanceOf(reading, time.span, { kind: KIND });
    if (stance === 'unwanted') reading.markUnwanted(time.span, KIND);
    reading.markRead(time.span);
    times.push({ ...time, stance });
  }
  return times;
}

interface Named {
  readonly period: Period;
  readonly span: Span;
}

function timeAt(
  reading: Reading,
  { period, span }: Named,
  next: Named | undefined,
  last: Time | undefined,
): Omit<Time, 'stance'> | undefined {
  const range = rangeOf(reading, span);
  if (next && range?.to === next.span.from) {
    const limits = { from: period.from, until: next.period.until };
    return { span: { from: range.from, to: next.span.to }, limits };
  }
  const bound = boundAtEdge(reading, span) ?? boundAt(reading, span, 'time');
  const { from, until } = period;
  if (bound) return { span: bound.span, limits: limitsOf(period, bound.ordering), ordering: bound.ordering };
  // "as of today" says how things are, not when something was.
  if (reading.word(span.from - 2) === 'as' && reading.word(span.from) === 'today') return undefined;
  if (DURING.has(reading.word(span.from - 1)))
    return { span: { from: span.from - 1, to: span.to }, limits: { from, until } };
  // What is planned was stored before: the words may stand in the text.
  const isTime =
    (period.isPlain && !period.isAhead) || (last && !last.ordering && isListed(reading, last.span, span));
  return isTime ? { span, limits: { from, until } } : undefined;
}

/** The bound in "since the beginning of March" and "before the end of 2025". */
function boundAtEdge(reading: Reading, { from, to }: Span): Bound | undefined {
  const edge = reading.word(from - 2);
  if (reading.word(from - 1) !== 'of' || !['beginning', 'start', 'end'].includes(edge)) return undefined;
  const bound = boundAt(reading, { from: from - 2, to }, 'time');
  if (!bound || bound.span.to !== to) return bound;
  const isLater = isLower(bound.ordering);
  return { ...bound, ordering: edge === 'end' ? (isLater ? 'gt' : 'lte') : isLater ? 'gte' : 'lt' };
}

const JOINTS = new Set(['and', 'or', 'vs', 'versus']);
/** Joints only in a comparison: "in 2024 with 2000 guests" names one time. */
const SIDE_JOINTS = new Set(['with', 'to', 'against']);

/**
 * Whether a period continues a list of times. In "in 2023 and 2024" the bare year is a time too. In "May 2023 and June" the
 * month is not read: it may be of either year.
 */
function isListed(reading: Reading, one: Span, other: Span): boolean {
  const hasYear = (span: Span) => /\d/.test(written(reading.question, span));
  return isCoordinated(reading, one, other) && (hasYear(other) || !hasYear(one));
}

/** Whether only a joint such as "and", or a comma, stands between. */
function isCoordinated(reading: Reading, one: Span, other: Span): boolean {
  const words = other.from - one.to;
  const joint = reading.word(one.to);
  if (words === 1) return JOINTS.has(joint) || (SIDE_JOINTS.has(joint) && isComparison(reading.question));
  return words === 0 && /^\s*[,/&]\s*$/.test(reading.between(one.to - 1));
}

function isRangeBetween(one: Time, other: Time): boolean {
  const { from, until } = { ...one.limits, ...other.limits };
  return from !== undefined && until !== undefined && from < until;
}

/** Whether two bounds are of the same field; "created after 2020 and updated before 2024" names two fields. */
function isOfOneField(reading: Reading, one: Time, other: Time): boolean {
  const named = fieldNamed(reading, other.span);
  return named.naming === 0 || named.field === fieldNamed(reading, one.span).field;
}

/** The range before or after a period, including the period or not. */
export function limitsOf({ from, until }: Period, ordering: Ordering): TimeRange {
  switch (ordering) {
    case 'gte':
      return { from };
    case 'gt':
      return { from: until };
    case 'lt':
      return { until: from };
    case 'lte':
      return { until };
    default:
      return ordering satisfies never;
  }
}

/** The bounds of a field for a range by the asker's clock. Only `occurredAt` is a moment; dates in metadata are days of any clock. */
export function limitsIn(field: string, range: TimeRange, utcOffset: number): TimeRange {
  return field === 'occurredAt' ? rangeInUtc(range, utcOffset) : range;
}

/** Weaker filter on `occurredAt`: a memory without it is dated by its creation. */
function looseFilter(field: string, limits: TimeRange): Pick<Condition, 'loose'> {
  return field === 'occurredAt' ? { loose: occurredOrCreated(limits) } : {};
}

/** The words of a condition, and its field. */
interface ConditionWords {
  readonly span: Span;
  readonly field: string;
}

/** `times`: one, or two bounds that must both apply. `last`: the condition before them. */
function addCondition(
  reading: Reading,
  times: readonly Time[],
  { last, utcOffset }: { readonly last: ConditionWords | undefined; readonly utcOffset: number },
): ConditionWords {
  const { span: first, stance } = times[0]!;
  const named = fieldNamed(reading, first);
  // "signed in 2021 and 2023" names the field once.
  const isContinued = last && named.naming === 0 && isCoordinated(reading, last.span, first);
  const field = isContinued ? last.field : named.field;
  const limits = limitsIn(field, Object.assign({}, ...times.map((time) => time.limits)), utcOffset);
  const said = reading.markTogether(
    field,
    times.map(({ span }) => span),
  );
  reading.conditions.push({
    ...said,
    ...asMeant(stance, timeFilter(field, limits)),
    ...(stance === 'wanted' && looseFilter(field, limits)),
    isSure: true,
  });
  return said;
}

/** The date field that the words around name, otherwise the one that most memories have. At least one exists. */
function fieldNamed(reading: Reading, span: Span): { field: string; naming: number } {
  const dated = reading.fields.filter(({ kind }) => kind === 'date');
  const named = best(dated, ({ field }) => reading.nameScore(field, span));
  const { field } = best(
    best(named, ({ memories }) => memories),
    (known) => Number(known.field === 'occurredAt'),
  )[0]!;
  return { field, naming: reading.nameScore(field, span) };
}

function spanOf({ question: { tokens } }: Reading, { start, end }: Period): Span | undefined {
  const inside = tokens.flatMap((token, i) => (token.start >= start && token.start < end ? [i] : []));
  const [from] = inside;
  return from === undefined ? undefined : { from, to: from + inside.length };
}
