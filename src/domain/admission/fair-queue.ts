/** Something that waits for its turn. */
export interface Waiting {
  readonly tenant: string;
  /** The credential, unique within the tenant. */
  readonly key: string;
  /** Estimated work, above 0. */
  readonly cost: number;
}

/** Requests of one tenant, or of one key of it. */
interface Flow {
  /** Virtual time: the work that the flow has had, and at its start that of the flow that had least. */
  time: number;
}

interface KeyFlow extends Flow {
  readonly items: Set<Waiting>;
  /** Estimated work of the items. */
  cost: number;
}

interface TenantFlow extends Flow {
  readonly keys: Map<string, KeyFlow>;
  /** Virtual time of the key that was served last: where a key begins that had nothing waiting. */
  now: number;
}

/**
 * A queue with fair turns among tenants, and among the keys of a tenant, by start-time fair queuing (Goyal, Vin, Cheng 1996): the next item
 * is the oldest one of the flow that has had least work. However much one flow has waiting, another one waits only for its own share, and
 * what a flow did not use earlier gives it no claim now.
 */
export class FairQueue<Item extends Waiting> {
  readonly #tenants = new Map<string, TenantFlow>();
  #now = 0;
  #size = 0;
  #cost = 0;

  get size(): number {
    return this.#size;
  }

  /** Estimated work of all items. */
  get cost(): number {
    return this.#cost;
  }

  /** Number of keys that have something waiting. */
  get flows(): number {
    let count = 0;
    for (const { keys } of this.#tenants.values()) count += keys.size;
    return count;
  }

  /** Number of items and estimated work that a key has waiting. */
  of({ tenant, key }: Pick<Waiting, 'tenant' | 'key'>): { readonly size: number; readonly cost: number } {
    const flow = this.#tenants.get(tenant)?.keys.get(key);
    return { size: flow?.items.size ?? 0, cost: flow?.cost ?? 0 };
  }

  push(item: Item): void {
    let tenant = this.#tenants.get(item.tenant);
    if (!tenant) this.#tenants.set(item.tenant, (tenant = { time: this.#now, now: 0, keys: new Map() }));
    let key = tenant.keys.get(item.key);
    if (!key) tenant.keys.set(item.key, (key = { time: tenant.now, items: new Set(), cost: 0 }));
    key.items.add(item);
    key.cost += item.cost;
    this.#size++;
    this.#cost += item.cost;
  }

  /** Removes an item that no longer waits. Does nothing if it was taken. */
  remove(item: Item): void {
    const tenant = this.#tenants.get(item.tenant);
    const key = tenant?.keys.get(item.key);
    if (!tenant || !key?.items.delete(item)) return;
    key.cost -= item.cost;
    this.#size--;
    this.#cost -= item.cost;
    if (key.items.size > 0) return;
    tenant.keys.delete(item.key);
    if (tenant.keys.size === 0) this.#tenants.delete(item.tenant);
  }

  /** Takes the next item in turn among those that fit; items of a flow keep their order. */
  take(fits: (item: Item) => boolean): Item | undefined {
    for (const tenant of byTime(this.#tenants.values())) {
      for (const key of byTime(tenant.keys.values())) {
        const item = key.items.values().next().value as Item;
        if (!fits(item)) continue;
        this.#now = tenant.time;
        tenant.now = key.time;
        tenant.time += item.cost;
        key.time += item.cost;
        this.remove(item);
        return item;
      }
    }
    return undefined;
  }
}

function byTime<Each extends Flow>(flows: Iterable<Each>): readonly Each[] {
  return [...flows].toSorted((one, other) => one.time - other.time);
}
