import type { FilterOperator } from '../../filter.ts';
import type { Span } from './question.ts';
import type { Reading } from './reading.ts';
import { LOWER, OR_EARLIER, OR_LATER, UPPER } from './request-words.ts';

export type Ordering = Extract<FilterOperator, 'gt' | 'gte' | 'lt' | 'lte'>;

/** A bound, and the words that say so together with the value. */
export interface Bound {
  readonly ordering: Ordering;
  readonly span: Span;
}

/** How far before a value the word may stand that makes it a bound: "since the release 1.31". */
const REACH = 3;

/** The bound that the words around a value make of it: "since 1.31", "1.31 or later", "before 2020"; else undefined. */
export function boundAt(reading: Reading, { from, to }: Span): Bound | undefined {
  const after = reading.word(to + 1);
  const isEither = reading.word(to) === 'or' || reading.word(to) === 'and';
  if (isEither && OR_LATER.has(after))
    return { ordering: 'gte', span: { from: opening(reading, from), to: to + 2 } };
  if (isEither && OR_EARLIER.has(after))
    return { ordering: 'lte', span: { from: opening(reading, from), to: to + 2 } };
  if (reading.word(to) === 'onwards' || reading.word(to) === 'onward')
    return { ordering: 'gte', span: { from: opening(reading, from), to: to + 1 } };
  const first = reading.word(to) === 'on' ? wordBefore(reading, from, 'from') : undefined;
  if (first !== undefined) return { ordering: 'gte', span: { from: first, to: to + 1 } };
  for (let i = from - 1; i >= Math.max(0, from - REACH) && reading.isFree({ from: i, to: i + 1 }); i--) {
    const ordering = orderingOf(reading.word(i));
    if (ordering) return { ordering, span: { from: i, to } };
  }
  return undefined;
}

/** The words from the first of "between revision 1.20 and 1.24" or "from 2019 to 2021" up to the second value. */
export function rangeOf(reading: Reading, { from, to }: Span): Span | undefined {
  const joint = reading.word(to);
  for (let i = from - 1; i >= Math.max(0, from - REACH); i--) {
    if (!reading.isFree({ from: i, to: i + 1 })) return undefined;
    if (reading.word(i) === 'between') return joint === 'and' ? { from: i, to: to + 1 } : undefined;
    if (reading.word(i) === 'from') return TO.has(joint) ? { from: i, to: to + 1 } : undefined;
  }
  return undefined;
}

const TO = new Set(['to', 'until', 'till', 'through']);

function wordBefore(reading: Reading, from: number, word: string): number | undefined {
  const index = [1, 2, 3].map((back) => from - back).find((at) => reading.word(at) === word);
  return index !== undefined && reading.isFree({ from: index, to: from }) ? index : undefined;
}

/** "from 2019 or later" begins with the preposition. */
function opening(reading: Reading, from: number): number {
  return ['from', 'in', 'of', 'since'].includes(reading.word(from - 1)) ? from - 1 : from;
}

function orderingOf(word: string): Ordering | undefined {
  if (LOWER.inclusive.has(word)) return 'gte';
  if (LOWER.exclusive.has(word)) return 'gt';
  if (UPPER.inclusive.has(word)) return 'lte';
  return UPPER.exclusive.has(word) ? 'lt' : undefined;
}
