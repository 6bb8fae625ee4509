import type { PolicyEvent } from '../../domain/routing/events.ts';
import { defaultSettings, type RoutingSettings } from '../../domain/routing/settings.ts';
import { killSwitchStream, routingStream } from '../../domain/streams.ts';
import type { EventStore } from '../../ports/event-store.ts';
import type { StreamName } from '../../ports/event-log.ts';
import { FreshCache } from '../../support/fresh-cache.ts';

/** What the configuration of this process disables. */
export interface SwitchedOff {
  /** Every question takes the standard route. */
  readonly routing: boolean;
  readonly reasoning: boolean;
}

/** Cache of the routing settings of each tenant and of the global kill switch, read from the log. */
export class RoutingDirectory {
  readonly switchedOff: SwitchedOff;
  readonly #store: EventStore;
  /** The last event of each stream. A change made through another process takes effect here within a second. */
  readonly #last = new FreshCache<PolicyEvent | undefined>({ max: 10_000, freshMs: 1_000 });

  constructor(store: EventStore, switchedOff: SwitchedOff) {
    this.#store = store;
    this.switchedOff = switchedOff;
  }

  async settings(tenant: string): Promise<RoutingSettings> {
    const event = await this.#lastOf(routingStream(tenant));
    return event?.type === 'RoutingConfigured' ? event.data : defaultSettings;
  }

  async killed(): Promise<boolean> {
    const event = await this.#lastOf(killSwitchStream);
    return event?.type === 'KillSwitchSet' && event.data.engaged;
  }

  /** Clears the cache. Call it after this process changed a setting. */
  forget(): void {
    this.#last.clear();
  }

  #lastOf(stream: StreamName): Promise<PolicyEvent | undefined> {
    return this.#last.get(stream, async () => (await this.#store.load<PolicyEvent>(stream)).at(-1)?.event);
  }
}
