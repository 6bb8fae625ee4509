import type { TenantContext } from '../../domain/access/context.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import type { Sql } from '../../ports/sql.ts';
import { FreshCache } from '../../support/fresh-cache.ts';

/** How long a principal counts as one that posts no outcomes after it was looked up. */
const negativeMs = 30_000;

/** The principals that have posted an outcome. From then on their silence says something too. */
export class OutcomePosters {
  readonly #sql: Sql;
  readonly #logId: string;
  readonly #vault: KeyVault;
  readonly #cache = new FreshCache<boolean>({
    max: 10_000,
    freshMs: (hasPosted) => (hasPosted ? Infinity : negativeMs),
  });

  constructor(sql: Sql, logId: string, vault: KeyVault) {
    this.#sql = sql;
    this.#logId = logId;
    this.#vault = vault;
  }

  has({ tenant, principal }: Pick<TenantContext, 'tenant' | 'principal'>): Promise<boolean> {
    const hashed = this.#vault.pseudonym('principal', tenant, principal);
    return this.#cache.get(`${tenant}/${hashed}`, async () => {
      const rows = await this.#sql.query(
        'select 1 from control.outcome_posters where log_id = $1 and tenant = $2 and principal = $3',
        [this.#logId, tenant, hashed],
      );
      return rows.length > 0;
    });
  }
}
