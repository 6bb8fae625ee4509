import type { Interruption } from '../../domain/retrieval/trajectory.ts';
import type { Budgets } from '../../domain/routing/settings.ts';
import { estimateTokens } from '../../domain/text/estimate-tokens.ts';

/** A limit of the run is reached. The run ends with the results that it has. */
export class BudgetExhausted extends Error {
  override readonly name = 'BudgetExhausted';
  readonly budget: Exclude<Interruption, 'error' | 'breaker-open'>;

  constructor(budget: BudgetExhausted['budget']) {
    super(`the budget of ${budget} is used up`);
    this.budget = budget;
  }
}

/**
 * The share of the tokens that language models may use, and the share of the remaining time that one call may take. The rest
 * is reserved for the searches, in case a model is slow or fails.
 */
const modelShare = 0.5;

/** Milliseconds in which no model can answer. A call with less time left is not made. */
export const minCallMs = 20;

/** The limits of one run over all its depths, and what it has spent. Its time starts when the budget is created. */
export class Budget {
  readonly limits: Budgets;
  readonly #deadline: number;
  #queries = 0;
  #steps = 0;
  #tokens = 0;
  #modelTokens = 0;

  constructor(limits: Budgets) {
    this.limits = limits;
    this.#deadline = performance.now() + limits.wallMs;
  }

  get spent(): { readonly queries: number; readonly steps: number; readonly tokens: number } {
    return { queries: this.#queries, steps: this.#steps, tokens: this.#tokens + this.#modelTokens };
  }

  get msLeft(): number {
    return Math.max(0, this.#deadline - performance.now());
  }

  /** Milliseconds that one call of a language model may take. */
  get modelMsLeft(): number {
    return this.msLeft * modelShare;
  }

  /** Tokens that language models may still use. */
  get modelTokensLeft(): number {
    return Math.max(0, this.limits.tokens * modelShare - this.#modelTokens);
  }

  /** The share of each limit that is used, between 0 and 1. */
  get used(): { readonly queries: number; readonly steps: number; readonly wall: number } {
    const { queries, steps, wallMs } = this.limits;
    return { queries: this.#queries / queries, steps: this.#steps / steps, wall: 1 - this.msLeft / wallMs };
  }

  /** Call before each action. Throws `BudgetExhausted` if no step or no time is left. */
  takeStep(): void {
    if (performance.now() >= this.#deadline) throw new BudgetExhausted('wall-time');
    if (this.#steps >= this.limits.steps) throw new BudgetExhausted('steps');
    this.#steps++;
  }

  /** Call before each search, and each other read of the read models. Throws `BudgetExhausted` if no query is left, or too few tokens for `text`. */
  takeSearch(text = ''): void {
    const tokens = estimateTokens(text.length);
    if (this.#queries >= this.limits.queries) throw new BudgetExhausted('queries');
    if (tokens > this.#tokensLeft) throw new BudgetExhausted('tokens');
    this.#queries++;
    this.#tokens += tokens;
  }

  /** Whether the budget has room for searches for all these texts. */
  allows(texts: readonly string[]): boolean {
    const { queries, steps } = this.limits;
    const tokens = texts.reduce((sum, { length }) => sum + estimateTokens(length), 0);
    const isWithin = this.#queries + texts.length <= queries && this.#steps + texts.length <= steps;
    return isWithin && tokens <= this.#tokensLeft;
  }

  /** Tokens left for the texts of searches. */
  get #tokensLeft(): number {
    const spentOnModel = Math.min(this.#modelTokens, this.limits.tokens * modelShare);
    return this.limits.tokens - this.#tokens - spentOnModel;
  }

  /** Call after each call of a language model. */
  spendOnModel(tokens: number): void {
    this.#modelTokens += tokens;
  }

  /** Settles as `work` does. Rejects with `BudgetExhausted` if `work` has not settled when the time is up; its outcome is then ignored. */
  async within<T>(work: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new BudgetExhausted('wall-time')), this.msLeft);
    });
    // Prevents an unhandled rejection if it fails after the time is up.
    work.catch(() => undefined);
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
