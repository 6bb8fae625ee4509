import { LRUCache } from 'lru-cache';
import type { TenantContext } from '../../domain/access/context.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import type { Sql } from '../../ports/sql.ts';

const mostCached = 10_000;
/** How long a principal counts as one that posts no outcomes after it was looked up. */
const negativeMs = 30_000;

/** The principals that have posted an outcome. From then on their silence says something too. */
export class OutcomePosters {
  readonly #sql: Sql;
  readonly #logId: string;
  readonly #vault: KeyVault;
  readonly #cache = new LRUCache<string, boolean>({ max: mostCached });

  constructor(sql: Sql, logId: string, vault: KeyVault) {
    this.#sql = sql;
    this.#logId = logId;
    this.#vault = vault;
  }

  async has({ tenant, principal }: Pick<TenantContext, 'tenant' | 'principal'>): Promise<boolean> {
    const hashed = this.#vault.pseudonym('principal', tenant, principal);
    const key = `${tenant}/${hashed}`;
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached;
    const rows = await this.#sql.query(
      'select 1 from control.outcome_posters where log_id = $1 and tenant = $2 and principal = $3',
      [this.#logId, tenant, hashed],
    );
    const has = rows.length > 0;
    this.#cache.set(key, has, has ? {} : { ttl: negativeMs });
    return has;
  }
}
