import type { ArmRecord } from '../../domain/experience/choice.ts';
import { FreshCache } from '../../support/fresh-cache.ts';
import type { ReadModels, Wait } from '../read-models.ts';

/** Numbers of searches of one day, with or without experience. */
export interface DayCounts {
  readonly day: string;
  readonly applied: boolean;
  readonly searches: number;
  readonly successes: number;
  readonly partial: number;
  readonly failures: number;
}

interface CountRow extends Record<string, unknown> {
  readonly searches: number;
  readonly success: number;
  readonly partial_success: number;
  readonly failure: number;
}

const maxDays = 366;
const sums = ['searches', 'success', 'partial_success', 'failure']
  .map((counter) => `sum(${counter})::float8 as ${counter}`)
  .join(', ');

export class ExperienceReader {
  readonly #models: ReadModels;
  /** What was learned two seconds ago is good enough to choose from. */
  readonly #records = new FreshCache<ArmRecord[]>({ max: 1_000, freshMs: 2_000 });

  constructor(models: ReadModels) {
    this.#models = models;
  }

  /** How searches of the tenant ended, by kind of question and arm. */
  records(tenant: string): Promise<ArmRecord[]> {
    return this.#records.get(tenant, () => this.#readRecords(tenant));
  }

  #readRecords(tenant: string): Promise<ArmRecord[]> {
    return this.#models.read({ projections: ['experience'] }, async (view) => {
      const rows = await this.#models.sql.queryAs<CountRow & { bucket: string; arm: string }>(
        tenant,
        `select bucket, arm, ${sums} from ${view.table('experience')} where tenant = $1 group by bucket, arm`,
        [tenant],
      );
      return rows.map(({ bucket, arm, success, partial_success: partial, failure }) => ({
        bucket,
        arm,
        successes: success + partial / 2,
        trials: success + partial + failure,
      }));
    });
  }

  /** The newest days first. */
  days(
    tenant: string,
    wait: Wait,
  ): Promise<{ readonly days: readonly DayCounts[]; readonly position: number }> {
    return this.#models.read({ projections: ['experience'], ...wait }, async (view) => {
      const rows = await this.#models.sql.queryAs<CountRow & { day: string; applied: boolean }>(
        tenant,
        `select day, applied, ${sums} from ${view.table('experience')} where tenant = $1
         group by day, applied order by day desc, applied desc limit ${2 * maxDays}`,
        [tenant],
      );
      const days = rows.map(({ day, applied, searches, success, partial_success: partial, failure }) => ({
        day,
        applied,
        searches,
        successes: success,
        partial,
        failures: failure,
      }));
      return { days, position: view.position };
    });
  }
}
