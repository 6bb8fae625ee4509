import type { TenantContext } from '../../domain/access/context.ts';
import type { ReadView } from '../read-models.ts';
import type { SearchRequest } from '../search/query.ts';
import type { Finding } from '../search/search.ts';
import type { Agenda } from './agenda.ts';
import type { Budget } from './budget.ts';
import type { ExecutorParts } from './executor-parts.ts';
import { isToBeSearched, type Part } from './parts.ts';

/** A part with conditions brings at least so many: what meets them may resemble the question little. */
const leastPerPart = { few: 50, many: 100 } as const;

interface SearchSetting extends Pick<ExecutorParts, 'search' | 'searchesAtOnce'> {
  readonly caller: TenantContext;
  /** The question's own: parts differ from it in what they look for, and where. */
  readonly request: SearchRequest;
  readonly view: ReadView;
  readonly budget: Budget;
}

/** The searches for the parts of one question, each in its turn; some are begun before it. */
export class PartSearches {
  readonly #setting: SearchSetting;
  readonly #agenda: Agenda;
  readonly #isExhaustive: boolean;
  readonly #begun = new Map<Part, Promise<Finding>>();

  constructor(setting: SearchSetting, agenda: Agenda, isExhaustive: boolean) {
    this.#setting = setting;
    this.#agenda = agenda;
    this.#isExhaustive = isExhaustive;
  }

  /** What the search for a part finds. Throws `BudgetExhausted`, and what the search throws. */
  find(part: Part): Promise<Finding> {
    const { budget } = this.#setting;
    budget.takeSearch(textOf(part));
    const own = this.#begun.get(part) ?? this.#begin(part);
    this.#begun.delete(part);
    this.#beginNext(part);
    return budget.within(own);
  }

  #begin({ query, texts, narrowing }: Part): Promise<Finding> {
    const { caller, request, view, search } = this.#setting;
    const { layers, scope, filter } = narrowing;
    // What was found says which steps come next, whatever the threshold: the answer is cut, not what it is made of.
    const seen = { topK: this.#topK, threshold: 0, finalThreshold: request.threshold };
    return search(caller, { ...request, query, texts, layers, scope, filter, ...seen }, view);
  }

  get #topK(): number {
    const { topK } = this.#setting.request;
    const least = this.#isExhaustive ? leastPerPart.many : leastPerPart.few;
    return this.#agenda.isConditioned || this.#isExhaustive ? Math.max(topK, least) : topK;
  }

  /**
   * Begins the searches whose turn comes next, whatever the one for `part` finds. They wait for the database together, and
   * for each other's ranking no more.
   */
  #beginNext(part: Part): void {
    const { budget, searchesAtOnce } = this.#setting;
    const next: Part[] = [];
    for (const waiting of this.#agenda.pending.slice(0, searchesAtOnce - 1)) {
      // What is followed from the one before it may be the first condition, with which all search for more.
      if ((next.at(-1) ?? part).follow && !this.#agenda.isConditioned) return;
      next.push(waiting);
      if (!isToBeSearched(waiting) || !budget.allows(next.map(textOf))) return;
      if (!this.#begun.has(waiting)) this.#beginEarly(waiting);
    }
  }

  #beginEarly(part: Part): void {
    const begun = this.#begin(part);
    // Told when it is its turn, which may never come.
    begun.catch(() => undefined);
    this.#begun.set(part, begun);
  }
}

function textOf({ texts, query }: Part): string {
  return texts?.dense ?? query;
}
