import {
  LanguageModelFailed,
  type Completion,
  type CompletionRequest,
  type LanguageModel,
} from '../ports/language-model.ts';
import { CircuitBreaker, CircuitBreakers, type TripRule } from '../support/resilience/circuit-breaker.ts';
import { FailureRate } from '../support/resilience/failure-rate.ts';
import { requestSignal } from '../support/request-scope.ts';

/** More than 5 % of the calls of five minutes; at least twenty calls, so that a single failure never opens a breaker. */
const rate = { windowMs: 300_000, slices: 30, threshold: 0.05, leastCalls: 20 } as const;
/** How long an open breaker rejects all calls; then one trial call is allowed. */
const openMs = 30_000;

/** When a breaker opens, and for how long. */
export interface GuardRule {
  readonly createRule: () => TripRule;
  readonly openMs: number;
}

const ofQuestions: GuardRule = { createRule: () => new FailureRate(rate), openMs };

/** The model was not called, because too many calls of this tenant have failed. */
export class BreakerOpen extends LanguageModelFailed {
  constructor(model: string) {
    super('unavailable', `${model} is not asked just now: too many of its calls have failed`);
  }
}

/**
 * Puts a circuit breaker for each tenant and model before a language model. One tenant's failures, such as prompts that
 * the model refuses, do not concern other tenants.
 */
export class ModelGuard {
  readonly #model: LanguageModel;
  readonly #onOpened: (tenant: string, model: string) => void;
  readonly #breakers: CircuitBreakers;

  /**
   * `onOpened` is called when a breaker opens, and when a failed trial keeps it open. `now` returns milliseconds that never
   * decrease.
   */
  constructor(
    model: LanguageModel,
    onOpened: (tenant: string, model: string) => void,
    now: () => number = () => performance.now(),
    { createRule, openMs }: GuardRule = ofQuestions,
  ) {
    this.#model = model;
    this.#onOpened = onOpened;
    this.#breakers = new CircuitBreakers(() => new CircuitBreaker({ rule: createRule(), openMs, now }));
  }

  /** Number of breakers that are open or half-open. */
  get open(): number {
    return this.#breakers.open;
  }

  /** The model for the calls of one tenant; they reject with `BreakerOpen` at once while its breaker is open. */
  of(tenant: string): LanguageModel {
    const { models, thoughtTokens } = this.#model;
    return { models, thoughtTokens, complete: (request) => this.#complete(tenant, request) };
  }

  async #complete<T>(tenant: string, request: CompletionRequest<T>): Promise<Completion<T>> {
    const name = request.model ?? this.#model.models[request.role];
    const permit = this.#breakers.of(JSON.stringify([tenant, name])).enter();
    if (!permit) throw new BreakerOpen(name);
    try {
      const completion = await this.#model.complete(request);
      permit.succeeded();
      return completion;
    } catch (error) {
      // A caller who left says nothing about the model.
      if (!requestSignal()?.aborted && permit.failed()) this.#onOpened(tenant, name);
      throw error;
    }
  }
}
