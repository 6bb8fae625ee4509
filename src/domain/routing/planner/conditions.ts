import type { Filter } from '../../filter.ts';
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
