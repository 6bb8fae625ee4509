export interface BucketLimit {
  /** Units that come back each second. */
  readonly unitsPerSecond: number;
  /** Units that may be used at once after a pause. */
  readonly burst: number;
}

/** What a bucket says of one request. Units are those of `Operation.cost`; one is the work of a plain search. */
export interface BucketState {
  readonly isAllowed: boolean;
  /** Units left now; 0 if the bucket is in debt. */
  readonly remaining: number;
  /** Seconds until a request of this cost is allowed. */
  readonly retryAfter: number;
  /** Seconds until the bucket is full again. */
  readonly resetsIn: number;
}

/**
 * A token bucket that is refilled when it is asked. A request that costs more than the whole burst is allowed when the bucket is full, and
 * leaves a debt: otherwise it could never be made, and a rate would not hold without the debt.
 */
export class TokenBucket {
  #units: number;
  /** In milliseconds of any monotonic clock. */
  #at: number;

  constructor({ burst }: BucketLimit, now: number) {
    this.#units = burst;
    this.#at = now;
  }

  /** Takes the cost if it is allowed. The limit may change between calls. */
  take(cost: number, limit: BucketLimit, now: number): BucketState {
    this.#refill(limit, now);
    const needed = Math.min(cost, limit.burst);
    // Rounding in the refill must not refuse a request that waited as long as it was told to.
    const isAllowed = this.#units >= needed - 1e-9;
    if (isAllowed) this.#units -= cost;
    const missing = isAllowed ? 0 : needed - this.#units;
    return {
      isAllowed,
      remaining: Math.max(0, this.#units),
      retryAfter: missing / limit.unitsPerSecond,
      resetsIn: (limit.burst - this.#units) / limit.unitsPerSecond,
    };
  }

  #refill({ unitsPerSecond, burst }: BucketLimit, now: number): void {
    const seconds = Math.max(0, now - this.#at) / 1_000;
    this.#units = Math.min(burst, this.#units + seconds * unitsPerSecond);
    this.#at = now;
  }
}
