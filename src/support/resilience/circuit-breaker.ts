import { LRUCache } from 'lru-cache';

/** Decides from the outcomes of calls whether a breaker opens. Times are milliseconds that never decrease. */
export interface TripRule {
  record(failed: boolean, now: number): void;
  isTripped(now: number): boolean;
  /** Forgets all calls. */
  reset(): void;
}

/** Trips after this many failures in a row. */
export class ConsecutiveFailures implements TripRule {
  readonly #limit: number;
  #failures = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  record(failed: boolean): void {
    this.#failures = failed ? this.#failures + 1 : 0;
  }

  isTripped(): boolean {
    return this.#failures >= this.#limit;
  }

  reset(): void {
    this.#failures = 0;
  }
}

export interface CircuitBreakerOptions {
  readonly rule: TripRule;
  /** How long an open breaker rejects all calls; then one trial call is allowed. */
  readonly openMs: number;
  /** How long the outcome of a trial call is awaited before another one is allowed; `openMs` by default. */
  readonly trialMs?: number;
  /** Milliseconds that never decrease. */
  readonly now?: () => number;
}

/** An allowed call. Report its outcome once; a call that says nothing about the server's health may leave it out. */
export interface Permit {
  succeeded(): void;
  /** Returns true if this failure opened the breaker, or a failed trial keeps it open. */
  failed(): boolean;
}

/**
 * Stops calls to something that keeps failing. Closed: all calls are allowed. Open: none for `openMs`. Half-open: one trial call
 * is allowed; its success closes the breaker, its failure opens it again. Calls allowed before the breaker opened do not
 * change its state when they end.
 */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  readonly #now: () => number;
  /** Undefined while closed. */
  #openUntil: number | undefined;

  constructor(options: CircuitBreakerOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Whether the breaker is open or half-open. */
  get isOpen(): boolean {
    return this.#openUntil !== undefined;
  }

  /** Undefined if the call is not allowed. */
  enter(): Permit | undefined {
    const isTrial = this.isOpen;
    if (this.#openUntil !== undefined) {
      const now = this.#now();
      if (now < this.#openUntil) return undefined;
      const { openMs, trialMs = openMs } = this.#options;
      this.#openUntil = now + trialMs;
    }
    return { succeeded: () => this.#succeeded(isTrial), failed: () => this.#failed(isTrial) };
  }

  #succeeded(isTrial: boolean): void {
    const { rule } = this.#options;
    if (isTrial) {
      this.#openUntil = undefined;
      rule.reset();
    }
    rule.record(false, this.#now());
  }

  #failed(isTrial: boolean): boolean {
    const { rule, openMs } = this.#options;
    const now = this.#now();
    rule.record(true, now);
    const opens = isTrial || (!this.isOpen && rule.isTripped(now));
    if (opens) this.#openUntil = now + openMs;
    return opens;
  }
}

/** A breaker for each key, such as a tenant: one tenant's failures do not concern the others. */
export class CircuitBreakers {
  readonly #create: () => CircuitBreaker;
  readonly #breakers: LRUCache<string, CircuitBreaker>;

  /** Keeps the `max` breakers that were used last. */
  constructor(create: () => CircuitBreaker, max = 10_000) {
    this.#create = create;
    this.#breakers = new LRUCache({ max });
  }

  of(key: string): CircuitBreaker {
    let breaker = this.#breakers.get(key);
    if (!breaker) {
      breaker = this.#create();
      this.#breakers.set(key, breaker);
    }
    return breaker;
  }

  /** Number of breakers that are open or half-open. */
  get open(): number {
    return [...this.#breakers.values()].filter(({ isOpen }) => isOpen).length;
  }
}
