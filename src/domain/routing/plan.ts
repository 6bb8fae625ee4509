import type { Filter } from '../filter.ts';
import type { Layer, Scope } from '../layers.ts';
import type { DrillLayer } from './actions.ts';

/** How the answers to the operands become one: all of them, side by side, or ordered so that they cover the subject. */
export type Aggregation = 'combine' | 'compare' | 'summarize';

/** What is looked for next, beginning from what an operand finds first. */
export type Follow = 'scope' | 'mentions';

/**
 * One thing that a question asks for, as a search of its own. What a part of the question became a condition of is left
 * out of `query`; a condition is strong evidence and no promise, so that an operand is never empty for its sake alone.
 */
export interface Operand {
  /** As the question names it. */
  readonly label: string;
  /** What the texts are compared with. */
  readonly query: string;
  readonly layers?: readonly Layer[];
  readonly scope?: Scope;
  readonly filter?: Filter;
  /**
   * Weaker filters in their order: what meets only these follows what meets `filter`, and what meets none follows last.
   * Each lets everything through that the one before it does.
   */
  readonly otherwise?: readonly Filter[];
  /** Kinds of place that the question means all of, whether `query` says so or not. */
  readonly across?: readonly DrillLayer[];
  /**
   * `scope`: all of the innermost scope that the best match lies in. `mentions`: what the best match names by an
   * identifier that the tenant knows.
   */
  readonly follow?: Follow;
}

/** What the executor does for a complex question: `operands` has at least one. */
export interface Plan {
  readonly aggregation: Aggregation;
  readonly operands: readonly Operand[];
}
