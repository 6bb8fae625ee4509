import { LRUCache } from 'lru-cache';
import type { SqlExecutor } from '../../ports/sql.ts';

const maxTenants = 10_000;
/** A tenant is counted again after this process has written this many rows, since other processes write too. */
const recountAfter = 1_000;
/**
 * It is not counted again before it has written rows for this share of the limit, because counting large tenants takes longer. After
 * that it is counted at once if it may have exceeded the limit.
 */
const nearShare = 0.01;

interface Size {
  readonly counted: number;
  /** Rows written since then; some may have existed already. */
  written: number;
}

/** Finds tenants with more than `limit` rows in a table without counting the rows for each batch. */
export class TenantSizes {
  readonly #table: string;
  readonly #limit: number;
  readonly #sizes = new LRUCache<string, Size>({ max: maxTenants });

  constructor(table: string, limit: number) {
    this.#table = table;
    this.#limit = limit;
  }

  /** The tenants of `rows` that will be above the limit, or nearly so, once these are written. */
  async above(
    executor: SqlExecutor,
    rows: readonly { readonly tenant: string }[],
  ): Promise<ReadonlySet<string>> {
    const tenants = new Set(rows.map(({ tenant }) => tenant));
    await this.#count(
      executor,
      [...tenants].filter((tenant) => this.#mustCount(tenant)),
    );
    for (const { tenant } of rows) this.#sizes.get(tenant)!.written++;
    return new Set([...tenants].filter((tenant) => this.#sizes.get(tenant)!.counted > this.#limit));
  }

  #mustCount(tenant: string): boolean {
    const size = this.#sizes.get(tenant);
    if (!size) return true;
    const { counted, written } = size;
    const mayBeAbove = counted + written > this.#limit;
    const near = nearShare * this.#limit;
    return counted <= this.#limit && written >= (mayBeAbove ? near : Math.max(near, recountAfter));
  }

  async #count(executor: SqlExecutor, tenants: readonly string[]): Promise<void> {
    if (tenants.length === 0) return;
    const rows = await executor.query<{ tenant: string; size: number }>(
      `select tenant, (select count(*)::integer from (select 1 from ${this.#table} k where k.tenant = asked.tenant limit $2) k) as size
       from unnest($1::text[]) as asked(tenant)`,
      [[...tenants], this.#limit + 1],
    );
    for (const { tenant, size } of rows) this.#sizes.set(tenant, { counted: size, written: 0 });
  }
}
