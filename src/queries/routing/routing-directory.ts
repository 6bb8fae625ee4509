import type { PolicyEvent } from '../../domain/routing/events.ts';
import { defaultSettings, type RoutingSettings } from '../../domain/routing/settings.ts';
import { killSwitchStream, routingStream } from '../../domain/streams.ts';
import type { EventStore } from '../../ports/event-store.ts';
import type { StreamName } from '../../ports/event-log.ts';

/** What was changed at another process holds here within this time; at the same one at once. */
const freshForMs = 1_000;

interface Known {
  readonly event: PolicyEvent | undefined;
  readonly readAt: number;
}

/** The routing of each tenant and the kill switch of all, from the log and kept at hand. */
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

  /** Something was changed at this process just now. */
  forget(): void {
    this.#known.clear();
  }

  async #last(stream: StreamName): Promise<PolicyEvent | undefined> {
    const readAt = performance.now();
    const known = this.#known.get(stream);
    if (known && readAt - known.readAt < freshForMs) return known.event;
    const event = (await this.#store.load<PolicyEvent>(stream)).at(-1)?.event;
    // A slow read must not bring back what a later one saw changed.
    if (readAt >= (this.#known.get(stream)?.readAt ?? -Infinity)) this.#known.set(stream, { event, readAt });
    return event;
  }
}
