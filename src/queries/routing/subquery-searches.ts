import type { TenantContext } from '../../domain/access/context.ts';
import type { ReadView } from '../read-models.ts';
import type { SearchRequest } from '../search/query.ts';
import type { Finding } from '../search/finding.ts';
import type { SubqueryQueue } from './subquery-queue.ts';
import type { Budget } from './budget.ts';
import type { ExecutorDependencies } from './executor-dependencies.ts';
import { isSearchOnly, type Subquery } from './subqueries.ts';

/** Minimum results per search once any subquery has conditions: memories that meet them may rank low for the text. */
const minPerPart = { few: 50, many: 100 } as const;

interface SearchSetting extends Pick<ExecutorDependencies, 'search' | 'searchesAtOnce'> {
  readonly caller: TenantContext;
  /** The request for the whole question; subqueries override its texts and bounds. */
  readonly request: SearchRequest;
  readonly view: ReadView;
  readonly budget: Budget;
}

/** Runs the searches of one question's subqueries in order, and starts some of them ahead of their turn. */
export class SubquerySearches {
  readonly #setting: SearchSetting;
  readonly #queue: SubqueryQueue;
  readonly #isExhaustive: boolean;
  readonly #begun = new Map<Subquery, Promise<Finding>>();

  constructor(setting: SearchSetting, queue: SubqueryQueue, isExhaustive: boolean) {
    this.#setting = setting;
    this.#queue = queue;
    this.#isExhaustive = isExhaustive;
  }

  /** Returns the results for a subquery. Throws `BudgetExhausted` and any error of the search. */
  find(subquery: Subquery): Promise<Finding> {
    const { budget } = this.#setting;
    budget.takeSearch(textOf(subquery));
    const begun = this.#begun.get(subquery) ?? this.#begin(subquery);
    this.#begun.delete(subquery);
    this.#beginNext(subquery);
    return budget.within(begun);
  }

  #begin({ query, texts, bounds }: Subquery): Promise<Finding> {
    const { caller, request, view, search } = this.#setting;
    const { layers, scope, filter } = bounds;
    // Results below the threshold still decide the next steps, so the threshold applies to the final answer only.
    const asked = { ...request, query, texts, layers, scope, filter, topK: this.#topK, threshold: 0 };
    return search(caller, asked, { view, finalThreshold: request.threshold, purpose: 'part' });
  }

  get #topK(): number {
    const { topK } = this.#setting.request;
    const min = this.#isExhaustive ? minPerPart.many : minPerPart.few;
    return this.#queue.isConditioned || this.#isExhaustive ? Math.max(topK, min) : topK;
  }

  /**
   * Starts the next searches if they will run whatever the search for `subquery` returns, so that they wait for the database at the
   * same time.
   */
  #beginNext(subquery: Subquery): void {
    const { budget, searchesAtOnce } = this.#setting;
    const next: Subquery[] = [];
    for (const waiting of this.#queue.pending.slice(0, searchesAtOnce - 1)) {
      // Following the previous subquery may add the first condition, which raises the result limit of all searches.
      if ((next.at(-1) ?? subquery).follow && !this.#queue.isConditioned) return;
      next.push(waiting);
      if (!isSearchOnly(waiting) || !budget.allows(next.map(textOf))) return;
      if (!this.#begun.has(waiting)) this.#beginEarly(waiting);
    }
  }

  #beginEarly(subquery: Subquery): void {
    const begun = this.#begin(subquery);
    // `find` reports the error when the subquery's turn comes, which may be never.
    begun.catch(() => undefined);
    this.#begun.set(subquery, begun);
  }
}

function textOf({ texts, query }: Subquery): string {
  return texts?.dense ?? query;
}
