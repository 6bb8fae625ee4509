import { valuesOff } from '../../domain/learning/value-gain.ts';
import type { ValuesComparison } from '../../domain/learning/value-events.ts';
import type { PolicyEvent } from '../../domain/routing/events.ts';
import { killSwitchStream, valuesStream } from '../../domain/streams.ts';
import type { EventStore } from '../../ports/event-store.ts';
import { FreshCache } from '../../support/fresh-cache.ts';

/** Cache of how much the values of memories weigh in the ranking of each tenant, read from the log. */
export class ValueDirectory {
  readonly #store: EventStore;
  readonly #weights = new FreshCache<number>({ max: 10_000, freshMs: 1_000 });

  constructor(store: EventStore) {
    this.#store = store;
  }

  /** 0 while values are not proven to help, and while the kill switch is engaged. */
  weight(tenant: string): Promise<number> {
    return this.#weights.get(tenant, () => this.#read(tenant));
  }

  async #read(tenant: string): Promise<number> {
    const [comparisons, switches] = await Promise.all([
      this.#store.load<ValuesComparison>(valuesStream(tenant)),
      this.#store.load<PolicyEvent>(killSwitchStream),
    ]);
    const last = switches.at(-1)?.event;
    if (last?.type === 'KillSwitchSet' && last.data.engaged) return 0;
    return comparisons.at(-1)?.event.data.weight ?? valuesOff.weight;
  }
}
