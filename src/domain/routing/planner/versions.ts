import { maxListLength } from '../../filter.ts';
import { boundAt, rangeOf, type Ordering } from './comparators.ts';
import { oneOf } from '../../build-filter.ts';
import { asMeant, isUnderstood, stanceOf, type Stance } from './negation.ts';
import { compareVersions, isRelease, kindOf } from './ordered-values.ts';
import { pairBounds, isLower } from './paired-bounds.ts';
import type { Span } from './question.ts';
import { best, type Reading } from './reading.ts';
import type { KnownValue } from '../vocabulary.ts';

/** Reads versions and chooses the field that the words around them name: "in 1.27", "since v1.31", "2.0 or older", "between 1.20 and 1.24". */
export function readVersions(reading: Reading): void {
  const named = versionsIn(reading).filter(isUnderstood);
  for (const group of pairBounds(reading, named, isRange)) addCondition(reading, group);
}

type Limit = readonly [ordering: Ordering | 'eq', version: string];

/** A version, bound or range of versions that the question names. */
interface Named {
  readonly span: Span;
  readonly limits: readonly Limit[];
  readonly ordering?: Ordering;
  readonly stance: Stance;
}

const KIND = 'version';

function versionsIn(reading: Reading): Named[] {
  const found: Named[] = [];
  for (let from = 0; from < reading.question.tokens.length; from++) {
    const span = { from, to: from + 1 };
    if (!isVersion(reading, span)) continue;
    if (VAGUE.has(reading.word(from - 1))) {
      reading.markRead(span);
      continue;
    }
    const named = versionAt(reading, span);
    const stance = stanceOf(reading, named.span, { kind: KIND, mayBeSubject: !named.ordering });
    if (stance === 'unwanted') reading.markUnwanted(named.span, KIND);
    // Mark bounds and negated versions as read, so that no other rule takes them for values that are asked for.
    if (stance !== 'wanted' || named.ordering) reading.markRead(named.span);
    found.push({ ...named, stance });
    from = Math.max(from, named.span.to - 1);
  }
  return found;
}

/** "under 1.31" may mean what came before 1.31 or what belongs to it. */
const VAGUE = new Set(['over', 'under']);

function versionAt(reading: Reading, span: Span): Omit<Named, 'stance'> {
  const version = reading.word(span.from);
  const range = rangeOf(reading, span);
  if (range && isVersion(reading, { from: range.to, to: range.to + 1 })) {
    const limits: Limit[] = [
      ['gte', version],
      ['lte', reading.word(range.to)],
    ];
    return { span: { from: range.from, to: range.to + 1 }, limits };
  }
  const bound = boundAt(reading, span, 'version');
  if (!bound) return { span, limits: [['eq', version]] };
  return { span: bound.span, limits: [[bound.ordering, version]], ordering: bound.ordering };
}

function isRange(one: Named, other: Named): boolean {
  const [lower, upper] = isLower(one.ordering!) ? [one, other] : [other, one];
  return compareVersions(lower.limits[0]![1], upper.limits[0]![1]) < 0;
}

/**
 * `named` has one item, or two bounds that must both apply. The filter lists the known versions within the limits, because versions
 * do not sort as text.
 */
function addCondition(reading: Reading, named: readonly Named[]): void {
  const limits = named.flatMap((one) => one.limits);
  const span = { from: named[0]!.span.from, to: named.at(-1)!.span.to };
  const candidates = reading.fields
    .filter(({ kind }) => kind === 'version')
    .map(({ field, memories }) => ({
      field,
      memories,
      values: versionsWithin(reading.valuesOf(field), limits),
    }))
    .filter(({ values }) => values.length > 0);
  if (candidates.length === 0) return;
  const meant = best(candidates, ({ field }) => reading.nameScore(field, span));
  const chosen = best(meant, ({ memories }) => memories)[0]!;
  const spans = named.map((one) => one.span);
  reading.conditions.push({
    ...reading.markTogether(chosen.field, spans),
    ...asMeant(named[0]!.stance, oneOf(chosen.field, chosen.values)),
    isSure: true,
  });
}

/** The versions among the values of a field that meet all limits, those with the most memories first. */
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
