import { limitsIn } from '../../commands/configure-limits.ts';
import type { LimitsEvent } from '../../domain/admission/events.ts';
import type { Limits } from '../../domain/admission/limits.ts';
import { limitsStream } from '../../domain/streams.ts';
import type { EventStore } from '../../ports/event-store.ts';
import { FreshCache } from '../../support/fresh-cache.ts';

/** Cache of the limits of each tenant, read from the log. */
export class LimitsDirectory {
  readonly #store: EventStore;
  /** A change made through another process takes effect here within five seconds. */
  readonly #limits = new FreshCache<Limits>({ max: 10_000, freshMs: 60_000, refreshMs: 5_000 });

  constructor(store: EventStore) {
    this.#store = store;
  }

  of(tenant: string): Promise<Limits> {
    return this.#limits.get(tenant, async () => {
      return limitsIn(await this.#store.load<LimitsEvent>(limitsStream(tenant)));
    });
  }

  /** Clears the cache. Call it after this process changed a limit. */
  forget(): void {
    this.#limits.clear();
  }
}
