import { valuesOff } from '../../domain/learning/value-gain.ts';
import type { ValuesComparison } from '../../domain/learning/value-events.ts';
import type { PolicyEvent } from '../../domain/routing/events.ts';
import { killSwitchStream, valuesStream } from '../../domain/streams.ts';
import type { EventStore } from '../../ports/event-store.ts';

/** A change is noticed within this time. */
const freshForMs = 1_000;
const mostTenants = 10_000;

interface Known {
  readonly weight: Promise<number>;
  readonly readAt: number;
}

/** Cache of how much the values of memories weigh in the ranking of each tenant, read from the log. */
export class ValueDirectory {
  readonly #store: EventStore;
  readonly #known = new Map<string, Known>();

  constructor(store: EventStore) {
    this.#store = store;
  }

  /** 0 while values are not proven to help, and while the kill switch is engaged. */
  async weight(tenant: string): Promise<number> {
    const now = performance.now();
    const known = this.#known.get(tenant);
    if (known && now - known.readAt < freshForMs) return known.weight;
    if (this.#known.size >= mostTenants) this.#known.clear();
    const weight = this.#read(tenant);
    this.#known.set(tenant, { weight, readAt: now });
    weight.catch(() => this.#known.delete(tenant));
    return weight;
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
