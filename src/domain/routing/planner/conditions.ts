import type { Filter, FilterField, FilterOperator, FilterScalar } from '../../filter.ts';
import type { Span } from './question.ts';

/** What a part of the question asks of the memories themselves. */
export interface Condition {
  readonly span: Span;
  /** As the question writes it. */
  readonly label: string;
  /** That it is about; conditions of one field are alternatives to each other, unless they are unwanted. */
  readonly field: string;
  readonly filter: Filter;
  /** Every reading of the same words, where there is more than one. */
  readonly loose?: Filter;
  /** Whether the question says that it is meant so; a value that merely occurs in it may be a word like others. */
  readonly isSure: boolean;
  /** Whether it keeps out what the question does not want: such a condition holds beside all others. */
  readonly isUnwanted?: boolean;
  /** Whether it names one thing, so that what else is known of the question counts less. */
  readonly isName?: boolean;
}

const METADATA = 'metadata.';

export function test(
  field: string,
  operator: FilterOperator,
  value: FilterScalar | readonly FilterScalar[],
): Filter {
  return field.startsWith(METADATA)
    ? { kind: 'test', field: 'metadata', path: field.slice(METADATA.length).split('.'), operator, value }
    : { kind: 'test', field: field as FilterField, path: [], operator, value };
}

/** `filters` has at least one. */
export function allOf(filters: readonly Filter[]): Filter {
  return filters.length === 1 ? filters[0]! : { kind: 'and', filters };
}

/** `filters` has at least one. */
export function anyOf(filters: readonly Filter[]): Filter {
  return filters.length === 1 ? filters[0]! : { kind: 'or', filters };
}

/** One of `values`. */
export function oneOf(field: string, values: readonly FilterScalar[]): Filter {
  return values.length === 1 ? test(field, 'eq', values[0]!) : test(field, 'in', values);
}
