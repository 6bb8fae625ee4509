import { LRUCache } from 'lru-cache';
import { FailureRate } from '../support/resilience/failure-rate.ts';
import {
  LanguageModelFailed,
  type Completion,
  type CompletionRequest,
  type LanguageModel,
} from '../ports/language-model.ts';

/** More than one in twenty calls of five minutes; twenty calls, so that one failure alone is never too many. */
const rate = { windowMs: 300_000, slices: 30, threshold: 0.05, leastCalls: 20 } as const;
/** How long nothing is asked then; after it one call tries. */
const pauseMs = 30_000;
/** Breakers that are remembered: those of the tenants that asked last. */
const mostBreakers = 10_000;

/** Nothing was asked: the model has failed too often for this tenant. */
export class BreakerOpen extends LanguageModelFailed {
  constructor(model: string) {
    super('unavailable', `${model} is not asked just now: too many of its calls have failed`);
  }
}

interface Breaker {
  readonly failures: FailureRate;
  /** Milliseconds; undefined while closed. */
  openUntil: number | undefined;
}

/**
 * Stands between a language model and those who ask it, with a breaker for each tenant and model: closed, open, and half
 * open while one call tries. One tenant's failures, such as prompts that a model refuses, close it to no other.
 */
export class ModelGuard {
  readonly #model: LanguageModel;
  readonly #onOpened: (tenant: string, model: string) => void;
  readonly #now: () => number;
  readonly #breakers = new LRUCache<string, Breaker>({ max: mostBreakers });

  /** `onOpened` is told where a breaker opens, or stays open after a trial. `now` answers milliseconds that only grow. */
  constructor(
    model: LanguageModel,
    onOpened: (tenant: string, model: string) => void,
    now: () => number = () => performance.now(),
  ) {
    this.#model = model;
    this.#onOpened = onOpened;
    this.#now = now;
  }

  /** How many breakers let nothing through, or one call alone. */
  get open(): number {
    return [...this.#breakers.values()].filter(({ openUntil }) => openUntil !== undefined).length;
  }

  /** The model as one tenant may ask it; rejects with `BreakerOpen` at once where its breaker is open. */
  of(tenant: string): LanguageModel {
    const { models } = this.#model;
    return { models, complete: (request) => this.#complete(tenant, request) };
  }

  async #complete<T>(tenant: string, request: CompletionRequest<T>): Promise<Completion<T>> {
    const name = this.#model.models[request.role];
    const breaker = this.#breakerOf(tenant, name);
    const isTrial = this.#pass(breaker, name);
    try {
      const completion = await this.#model.complete(request);
      this.#succeeded(breaker, isTrial);
      return completion;
    } catch (error) {
      if (this.#failed(breaker, isTrial)) this.#onOpened(tenant, name);
      throw error;
    }
  }

  /** Whether the call is the one that tries. Throws `BreakerOpen`. */
  #pass(breaker: Breaker, name: string): boolean {
    if (breaker.openUntil === undefined) return false;
    const now = this.#now();
    if (now < breaker.openUntil) throw new BreakerOpen(name);
    // Others wait until its outcome is known, or for another pause where that never comes.
    breaker.openUntil = now + pauseMs;
    return true;
  }

  #succeeded(breaker: Breaker, isTrial: boolean): void {
    if (isTrial) {
      breaker.openUntil = undefined;
      breaker.failures.reset();
    }
    breaker.failures.record(false, this.#now());
  }

  /** Whether it opened the breaker. What was asked before it opened changes nothing any more. */
  #failed(breaker: Breaker, isTrial: boolean): boolean {
    const now = this.#now();
    breaker.failures.record(true, now);
    const opens = isTrial || (breaker.openUntil === undefined && breaker.failures.isTripped(now));
    if (opens) breaker.openUntil = now + pauseMs;
    return opens;
  }

  #breakerOf(tenant: string, name: string): Breaker {
    const key = JSON.stringify([tenant, name]);
    let breaker = this.#breakers.get(key);
    if (!breaker) {
      breaker = { failures: new FailureRate(rate), openUntil: undefined };
      this.#breakers.set(key, breaker);
    }
    return breaker;
  }
}
