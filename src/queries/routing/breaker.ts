export interface BreakerOptions {
  /** So many runs of a tenant have to fail one after the other. */
  readonly failures: number;
  /** How long none is begun then; after it one run tries. */
  readonly pauseMs: number;
}

interface Record {
  failures: number;
  openUntil: number;
}

/** Spares a tenant the wait for runs that have failed again and again. Other tenants are not concerned. */
export class Breaker {
  readonly #options: BreakerOptions;
  readonly #records = new Map<string, Record>();

  constructor(options: BreakerOptions) {
    this.#options = options;
  }

  /** Whether a run may begin; while one tries after a pause, no other may. */
  allows(tenant: string): boolean {
    const record = this.#records.get(tenant);
    if (!record || record.failures < this.#options.failures) return true;
    const now = performance.now();
    if (now < record.openUntil) return false;
    record.openUntil = now + this.#options.pauseMs;
    return true;
  }

  succeeded(tenant: string): void {
    this.#records.delete(tenant);
  }

  failed(tenant: string): void {
    const failures = (this.#records.get(tenant)?.failures ?? 0) + 1;
    this.#records.set(tenant, { failures, openUntil: performance.now() + this.#options.pauseMs });
  }
}
