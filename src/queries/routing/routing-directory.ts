import type { PolicyEvent } from '../../domain/routing/events.ts';
import { defaultSettings, type RoutingSettings } from '../../domain/routing/settings.ts';
import { killSwitchStream, routingStream } from '../../domain/streams.ts';
import type { EventStore } from '../../ports/event-store.ts';
import type { StreamName } from '../../ports/event-log.ts';

/** A change made through another process takes effect here within this time; one made here, at once. */
const freshForMs = 1_000;

interface Known {
  readonly event: PolicyEvent | undefined;
  readonly readAt: number;
}

/** Cache of the routing settings of each tenant and of the global kill switch, read from the log. */
export class RoutingDirectory {
  readonly #store: EventStore;
  readonly #known = new Map<StreamName, Known>();

  constructor(store: EventStore) {
    this.#store = store;
  }

  async settings(tenant: string): Promise<RoutingSettings> {
    const event = await this.#last(routingStream(tenant));
    return event?.type === 'RoutingConfigured' ? event.data : defaultSettings;
  }

  async killed(): Promise<boolean> {
    const event = await this.#last(killSwitchStream);
    return event?.type === 'KillSwitchSet' && event.data.engaged;
  }

  /** Clears the cache. Call it after this process changed a setting. */
  forget(): void {
    this.#known.clear();
  }

  async #last(stream: StreamName): Promise<PolicyEvent | undefined> {
    const readAt = performance.now();
    const known = this.#known.get(stream);
    if (known && readAt - known.readAt < freshForMs) return known.event;
    const event = (await this.#store.load<PolicyEvent>(stream)).at(-1)?.event;
    // A slow read must not overwrite the result of one that began later.
    if (readAt >= (this.#known.get(stream)?.readAt ?? -Infinity)) this.#known.set(stream, { event, readAt });
    return event;
  }
}
