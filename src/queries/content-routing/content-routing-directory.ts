import { contentRoutingIn, type ContentRoutingEvent } from '../../domain/content-routing/events.ts';
import { presetRules } from '../../domain/content-routing/preset-rules.ts';
import type { ContentRouting } from '../../domain/content-routing/rules.ts';
import { contentRoutingStream } from '../../domain/streams.ts';
import type { EventStore } from '../../ports/event-store.ts';
import { FreshCache } from '../../support/fresh-cache.ts';
import type { SpacesOf } from '../search/search.ts';

/** The rules that count for a tenant. */
export interface RulesInForce extends ContentRouting {
  /** Whether the tenant configured them; else they are those of the presets of its spaces. */
  readonly configured: boolean;
  /** Revision of the configuration; -1 if there is none. */
  readonly revision: number;
}

/** Cache of the rules for documents without spaces, read from the log. */
export class ContentRoutingDirectory {
  readonly #store: EventStore;
  readonly #spaces: SpacesOf;
  /** A change made through another process takes effect here within five seconds. */
  readonly #configured = new FreshCache<ReturnType<typeof contentRoutingIn>>({
    max: 10_000,
    freshMs: 60_000,
    refreshMs: 5_000,
  });

  constructor(store: EventStore, spaces: SpacesOf) {
    this.#store = store;
    this.#spaces = spaces;
  }

  async of(tenant: string): Promise<RulesInForce> {
    const configured = await this.#configured.get(tenant, async () =>
      contentRoutingIn(await this.#store.load<ContentRoutingEvent>(contentRoutingStream(tenant))),
    );
    if (configured) return { ...configured.routing, configured: true, revision: configured.revision };
    return { rules: presetRules(await this.#spaces.of(tenant)), configured: false, revision: -1 };
  }

  /** Clears the cache. Call it after this process changed the rules. */
  forget(): void {
    this.#configured.clear();
  }
}
