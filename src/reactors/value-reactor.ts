import { changeStream } from '../commands/change-stream.ts';
import { inTenant, type CommandContext, type CommandServices } from '../commands/context.ts';
import { evidenceForLook } from '../domain/learning/looks.ts';
import { decideValues, valueGain, valuesOff, type UsedSearch } from '../domain/learning/value-gain.ts';
import type { ValuesComparison } from '../domain/learning/value-events.ts';
import { valuesStream } from '../domain/streams.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import type { Reactor } from '../follow/reactor.ts';

/** What the read model `values` knows; each call waits for a position. */
export interface ValueReads {
  /** Number of searches in which something was used. */
  readonly count: (tenant: string, minPosition: number) => Promise<number>;
  /** Searches with an explicit outcome, the latest ones. */
  readonly searches: (tenant: string, minPosition: number) => Promise<readonly UsedSearch[]>;
}

export interface ValueReactorParts {
  readonly services: CommandServices;
  readonly reads: ValueReads;
}

/**
 * Decides for each tenant whether the values of memories change its ranking (requirement C5): whenever its searches with an explicit
 * outcome have doubled, by what values would have changed in them.
 */
export class ValueReactor implements Reactor {
  readonly name = 'value-decisions';
  readonly handles = ['UseObserved'] as const;
  readonly routingOnly = true;
  // Nobody waits for a look, and one is enough for many searches.
  readonly lingerMs = 500;
  readonly #parts: ValueReactorParts;
  readonly #context: CommandContext;
  /** By tenant, how many more searches there must be before the next look. */
  readonly #missing = new Map<string, number>();

  constructor(parts: ValueReactorParts, context: CommandContext) {
    this.#parts = parts;
    this.#context = context;
  }

  async handle(events: readonly LoadedEvent[]): Promise<void> {
    const byTenant = new Map<string, { count: number; last: LoadedEvent }>();
    for (const loaded of events) {
      const { tenant } = loaded.metadata;
      byTenant.set(tenant, { count: (byTenant.get(tenant)?.count ?? 0) + 1, last: loaded });
    }
    for (const [tenant, { count, last }] of byTenant) {
      const missing = (this.#missing.get(tenant) ?? 0) - count;
      this.#missing.set(tenant, missing > 0 ? missing : await this.#look(tenant, last));
    }
  }

  /** Looks if it is time to. Returns how many searches are missing until the next look, at least 1. */
  async #look(tenant: string, { position, id }: LoadedEvent): Promise<number> {
    const { services, reads } = this.#parts;
    const loaded = await services.store.load<ValuesComparison>(valuesStream(tenant));
    const looks = loaded.at(-1)?.event.data.looks ?? valuesOff.looks;
    const count = await reads.count(tenant, position);
    const needed = evidenceForLook(looks);
    if (count < needed) return needed - count;
    const gain = valueGain(await reads.searches(tenant, position));
    const own = { ...inTenant(this.#context, tenant), causationId: id };
    await changeStream<ValuesComparison>(services, own, {
      stream: valuesStream(tenant),
      memoryId: '',
      decide: (history) => {
        const before = history.at(-1)?.event.data ?? valuesOff;
        const look = decideValues(gain, before, count);
        if (!look) return [];
        const { looks: made, interval, weight } = look;
        const { gain: mean, leastWithoutOne } = gain;
        return [
          {
            type: 'ValuesCompared',
            data: {
              searches: count,
              looks: made,
              gain: mean,
              ...(interval.every(Number.isFinite) && { interval: [...interval] as [number, number] }),
              ...(leastWithoutOne !== undefined && { leastWithoutOne }),
              weight,
            },
          },
        ];
      },
    });
    return 1;
  }
}
