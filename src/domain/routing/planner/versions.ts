import { maxListLength } from '../../filter.ts';
import { boundAt, rangeOf, type Ordering } from './comparators.ts';
import { oneOf } from './conditions.ts';
import { compareVersions, isRelease, kindOf } from './ordered-values.ts';
import { written, type Span } from './question.ts';
import { ANYWHERE, best, type Reading } from './reading.ts';
import type { KnownValue } from '../vocabulary.ts';

/** "in 1.27", "since v1.31", "2.0 or older", "between 1.20 and 1.24": of the field that the words around name. */
export function readVersions(reading: Reading): void {
  for (let from = 0; from < reading.question.tokens.length; from++) {
    const span = { from, to: from + 1 };
    if (!isVersion(reading, span)) continue;
    const range = rangeOf(reading, span);
    if (range && isVersion(reading, { from: range.to, to: range.to + 1 })) {
      say(reading, { from: range.from, to: range.to + 1 }, [
        ['gte', reading.word(from)],
        ['lte', reading.word(range.to)],
      ]);
      continue;
    }
    const bound = boundAt(reading, span);
    if (bound) say(reading, bound.span, [[bound.ordering, reading.word(from)]]);
    else say(reading, span, [['eq', reading.word(from)]]);
  }
}

type Limit = readonly [ordering: Ordering | 'eq', version: string];

/** Texts do not sort as versions do, so that the filter lists the versions that are known to lie between the limits. */
function say(reading: Reading, span: Span, limits: readonly Limit[]): void {
  const candidates = reading.fields
    .filter(({ kind }) => kind === 'version')
    .map(({ field, memories }) => ({
      field,
      memories,
      values: versionsWithin(reading.valuesOf(field), limits),
    }))
    .filter(({ values }) => values.length > 0);
  if (candidates.length === 0) return;
  const isNear = candidates.some(({ field }) => reading.naming(field, span) > 0);
  // Of one version alone: "what alpha features did they plan for 1.27". A bound is of the version that counts by itself.
  const isExact = limits.every(([ordering]) => ordering === 'eq');
  const reach = isExact && !isNear ? ANYWHERE : undefined;
  const named = best(candidates, ({ field }) => reading.naming(field, span, reach));
  const chosen = best(named, ({ memories }) => memories)[0]!;
  const label = written(reading.question, span);
  const filter = oneOf(chosen.field, chosen.values);
  reading.sayName(chosen.field, span, reach);
  reading.say(span);
  reading.conditions.push({ span, label, field: chosen.field, filter, isSure: true });
}

/** Those versions among the values of a field that meet all limits, those of most memories first. */
export function versionsWithin(values: readonly KnownValue[], limits: readonly Limit[]): string[] {
  return [...values]
    .sort((a, b) => b.memories - a.memories)
    .map(({ value }) => String(value))
    .filter((value) => kindOf(value) === 'version' && limits.every((limit) => meets(value, limit)))
    .slice(0, maxListLength);
}

function meets(value: string, [ordering, version]: Limit): boolean {
  const order = compareVersions(value, version);
  switch (ordering) {
    case 'eq':
      return order === 0;
    case 'gt':
      return order > 0;
    case 'gte':
      return order >= 0;
    case 'lt':
      return order < 0 && isRelease(value);
    case 'lte':
      return order <= 0 && isRelease(value);
    default:
      return ordering satisfies never;
  }
}

function isVersion(reading: Reading, span: Span): boolean {
  return reading.isFree(span) && kindOf(reading.word(span.from)) === 'version';
}
