import { summarySchedule, type ScheduleKey } from '../../read-models/summary-schedule.ts';
import type { ReadModels, Wait } from '../read-models.ts';

/** Returns those of the scopes that have summaries. */
export function summarizedScopes(models: ReadModels) {
  return (keys: readonly ScheduleKey[], wait: Wait): Promise<ScheduleKey[]> =>
    models.read({ projections: [summarySchedule.name], ...wait }, (view) =>
      models.sql.query<ScheduleKey & Record<string, unknown>>(
        `select s.tenant, s.summary from unnest($1::text[], $2::text[]) as wanted(tenant, summary)
         join ${view.table(summarySchedule.name)} s on s.tenant = wanted.tenant and s.summary = wanted.summary
         where s.generated_at is not null`,
        [keys.map(({ tenant }) => tenant), keys.map(({ summary }) => summary)],
      ),
    );
}
