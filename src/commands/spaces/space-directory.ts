import { LRUCache } from 'lru-cache';
import type { SpaceEvent } from '../../domain/spaces/events.ts';
import { foldSpaces, noSpaces, type Space, type Spaces } from '../../domain/spaces/spaces.ts';
import { spacesStream } from '../../domain/streams.ts';
import type { EventStore } from '../../ports/event-store.ts';
import { FreshCache } from '../../support/fresh-cache.ts';
import { compileSchema, type SchemaCheck } from '../../support/json-schema.ts';

interface Known {
  readonly spaces: Spaces;
  /** Revision of the last event included; -1 if there is none. */
  readonly revision: number;
}

/** The spaces of each tenant, folded from its stream. */
export class SpaceDirectory {
  readonly #store: EventStore;
  /** A change made through another process takes effect here within five seconds. */
  readonly #known = new FreshCache<Known>({ max: 10_000, freshMs: 60_000, refreshMs: 5_000 });
  readonly #checks = new LRUCache<string, Promise<SchemaCheck>>({ max: 1_000 });

  constructor(store: EventStore) {
    this.#store = store;
  }

  /** What counts for commands: at most some seconds old. */
  async of(tenant: string): Promise<Spaces> {
    const { spaces } = await this.#known.get(tenant, (last) => this.#readNewEvents(tenant, last));
    return spaces;
  }

  /** What the log says now. */
  async current(tenant: string): Promise<Spaces> {
    const now = performance.now();
    const { spaces } = await this.#known.since(tenant, now, (last) => this.#readNewEvents(tenant, last));
    return spaces;
  }

  /** The check of the metadata of a space; undefined if it has no schema. */
  async checkOf(tenant: string, { id, config, revision }: Space): Promise<SchemaCheck | undefined> {
    if (!config.metadataSchema) return undefined;
    const key = `${tenant} ${revision} ${id}`;
    let check = this.#checks.get(key);
    if (!check) this.#checks.set(key, (check = compileSchema(config.metadataSchema)));
    return check;
  }

  async #readNewEvents(tenant: string, last: Known = { spaces: noSpaces, revision: -1 }): Promise<Known> {
    const added = await this.#store.load<SpaceEvent>(spacesStream(tenant), last.revision + 1);
    if (added.length === 0) return last;
    return { spaces: foldSpaces(last.spaces, added), revision: added.at(-1)!.revision };
  }
}
