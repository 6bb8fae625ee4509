import { leaseRenewalMs, leaseTtlMs, type Leases } from '../ports/leases.ts';
import { pause } from '../support/pause.ts';
import { LeaseLost } from './processor.ts';

/** A lease that this process holds, renewed in the background until `end` is called. */
export class HeldLease {
  readonly epoch: number;
  readonly #leases: Leases;
  readonly #name: string;
  readonly #onError: (error: unknown) => void;
  readonly #lost = new AbortController();
  readonly #ended = new AbortController();
  readonly #renewing: Promise<void>;
  /** When the lease expires, in the time of `performance.now()`. */
  #expiresAt: number;

  /** Takes the lease; undefined if another process holds it. `onError` receives failed renewals. */
  static async take(
    leases: Leases,
    name: string,
    onError: (error: unknown) => void,
  ): Promise<HeldLease | undefined> {
    const requestedAt = performance.now();
    const epoch = await leases.hold(name);
    return epoch === undefined
      ? undefined
      : new HeldLease(leases, name, epoch, requestedAt + leaseTtlMs, onError);
  }

  private constructor(
    leases: Leases,
    name: string,
    epoch: number,
    expiresAt: number,
    onError: (error: unknown) => void,
  ) {
    this.#leases = leases;
    this.#name = name;
    this.epoch = epoch;
    this.#expiresAt = expiresAt;
    this.#onError = onError;
    this.#renewing = this.#renew();
  }

  /** Aborts with `LeaseLost` when another process may hold the lease. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** False in a process that could not renew it in time, for example because it was frozen. */
  get isHeld(): boolean {
    return performance.now() < this.#expiresAt;
  }

  /** Stops the renewal. The lease expires by itself if it is not released. */
  async end(): Promise<void> {
    this.#ended.abort();
    await this.#renewing;
  }

  /** While the database is unreachable, the lease is kept until it expires: the database may be back before. */
  async #renew(): Promise<void> {
    const { signal } = this.#ended;
    for (;;) {
      await pause(leaseRenewalMs, signal);
      if (signal.aborted) return;
      const requestedAt = performance.now();
      try {
        const epoch = await this.#leases.hold(this.#name);
        if (epoch !== this.epoch) return this.#lose(`another process has taken the lease ${this.#name}`);
        this.#expiresAt = requestedAt + leaseTtlMs;
      } catch (error) {
        this.#onError(error);
        if (!this.isHeld) return this.#lose(`the lease ${this.#name} could not be renewed in time`);
      }
    }
  }

  #lose(reason: string): void {
    this.#lost.abort(new LeaseLost(reason));
  }
}
