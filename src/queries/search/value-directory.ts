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
    return this.#weights.get(tenant, () => readValueWeight(this.#store, tenant));
  }
}

/** How much the values of memories weigh, or weighed when the log had reached the position `upTo`. */
export async function readValueWeight(
  store: EventStore,
  tenant: string,
  upTo: number = Infinity,
): Promise<number> {
  const [comparisons, switches] = await Promise.all([
    store.load<ValuesComparison>(valuesStream(tenant)),
    store.load<PolicyEvent>(killSwitchStream),
  ]);
  const isKnown = ({ position }: { readonly position: number }) => position <= upTo;
  const last = switches.findLast(isKnown)?.event;
  if (last?.type === 'KillSwitchSet' && last.data.engaged) return 0;
  return comparisons.findLast(isKnown)?.event.data.weight ?? valuesOff.weight;
}
