import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
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

/** A key revoked through another process stops working here within this time. */
const freshForMs = 1_000;
/** Minimum time between reads of a tenant for unknown key ids, because anybody can make up ids. */
const unknownIdReadMs = 100;
/** Maximum tenants whose keys are cached; the least recently used are evicted. */
const mostTenants = 10_000;

/** The keys in a tenant's stream when a read of it began. */
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
  readonly #known = new LRUCache<string, Known>({ max: mostTenants });
  /** At most one read per tenant at a time, because each read folds new events onto the result of the one before. */
  readonly #reading = new Map<string, Promise<Known>>();
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
    let known = await this.#knownSince(tenant, asked - freshForMs);
    if (!known.keys.has(keyId) && known.readAt < asked)
      known = await this.#knownSince(tenant, asked, unknownIdReadMs);
    const key = known.keys.get(keyId);
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

  /** The result of a read that began at `moment` or later, and at least `apartMs` after the one before it. */
  async #knownSince(tenant: string, moment: number, apartMs = 0): Promise<Known> {
    let known = this.#known.get(tenant);
    while (!known || known.readAt < moment) {
      const early = known ? known.readAt + apartMs - performance.now() : 0;
      if (early > 0) {
        await sleep(early);
        known = this.#known.get(tenant);
      } else {
        known = await this.#read(tenant);
      }
    }
    return known;
  }

  /** The read in progress, or a new one. */
  #read(tenant: string): Promise<Known> {
    const underWay = this.#reading.get(tenant);
    if (underWay) return underWay;
    const reading = this.#readNewEvents(tenant).finally(() => this.#reading.delete(tenant));
    this.#reading.set(tenant, reading);
    return reading;
  }

  async #readNewEvents(tenant: string): Promise<Known> {
    const readAt = performance.now();
    const { keys, revision } = this.#known.get(tenant) ?? { keys: noKeys, revision: -1 };
    const added = await this.#store.load<TenantEvent>(tenantStream(tenant), revision + 1);
    const known = {
      keys: added.length > 0 ? foldTenant(keys, added) : keys,
      revision: added.at(-1)?.revision ?? revision,
      readAt,
    };
    // A tenant that does not exist is not cached, because made-up names would evict real tenants. It costs one empty read.
    if (known.revision >= 0) this.#known.set(tenant, known);
    return known;
  }
}
