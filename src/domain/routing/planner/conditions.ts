import type { Filter } from '../../filter.ts';
import type { Span } from './question.ts';

/** A condition on memories, made from words of the question. */
export interface Condition {
  readonly span: Span;
  /** The words as the question writes them. */
  readonly label: string;
  /** Conditions on the same field are alternatives, except unwanted ones. */
  readonly field: string;
  readonly filter: Filter;
  /** Weaker filter: every reading of the same words, if there are several. */
  readonly loose?: Filter;
  /** Whether the question clearly means a condition; a value that merely occurs in it may be an ordinary word. */
  readonly isSure: boolean;
  /** Whether it excludes what the question does not want. Such a condition applies together with all others. */
  readonly isUnwanted?: boolean;
  /** Whether it names one particular thing. The other words of the question then count less. */
  readonly isName?: boolean;
}
