import { isComparison, type Ordering } from './comparators.ts';
import type { Span } from './question.ts';
import type { Reading } from './reading.ts';

/** A value that the question names, with the bound that it is, if it is one. */
interface MaybeBound {
  readonly span: Span;
  readonly ordering?: Ordering | undefined;
}

/**
 * The values of a question, those together that must hold together: a lower and an upper bound, "since 2019 and before 2024".
 * Two bounds that leave something between them (`isRange`) are alternatives where "or" stands there, or where they are compared.
 */
export function heldTogether<Item extends MaybeBound>(
  reading: Reading,
  items: readonly Item[],
  isRange: (one: Item, other: Item) => boolean,
): Item[][] {
  const groups: Item[][] = [];
  for (const item of items) {
    const last = groups.at(-1);
    const one = last?.length === 1 ? last[0] : undefined;
    if (one && isPair(one, item) && !isParted(reading, one.span, item.span) && isRange(one, item))
      last!.push(item);
    else groups.push([item]);
  }
  return groups;
}

/** Whether what is bounded lies above. */
export function isLower(ordering: Ordering): boolean {
  return ordering === 'gt' || ordering === 'gte';
}

function isPair({ ordering: one }: MaybeBound, { ordering: other }: MaybeBound): boolean {
  return one !== undefined && other !== undefined && isLower(one) !== isLower(other);
}

const PARTING = ['with', 'to', 'against', 'versus', 'vs', 'than'];

function isParted({ question }: Reading, one: Span, other: Span): boolean {
  const between = question.tokens.slice(one.to, other.from).map(({ word }) => word);
  const isSided = isComparison(question);
  return between.some((word) => word === 'or' || (isSided && PARTING.includes(word)));
}
