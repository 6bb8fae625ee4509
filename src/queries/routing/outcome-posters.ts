import { LRUCache } from 'lru-cache';
import type { TenantContext } from '../../domain/access/context.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import { outcomePosters } from '../../read-models/decisions.ts';
import type { ReadModels } from '../read-models.ts';

const mostCached = 10_000;
/** How long a principal counts as one that posts no outcomes after it was looked up. */
const negativeMs = 30_000;

/** The principals that have posted an outcome. From then on their silence says something too. */
export class OutcomePosters {
  readonly #models: ReadModels;
  readonly #vault: KeyVault;
  readonly #cache = new LRUCache<string, boolean>({ max: mostCached });

  constructor(models: ReadModels, vault: KeyVault) {
    this.#models = models;
    this.#vault = vault;
  }

  async has({ tenant, principal }: Pick<TenantContext, 'tenant' | 'principal'>): Promise<boolean> {
    const hashed = this.#vault.pseudonym('principal', tenant, principal);
    const key = `${tenant}/${hashed}`;
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached;
    const has = await this.#models.read({ projections: ['decisions'], waitMs: 0 }, async (view) => {
      const table = view.table('decisions', outcomePosters.name);
      const rows = await this.#models.sql.queryAs(
        tenant,
        `select 1 from ${table} where tenant = $1 and principal = $2`,
        [tenant, hashed],
      );
      return rows.length > 0;
    });
    this.#cache.set(key, has, has ? {} : { ttl: negativeMs });
    return has;
  }
}
