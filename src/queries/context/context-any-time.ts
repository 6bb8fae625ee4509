import type { TenantContext } from '../../domain/access/context.ts';
import type { Past } from '../past.ts';
import type { ReadModels } from '../read-models.ts';
import { TooLargeToScan } from '../search/as-of/scan.ts';
import type { AskedContext, ContextAnswer, ContextBuilder } from './context-builder.ts';

/**
 * Builds contexts now and as of a position. Summaries and profiles are not kept by position: where they may matter, or the scope is too
 * large to scan, read models of that position are filled and read like those of now.
 */
export class ContextAnyTime implements Pick<ContextBuilder, 'build'> {
  readonly #live: ContextBuilder;
  readonly #past: Past;
  readonly #models: ReadModels;

  /** `models` are the live read models. */
  constructor(live: ContextBuilder, past: Past, models: ReadModels) {
    this.#live = live;
    this.#past = past;
    this.#models = models;
  }

  /** Rejects as `ContextBuilder.build` and `Past.at` do. */
  async build(caller: TenantContext, asked: AskedContext): Promise<ContextAnswer> {
    const { asOf, spaces, profile } = asked;
    if (asOf === undefined) return this.#live.build(caller, asked);
    const isKept = this.#past.has({ tenant: caller.tenant, position: asOf });
    if (!isKept && !profile && (spaces || !(await this.#hasSummaries(caller.tenant))))
      try {
        return await this.#live.build(caller, asked);
      } catch (error) {
        if (!(error instanceof TooLargeToScan)) throw error;
      }
    const { minPosition: _, waitMs, ...rest } = asked;
    return this.#past.at({ tenant: caller.tenant, position: asOf, waitMs }, ({ contexts }) =>
      contexts.build(caller, rest),
    );
  }

  #hasSummaries(tenant: string): Promise<boolean> {
    return this.#models.read({ projections: ['summaries'] }, async (view) => {
      const rows = await this.#models.sql.queryAs(
        tenant,
        `select 1 from ${view.table('summaries')} where tenant = $1 limit 1`,
        [tenant],
      );
      return rows.length > 0;
    });
  }
}
