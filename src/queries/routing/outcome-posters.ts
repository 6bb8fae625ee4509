import type { TenantContext } from '../../domain/access/context.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import { outcomePosters } from '../../read-models/decisions.ts';
import { FreshCache } from '../../support/fresh-cache.ts';
import type { ReadModels } from '../read-models.ts';

/** How long a principal counts as one that posts no outcomes after it was looked up. */
const negativeMs = 30_000;

/** The principals that have posted an outcome. From then on their silence says something too. */
export class OutcomePosters {
  readonly #models: ReadModels;
  readonly #vault: KeyVault;
  readonly #cache = new FreshCache<boolean>({
    max: 10_000,
    freshMs: (hasPosted) => (hasPosted ? Infinity : negativeMs),
  });

  constructor(models: ReadModels, vault: KeyVault) {
    this.#models = models;
    this.#vault = vault;
  }

  has({ tenant, principal }: Pick<TenantContext, 'tenant' | 'principal'>): Promise<boolean> {
    const hashed = this.#vault.pseudonym('principal', tenant, principal);
    return this.#cache.get(`${tenant}/${hashed}`, () =>
      this.#models.read({ projections: ['decisions'], waitMs: 0 }, async (view) => {
        const rows = await this.#models.sql.queryAs(
          tenant,
          `select 1 from ${view.table('decisions', outcomePosters.name)} where tenant = $1 and principal = $2`,
          [tenant, hashed],
        );
        return rows.length > 0;
      }),
    );
  }
}
