import { boundAt, rangeOf, type Ordering } from './comparators.ts';
import { allOf, anyOf, test, type Condition } from './conditions.ts';
import type { Filter } from '../../filter.ts';
import { written, type Span } from './question.ts';
import { best, type Reading } from './reading.ts';
import { periodsIn, type Period } from './times.ts';
import { DURING } from './request-words.ts';

/** "since 2019", "in March 2024", "between 2020 and 2022", "last quarter": of the field that the words around name. */
export function readTimeRanges(reading: Reading, now?: Date): void {
  const periods = periodsIn(reading.question.text, now).flatMap((period) => {
    const span = spanOf(reading, period);
    return span && reading.isFree(span) ? [{ period, span }] : [];
  });
  for (const [i, { period, span }] of periods.entries()) {
    if (!reading.isFree(span)) continue;
    const next = periods[i + 1];
    const range = rangeOf(reading, span);
    if (next && range?.to === next.span.from) {
      say(reading, { from: range.from, to: next.span.to }, { from: period.from, until: next.period.until });
      continue;
    }
    const bound = boundAt(reading, span);
    const preposition = reading.word(span.from - 1);
    if (bound) say(reading, bound.span, limitsOf(period, bound.ordering));
    else if (DURING.has(preposition)) say(reading, { from: span.from - 1, to: span.to }, period);
    else if (period.isPlain) say(reading, span, period);
  }
}

/** No time that is told is before it. */
const earliest = '0001-01-01T00:00:00.000Z';

/** At least one of them. */
type Limits = Partial<Pick<Period, 'from' | 'until'>>;

/** What lies before or after a period, with it or without. */
export function limitsOf({ from, until }: Period, ordering: Ordering): Limits {
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

export function timeFilter(field: string, { from, until }: Limits): Filter {
  const filters: Filter[] = [];
  if (from !== undefined) filters.push(test(field, 'gte', from));
  if (until !== undefined) filters.push(test(field, 'lt', until));
  return allOf(filters);
}

/** Read loosely a memory that does not tell when it occurred is as old as its record. */
function looselyWithin(field: string, limits: Limits): Pick<Condition, 'loose'> {
  if (field !== 'occurredAt') return {};
  const untold: Filter = { kind: 'not', filter: test(field, 'gte', earliest) };
  const recorded = allOf([untold, timeFilter('createdAt', limits)]);
  return { loose: anyOf([timeFilter(field, limits), recorded]) };
}

function say(reading: Reading, span: Span, limits: Limits): void {
  const dated = reading.fields.filter(({ kind }) => kind === 'date');
  if (dated.length === 0) return;
  const named = best(dated, ({ field }) => reading.naming(field, span));
  const { field } = best(
    best(named, ({ memories }) => memories),
    (known) => Number(known.field === 'occurredAt'),
  )[0]!;
  reading.sayName(field, span);
  reading.say(span);
  reading.conditions.push({
    span,
    label: written(reading.question, span),
    field,
    filter: timeFilter(field, limits),
    ...looselyWithin(field, limits),
    isSure: true,
  });
}

function spanOf({ question: { tokens } }: Reading, { start, end }: Period): Span | undefined {
  const inside = tokens.flatMap((token, i) => (token.start >= start && token.start < end ? [i] : []));
  const [from] = inside;
  return from === undefined ? undefined : { from, to: from + inside.length };
}
