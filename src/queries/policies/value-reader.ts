import type { UsedSearch } from '../../domain/learning/value-gain.ts';
import type { ReadModels, Wait } from '../read-models.ts';

/** Maximum number of searches that are compared: it bounds the time of a look. */
const maxSearches = 20_000;
/** Maximum number of results of each, because a search may have 1,000. */
const maxResults = 100;

/** Reads the searches of a tenant with an explicit outcome. */
export class ValueReader {
  readonly #models: ReadModels;

  constructor(models: ReadModels) {
    this.#models = models;
  }

  /** Number of searches in which something was used. */
  count(tenant: string, wait: Wait): Promise<number> {
    return this.#models.read({ projections: ['values'], ...wait }, async (view) => {
      const [row] = await this.#models.sql.queryAs<{ count: number }>(
        tenant,
        `select count(*)::int as count from ${view.table('values', 'value_searches')} where tenant = $1 and is_used`,
        [tenant],
      );
      return row!.count;
    });
  }

  /** The latest searches, with their first results. */
  searches(tenant: string, wait: Wait): Promise<readonly UsedSearch[]> {
    return this.#models.read({ projections: ['values'], ...wait }, (view) =>
      this.#models.sql.queryAs<UsedSearch & Record<string, unknown>>(
        tenant,
        `select question, asker as "user", asked_at as "askedAt",
           jsonb_path_query_array(results, '$[0 to ${maxResults - 1}]') as results
         from ${view.table('values', 'value_searches')} where tenant = $1 order by known_at desc limit $2`,
        [tenant, maxSearches],
      ),
    );
  }
}
