import {
  isUsable,
  evolveTenant,
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

interface Known {
  state: TenantState;
  readAt: number;
}

/** The keys of each tenant, folded from its stream and kept at hand. */
export class TenantDirectory {
  readonly #store: EventStore;
  readonly #clock: Clock;
  readonly #known = new Map<string, Known>();
  /** Undefined until it is looked up, and again after this process made a key. */
  #anyKey: boolean | undefined;

  constructor(store: EventStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The key if it may be used now. A key that was just created is found at once. */
  async findUsable(tenant: string, keyId: string): Promise<ApiKey | undefined> {
    let state = await this.#state(tenant, freshForMs);
    if (!state.has(keyId)) state = await this.#state(tenant, 0);
    const key = state.get(keyId);
    return key && isUsable(key, this.#clock.now()) ? key : undefined;
  }

  /** All keys of a tenant, revoked ones too, newest first. */
  async list(tenant: string): Promise<ApiKey[]> {
    return [...(await this.#state(tenant, 0)).values()].reverse();
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

  /** Reads a tenant's keys anew: they were changed just now. */
  async refresh(tenant: string): Promise<void> {
    this.#anyKey = undefined;
    await this.#state(tenant, 0);
  }

  async #state(tenant: string, maxAgeMs: number): Promise<TenantState> {
    const known = this.#known.get(tenant) ?? { state: noKeys, readAt: -Infinity };
    if (performance.now() - known.readAt < maxAgeMs) return known.state;
    const readAt = performance.now();
    const loaded = await this.#store.load<TenantEvent>(tenantStream(tenant));
    const state = loaded.reduce(
      (keys, { event, time }) => evolveTenant(keys, event, time.toISOString()),
      noKeys,
    );
    // A slow read must not bring back what a later one saw revoked.
    const isNewest = readAt >= (this.#known.get(tenant)?.readAt ?? -Infinity);
    if (loaded.length > 0 && isNewest) this.#known.set(tenant, { state, readAt });
    return state;
  }
}
