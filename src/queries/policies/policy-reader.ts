import { emptyHistory, type PolicyHistory } from '../../domain/learning/policy-history.ts';
import type { ReadModels, Wait } from '../read-models.ts';

/** Reads the history of a tenant's route policies. That of the system tenant holds the global base. */
export class PolicyReader {
  readonly #models: ReadModels;

  constructor(models: ReadModels) {
    this.#models = models;
  }

  history(tenant: string, wait: Wait = {}): Promise<PolicyHistory> {
    return this.#models.read({ projections: ['policies'], ...wait }, async (view) => {
      const [row] = await this.#models.sql.queryAs<{ history: PolicyHistory }>(
        tenant,
        `select history from ${view.table('policies')} where tenant = $1`,
        [tenant],
      );
      // JSON has no undefined: what is missing there has the value of the empty history.
      return { ...emptyHistory, ...row?.history };
    });
  }
}
