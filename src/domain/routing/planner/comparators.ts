import type { FilterOperator } from '../../filter.ts';
import { isPlainNot } from './negation.ts';
import type { Question, Span } from './question.ts';
import type { Reading } from './reading.ts';
import {
  ABOVE,
  BELOW,
  compares,
  DURING,
  LOWER,
  OR_EARLIER,
  OR_LATER,
  OR_LESS,
  OR_MORE,
  PREPOSITIONS,
  UPPER,
} from './request-words.ts';

export type Ordering = Extract<FilterOperator, 'gt' | 'gte' | 'lt' | 'lte'>;

/** A bound, and the words that express it, including the value. */
export interface Bound {
  readonly ordering: Ordering;
  readonly span: Span;
}

/**
 * What a bound applies to, which decides the words that express it: "above" does not bound a time, and "over" does not bound a
 * version.
 */
export type Bounded = 'time' | 'version' | 'quantity';

/** How many words before a value its comparator may stand: "since the release 1.31". */
const REACH = 3;

/** The bound that the words around a value express, if any: "since 1.31", "1.31 or later", "before 2020". */
export function boundAt(reading: Reading, span: Span, of: Bounded): Bound | undefined {
  return boundAfter(reading, span, of) ?? boundBefore(reading, span, of);
}

/**
 * The words of a range before its second value: "between revision 1.20 and" of "between revision 1.20 and 1.24", or "from 2019 to" of
 * "from 2019 to 2021".
 */
export function rangeOf(reading: Reading, { from, to }: Span): Span | undefined {
  for (let i = from - 1; i >= Math.max(0, from - REACH) && isPassable(reading, i); i--) {
    const word = reading.word(i);
    if (word === 'between') return reading.word(to) === 'and' ? { from: i, to: to + 1 } : undefined;
    if (word !== 'from') continue;
    const end = endOf(reading, to);
    return TO.has(reading.word(end)) ? { from: i, to: end + 1 } : undefined;
  }
  return rangeWithin(reading, { from, to });
}

/** A range such as "in 2020 to 2024" or "during 2020–2024", but not "compare 2020 to 2024", which has two sides. */
function rangeWithin(reading: Reading, { from, to }: Span): Span | undefined {
  if (!DURING.has(reading.word(from - 1))) return undefined;
  if (/^\s*[–—]\s*$/.test(reading.between(to - 1))) return { from: from - 1, to };
  const end = endOf(reading, to);
  const isRange = TO.has(reading.word(end)) && !isComparison(reading.question);
  return isRange ? { from: from - 1, to: end + 1 } : undefined;
}

/** Whether words or signs compare something with a number, even if the planner makes no condition of it: "above priority 30". */
export function isCompared(reading: Reading, span: Span): boolean {
  const { from } = span;
  if (boundAt(reading, span, 'quantity') || rangeOf(reading, span)) return true;
  if (rangeOf(reading, { from: from - 2, to: from - 1 })) return true;
  if (orderingOf(reading, from - 1, 'time') && reading.word(from - 1) !== 'by') return true;
  for (let i = from - 1; i >= Math.max(0, from - REACH) && isPassable(reading, i); i--) {
    if (orderingOf(reading, i, 'quantity')) return true;
  }
  return false;
}

/** Index at which "to" must stand in a range, after an optional "and" and "up": "from 2019 and up to 2021". */
function endOf(reading: Reading, to: number): number {
  const opensEnd = (index: number) => reading.word(index) === 'up' || TO.has(reading.word(index));
  const first = reading.word(to) === 'and' && opensEnd(to + 1) ? to + 1 : to;
  return reading.word(first) === 'up' ? first + 1 : first;
}

const TO = new Set(['to', 'until', 'till', 'through']);

/** Whether a question compares things. */
export function isComparison({ tokens }: Question): boolean {
  return compares(tokens.map(({ word }) => word));
}

function boundAfter(reading: Reading, { from, to }: Span, of: Bounded): Bound | undefined {
  const joint = reading.word(to);
  const ordering = joint === 'or' || joint === 'and' ? openEnd(reading, to + 1, of) : undefined;
  if (ordering) return { ordering, span: { from: opening(reading, from), to: to + 2 } };
  if (joint === 'onwards' || joint === 'onward')
    return { ordering: 'gte', span: { from: opening(reading, from), to: to + 1 } };
  const first = joint === 'on' ? wordBefore(reading, from, 'from') : undefined;
  return first === undefined ? undefined : { ordering: 'gte', span: { from: first, to: to + 1 } };
}

/** The bound in "2024 and later". In "2024 and before May" there is no such bound, because "before" belongs to what follows. */
function openEnd(reading: Reading, index: number, of: Bounded): Ordering | undefined {
  const word = reading.word(index);
  const isQuantity = of === 'quantity' && reading.word(index - 1) === 'or';
  const isLater = OR_LATER.has(word) || (isQuantity && OR_MORE.has(word));
  const isEarlier = OR_EARLIER.has(word) || (isQuantity && OR_LESS.has(word));
  if ((!isLater && !isEarlier) || hasObject(reading, index)) return undefined;
  return isLater ? 'gte' : 'lte';
}

const NEED_OBJECT = new Set(['after', 'before', 'above', 'below', 'over', 'under']);
const OPEN_NEW_PHRASE = new Set([...PREPOSITIONS, 'with', 'about', 'that', 'which', 'who']);

function hasObject(reading: Reading, index: number): boolean {
  const next = reading.word(index + 1);
  if (next === 'than' || (reading.word(index) === 'up' && TO.has(next))) return true;
  const isEnd = next === '' || /[,;:.?!)]/.test(reading.between(index));
  return NEED_OBJECT.has(reading.word(index)) && !isEnd && !OPEN_NEW_PHRASE.has(next);
}

function boundBefore(reading: Reading, { from, to }: Span, of: Bounded): Bound | undefined {
  const sign =
    of === 'time'
      ? undefined
      : SIGNS.get(
          reading
            .between(from - 1)
            .replace(OWN_SIGN, '')
            .trim(),
        );
  if (sign) return { ordering: sign, span: { from, to } };
  if (of === 'quantity') return quantityBefore(reading, { from, to });
  for (let i = from - 1; i >= Math.max(0, from - REACH) && isPassable(reading, i); i--) {
    // "earlier this month" is in that month.
    const needsThan = of === 'time' && COMPARATIVES.has(reading.word(i)) && reading.word(i + 1) !== 'than';
    const ordering = needsThan ? undefined : orderingOf(reading, i, of);
    if (ordering) return unlessNegated(reading, { ordering, span: { from: i, to } });
  }
  return undefined;
}

const COMPARATIVES = new Set(['earlier', 'older', 'newer']);

/** Whether a comparator may stand before this word. Words before another value belong to that value. */
function isPassable(reading: Reading, index: number): boolean {
  return reading.isFree({ from: index, to: index + 1 }) && !/\p{N}/u.test(reading.word(index));
}

/** The sign or currency of the number itself: "> -5". */
const OWN_SIGN = /(?<=[\s<>=≤≥])[-−+$€£¥.\s]+$/;
const SIGNS: ReadonlyMap<string, Ordering> = new Map([
  ['>', 'gt'],
  ['>=', 'gte'],
  ['≥', 'gte'],
  ['<', 'lt'],
  ['<=', 'lte'],
  ['≤', 'lte'],
]);

/** The comparator must stand right before the number: "over the last 30 days" does not bound it. */
function quantityBefore(reading: Reading, { from, to }: Span): Bound | undefined {
  for (const length of [2, 1]) {
    const ordering = orderingOf(reading, from - length, 'quantity');
    if (ordering && comparatorLength(reading, from - length) === length)
      return unlessNegated(reading, { ordering, span: { from: from - length, to } });
  }
  return undefined;
}

function comparatorLength(reading: Reading, index: number): number {
  return PAIRS.quantity.has(pairAt(reading, index)) ? 2 : 1;
}

/** Inverts a negated bound: "not before 2020" means from 2020 on. "not since" and "not until" say less and are left to `stanceOf`. */
function unlessNegated(reading: Reading, bound: Bound): Bound {
  const { ordering, span } = bound;
  if (!isPlainNot(reading, span.from - 1) || (ordering !== 'gt' && ordering !== 'lt')) return bound;
  return { ordering: ordering === 'gt' ? 'lte' : 'gte', span: { from: span.from - 1, to: span.to } };
}

function wordBefore(reading: Reading, from: number, word: string): number | undefined {
  const index = [1, 2, 3].map((back) => from - back).find((at) => reading.word(at) === word);
  return index !== undefined && reading.isFree({ from: index, to: from }) ? index : undefined;
}

/** Index at which a bound begins: "from 2019 or later" includes the preposition. */
function opening(reading: Reading, from: number): number {
  return ['from', 'in', 'of', 'since'].includes(reading.word(from - 1)) ? from - 1 : from;
}

/** Comparators of numbers and versions; a time is not "more than" another. */
const COUNTED = [
  ['up to', 'lte'],
  ['at least', 'gte'],
  ['at most', 'lte'],
  ['more than', 'gt'],
  ['greater than', 'gt'],
  ['higher than', 'gt'],
  ['larger than', 'gt'],
  ['bigger than', 'gt'],
  ['less than', 'lt'],
  ['fewer than', 'lt'],
  ['lower than', 'lt'],
  ['smaller than', 'lt'],
] as const;

const PAIRS: Readonly<Record<Bounded, ReadonlyMap<string, Ordering>>> = {
  time: new Map([
    ['up to', 'lte'],
    ['later than', 'gt'],
  ]),
  version: new Map([...COUNTED, ['later than', 'gt']]),
  quantity: new Map(COUNTED),
};

function pairAt(reading: Reading, index: number): string {
  return `${reading.word(index)} ${reading.word(index + 1)}`;
}

function orderingOf(reading: Reading, index: number, of: Bounded): Ordering | undefined {
  const word = reading.word(index);
  const pair = PAIRS[of].get(pairAt(reading, index));
  if (pair) return pair;
  if (of !== 'time' && ABOVE.has(word)) return 'gt';
  if (of !== 'time' && BELOW.has(word)) return 'lt';
  if (of === 'quantity') return OVER_OR_UNDER.get(word);
  if (LOWER.inclusive.has(word)) return 'gte';
  if (LOWER.exclusive.has(word)) return 'gt';
  if (UPPER.inclusive.has(word)) return 'lte';
  return UPPER.exclusive.has(word) ? 'lt' : undefined;
}

const OVER_OR_UNDER: ReadonlyMap<string, Ordering> = new Map([
  ['over', 'gt'],
  ['under', 'lt'],
]);
