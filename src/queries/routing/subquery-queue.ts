import { innermostContainer } from '../../domain/layers.ts';
import type { MemoryView } from '../../domain/memory/view.ts';
import type { DrillLayer } from '../../domain/routing/actions.ts';
import { intersect, isBounded, type SearchBounds } from './search-bounds.ts';
import type { Subquery } from './subqueries.ts';
import { answering, resembling } from './result-accumulator.ts';

/** The subqueries of a question: those planned at first, and those added while it runs. */
export class SubqueryQueue {
  /** The bounds of the question. */
  readonly #base: SearchBounds;
  readonly #subqueries: Subquery[];

  constructor(base: SearchBounds, subqueries: readonly Subquery[]) {
    this.#base = base;
    this.#subqueries = [...subqueries];
  }

  /** The next pending subquery and its index. */
  get next(): { readonly subquery: Subquery; readonly index: number } | undefined {
    const index = this.#subqueries.findIndex(({ state }) => state === 'pending');
    return index < 0 ? undefined : { subquery: this.#subqueries[index]!, index };
  }

  get pending(): readonly Subquery[] {
    return this.#subqueries.filter(({ state }) => state === 'pending');
  }

  /** Whether any subquery has a condition. */
  get isConditioned(): boolean {
    return this.#subqueries.some(({ evidence }) => evidence > answering);
  }

  subquery(index: number): Subquery {
    return this.#subqueries[index]!;
  }

  /** Queues the same subquery with other conditions, unless they lie outside the bounds of the question. */
  again(
    subquery: Subquery,
    conditions: SearchBounds,
    evidence: number,
    weaker: Subquery['weaker'] = [],
  ): void {
    const bounds = intersect(this.#base, conditions);
    if (!bounds) return;
    this.#subqueries.push({
      ...subquery,
      conditions,
      bounds,
      evidence,
      weaker,
      follow: undefined,
      state: 'pending',
    });
  }

  /** Queues the same subquery without conditions, unless one for this query exists. */
  widen(subquery: Subquery): void {
    const exists = this.#subqueries.some(
      (other) => other.query === subquery.query && !isBounded(other.conditions),
    );
    if (!exists) this.again({ ...subquery, drillTo: undefined }, {}, resembling);
  }

  /** Queues a search of the innermost scope of a memory. */
  followScope(subquery: Subquery, { scope }: MemoryView): void {
    const place = innermostContainer(scope);
    if (place) this.again(subquery, { scope: { [place.key]: place.value } }, 1);
  }

  /**
   * Queues one subquery per place, each a side of its own unless the subquery already has a side. Returns how many were queued:
   * places outside the bounds of the question are skipped.
   */
  split(subquery: Subquery, to: DrillLayer, names: readonly string[], evidence: number): number {
    const before = this.#subqueries.length;
    for (const [index, name] of names.entries()) {
      const conditions: SearchBounds = {
        ...subquery.conditions,
        scope: { ...subquery.conditions.scope, [to]: name },
      };
      const place: Subquery = {
        ...subquery,
        label: name,
        side: subquery.side ?? index,
        maySearch: true,
        mayRecurse: false,
        drillTo: undefined,
      };
      this.again(place, conditions, evidence);
    }
    return this.#subqueries.length - before;
  }
}
