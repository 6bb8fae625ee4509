import { isComparison, type Ordering } from './comparators.ts';
import type { Span } from './question.ts';
import type { Reading } from './reading.ts';

/** A value that the question names, with its ordering if it is a bound. */
interface MaybeBound {
  readonly span: Span;
  readonly ordering?: Ordering | undefined;
}

/**
 * Groups a lower and an upper bound that must both apply ("since 2019 and before 2024"); every other value is a group of its own.
 * Two bounds with a range between them (`isRange`) are still alternatives if the question joins them by "or" or compares them.
 */
export function pairBounds<Item extends MaybeBound>(
  reading: Reading,
  items: readonly Item[],
  isRange: (one: Item, other: Item) => boolean,
): Item[][] {
  const groups: Item[][] = [];
  for (const item of items) {
    const last = groups.at(-1);
    const one = last?.length === 1 ? last[0] : undefined;
    if (one && isPair(one, item) && !areAlternatives(reading, one.span, item.span) && isRange(one, item))
      last!.push(item);
    else groups.push([item]);
  }
  return groups;
}

/** Whether it is a lower bound. */
export function isLower(ordering: Ordering): boolean {
  return ordering === 'gt' || ordering === 'gte';
}

function isPair({ ordering: one }: MaybeBound, { ordering: other }: MaybeBound): boolean {
  return one !== undefined && other !== undefined && isLower(one) !== isLower(other);
}

const SIDE_JOINTS = ['with', 'to', 'against', 'versus', 'vs', 'than'];

function areAlternatives({ question }: Reading, one: Span, other: Span): boolean {
  const between = question.tokens.slice(one.to, other.from).map(({ word }) => word);
  const isSided = isComparison(question);
  return between.some((word) => word === 'or' || (isSided && SIDE_JOINTS.includes(word)));
}
