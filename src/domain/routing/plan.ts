import type { Filter } from '../filter.ts';
import type { Layer, Scope } from '../layers.ts';
import type { DrillLayer } from './actions.ts';

/** How the operands' results are merged: `combine` ranks all of them, `compare` balances the sides, `summarize` covers many places. */
export type Aggregation = 'combine' | 'compare' | 'summarize';

/** What is searched next, starting from an operand's best match. */
export type Follow = 'scope' | 'mentions';

/**
 * One part of a question, as a search of its own. Words that became a condition are left out of `query`. A condition is strong
 * evidence, not a requirement: it alone never leaves an operand without results.
 */
export interface Operand {
  /** The question's wording for this part. */
  readonly label: string;
  /** Text that memories are compared with. */
  readonly query: string;
  readonly layers?: readonly Layer[];
  readonly scope?: Scope;
  readonly filter?: Filter;
  /**
   * Weaker filters, strongest first: memories that match only these rank after those that match `filter`, and memories that
   * match none rank last. Each filter matches everything that the previous one matches.
   */
  readonly otherwise?: readonly Filter[];
  /** Kinds of scope that the question means all of, even if `query` does not mention them. */
  readonly across?: readonly DrillLayer[];
  /**
   * `scope`: everything in the innermost scope of the best match. `mentions`: memories that the best match names by an
   * identifier known to the tenant.
   */
  readonly follow?: Follow;
}

/** How the executor answers a complex question. `operands` is not empty. */
export interface Plan {
  readonly aggregation: Aggregation;
  readonly operands: readonly Operand[];
}

/**
 * Whether a plan is more than one search for the whole question: it has several parts, conditions, or places to look in. Only then is its
 * answer made of results that may be far apart.
 */
export function isDivided({ operands }: Plan): boolean {
  return (
    operands.length > 1 ||
    operands.some(
      ({ layers, scope, filter, across, follow }) => layers ?? scope ?? filter ?? across ?? follow,
    )
  );
}
