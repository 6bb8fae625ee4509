import type { Interruption } from '../../domain/retrieval/trajectory.ts';
import type { Budgets } from '../../domain/routing/settings.ts';
import { estimateTokens } from '../../domain/text/estimate-tokens.ts';

/** Nothing more may be spent: the run ends with what it has. */
export class BudgetExhausted extends Error {
  override readonly name = 'BudgetExhausted';
  readonly budget: Exclude<Interruption, 'error' | 'breaker-open'>;

  constructor(budget: BudgetExhausted['budget']) {
    super(`the budget of ${budget} is used up`);
    this.budget = budget;
  }
}

/**
 * A language model may use so much of the tokens, and one call of it so much of the time that is left: the searches have the
 * rest, whatever comes of it.
 */
const modelShare = 0.5;

/** Milliseconds; no model answers in less. Whoever has less time for a call does not begin it. */
export const shortestCallMs = 20;

/** What one run may spend and has spent, in all its depths together. The clock starts with it. */
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

  /** For one call of a language model. */
  get modelMsLeft(): number {
    return this.msLeft * modelShare;
  }

  /** That a language model may still use. */
  get modelTokensLeft(): number {
    return Math.max(0, this.limits.tokens * modelShare - this.#modelTokens);
  }

  /** Shares of what may be spent, between 0 and 1. */
  get used(): { readonly queries: number; readonly steps: number; readonly wall: number } {
    const { queries, steps, wallMs } = this.limits;
    return { queries: this.#queries / queries, steps: this.#steps / steps, wall: 1 - this.msLeft / wallMs };
  }

  /** Before each action. Throws `BudgetExhausted`. */
  takeStep(): void {
    if (performance.now() >= this.#deadline) throw new BudgetExhausted('wall-time');
    if (this.#steps >= this.limits.steps) throw new BudgetExhausted('steps');
    this.#steps++;
  }

  /** Before each search for a text, or each other read of the read models. Throws `BudgetExhausted`. */
  takeSearch(text = ''): void {
    const tokens = estimateTokens(text.length);
    if (this.#queries >= this.limits.queries) throw new BudgetExhausted('queries');
    if (tokens > this.#tokensLeft) throw new BudgetExhausted('tokens');
    this.#queries++;
    this.#tokens += tokens;
  }

  /** Whether searches for these texts could be the next steps, one after the other. */
  allows(texts: readonly string[]): boolean {
    const { queries, steps } = this.limits;
    const tokens = texts.reduce((sum, { length }) => sum + estimateTokens(length), 0);
    const isWithin = this.#queries + texts.length <= queries && this.#steps + texts.length <= steps;
    return isWithin && tokens <= this.#tokensLeft;
  }

  /** For the texts of searches. */
  get #tokensLeft(): number {
    const spentOnModel = Math.min(this.#modelTokens, this.limits.tokens * modelShare);
    return this.limits.tokens - this.#tokens - spentOnModel;
  }

  /** After a call of a language model. */
  spendOnModel(tokens: number): void {
    this.#modelTokens += tokens;
  }

  /** The outcome of `work`, or `BudgetExhausted` where it does not come in time: then nobody waits for it any more. */
  async within<T>(work: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new BudgetExhausted('wall-time')), this.msLeft);
    });
    // It may fail after it was given up.
    work.catch(() => undefined);
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
