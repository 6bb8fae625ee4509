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

/** A key revoked at another process stops working here within this time. */
const freshForMs = 1_000;
/** Ids of no key make this process look for new ones at most so often in a tenant: anybody can invent ids. */
const lookAgainMs = 100;
/** Tenants whose keys are kept: those that called last. */
const mostTenants = 10_000;

/** What a tenant's stream held when a read of it began. */
interface Known {
  readonly keys: TenantState;
  /** Of the last event that `keys` holds; -1 where there is none. */
  readonly revision: number;
  readonly readAt: number;
}

/** The keys of each tenant, folded from its stream and kept at hand. */
export class TenantDirectory {
  readonly #store: EventStore;
  readonly #clock: Clock;
  readonly #known = new LRUCache<string, Known>({ max: mostTenants });
  /** One read of a tenant at a time: what is new is folded onto what the read before it found. */
  readonly #reading = new Map<string, Promise<Known>>();
  /** Undefined until it is looked up, and again after this process made a key. */
  #anyKey: boolean | undefined;

  constructor(store: EventStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * The key if it may be used now. One that was just created, wherever, is found: for an id that is not known here yet
   * the tenant is read again, after `lookAgainMs` at most.
   */
  async findUsable(tenant: string, keyId: string): Promise<ApiKey | undefined> {
    const asked = performance.now();
    let known = await this.#knownSince(tenant, asked - freshForMs);
    if (!known.keys.has(keyId) && known.readAt < asked)
      known = await this.#knownSince(tenant, asked, lookAgainMs);
    const key = known.keys.get(keyId);
    return key && isUsable(key, this.#clock.now()) ? key : undefined;
  }

  /** All keys of a tenant, revoked ones too, newest first. */
  async list(tenant: string): Promise<ApiKey[]> {
    const { keys } = await this.#knownSince(tenant, performance.now());
    return [...keys.values()].reverse();
  }

  /**
   * Whether any tenant ever had a key: then the development identity is gone for good. Where that identity exists, no
   * other process can make one unseen: call `refresh` after a key was made here.
   */
  async anyKeyEver(): Promise<boolean> {
    if (this.#anyKey !== undefined) return this.#anyKey;
    const page = await this.#store.log.readAll({ limit: 1, filter: { categories: ['tenant'] } });
    return (this.#anyKey = page.events.length > 0);
  }

  /** Reads what is new of a tenant's keys: they were changed just now. */
  async refresh(tenant: string): Promise<void> {
    this.#anyKey = undefined;
    await this.#knownSince(tenant, performance.now());
  }

  /** As a read found it that began at `moment` or later, and `apartMs` after the one before it. */
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

  /** The read that is under way, or a new one. */
  #read(tenant: string): Promise<Known> {
    const underWay = this.#reading.get(tenant);
    if (underWay) return underWay;
    const reading = this.#readOn(tenant).finally(() => this.#reading.delete(tenant));
    this.#reading.set(tenant, reading);
    return reading;
  }

  async #readOn(tenant: string): Promise<Known> {
    const readAt = performance.now();
    const { keys, revision } = this.#known.get(tenant) ?? { keys: noKeys, revision: -1 };
    const added = await this.#store.load<TenantEvent>(tenantStream(tenant), revision + 1);
    const known = {
      keys: added.length > 0 ? foldTenant(keys, added) : keys,
      revision: added.at(-1)?.revision ?? revision,
      readAt,
    };
    // A tenant that there is not costs one empty read; kept, invented names would drive the real ones out.
    if (known.revision >= 0) this.#known.set(tenant, known);
    return known;
  }
}
