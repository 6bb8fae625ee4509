import {
  foldTenant,
  isUsable,
  noKeys,
  type ApiKey,
  type TenantEvent,
  type TenantState,
} from '../domain/tenant/tenant.ts';
import { tenantStream } from '../domain/streams.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventStore } from '../ports/event-store.ts';
import { FreshCache } from '../support/fresh-cache.ts';

/** Minimum time between reads of a tenant for unknown key ids, because anybody can make up ids. */
const unknownIdReadMs = 100;

interface Known {
  readonly keys: TenantState;
  /** Revision of the last event included in `keys`; -1 if there is none. */
  readonly revision: number;
  readonly readAt: number;
}

/** Cache of the keys of each tenant, folded from its stream. */
export class TenantDirectory {
  readonly #store: EventStore;
  readonly #clock: Clock;
  readonly #known = new FreshCache<Known>({
    max: 10_000,
    // A key revoked through another process stops working here within this time.
    freshMs: 1_000,
    // Made-up names would evict real tenants. A tenant that does not exist costs one empty read.
    isKept: ({ revision }) => revision >= 0,
  });
  /** Undefined until it is read, and again after this process created a key. */
  #anyKey: boolean | undefined;

  constructor(store: EventStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * The key, if it may be used now. Finds keys that another process has just created: an unknown id makes it read the tenant
   * again, at most every `unknownIdReadMs`.
   */
  async findUsable(tenant: string, keyId: string): Promise<ApiKey | undefined> {
    const asked = performance.now();
    const known = await this.#known.get(tenant, (last) => this.#readNewEvents(tenant, last));
    const isNewest = known.keys.has(keyId) || known.readAt >= asked;
    const { keys } = isNewest ? known : await this.#knownSince(tenant, asked, unknownIdReadMs);
    const key = keys.get(keyId);
    return key && isUsable(key, this.#clock.now()) ? key : undefined;
  }

  /** All keys of a tenant including revoked ones, newest first. */
  async list(tenant: string): Promise<ApiKey[]> {
    const { keys } = await this.#knownSince(tenant, performance.now());
    return [...keys.values()].reverse();
  }

  /**
   * Whether any tenant ever had a key; if so, the development identity is switched off for good. While that identity exists,
   * only this process can create keys, so the cached answer holds until `refresh`, which must be called after a key was created.
   */
  async anyKeyEver(): Promise<boolean> {
    if (this.#anyKey !== undefined) return this.#anyKey;
    const page = await this.#store.log.readAll({ limit: 1, filter: { categories: ['tenant'] } });
    return (this.#anyKey = page.events.length > 0);
  }

  /** Reads new events of a tenant's keys. Call it after this process changed them. */
  async refresh(tenant: string): Promise<void> {
    this.#anyKey = undefined;
    await this.#knownSince(tenant, performance.now());
  }

  #knownSince(tenant: string, moment: number, apartMs = 0): Promise<Known> {
    return this.#known.since(tenant, moment, (last) => this.#readNewEvents(tenant, last), apartMs);
  }

  async #readNewEvents(tenant: string, last?: Known): Promise<Known> {
    const readAt = performance.now();
    const { keys, revision } = last ?? { keys: noKeys, revision: -1 };
    const added = await this.#store.load<TenantEvent>(tenantStream(tenant), revision + 1);
    if (added.length === 0) return { keys, revision, readAt };
    return { keys: foldTenant(keys, added), revision: added.at(-1)!.revision, readAt };
  }
}
