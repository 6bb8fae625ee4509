import { layers } from '../domain/layers.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { Sql } from '../ports/sql.ts';
import { scheduleRow, type ScheduleKey, type ScheduleRow } from '../read-models/summary-schedule.ts';

/** Calls `body` with the live table of the schedule when it has applied the log up to `minPosition`; undefined if that takes too long. */
export type ReadSchedule = <Result>(
  minPosition: number,
  body: (table: string) => Promise<Result>,
) => Promise<Result | undefined>;

/** SQL: the schedule `s` with the claims `c` of a log. */
const claimed = (table: string): string => `
  ${table} s left join control.summary_claims c on c.log_id = $1 and c.tenant = s.tenant and c.summary = s.summary`;

/** SQL: whether summaries are due at some time. After they were made or found unchanged, another event must make them due again. */
const isDue = 's.due_at is not null and c.settled is distinct from s.cause';

/**
 * Which process makes the summaries of a scope that are due, in the table `control.summary_claims`, of one log. It cannot be rebuilt, and
 * need not be: summaries that are made twice for the same event are recorded once.
 */
export class SummaryClaims {
  readonly #sql: Sql;
  readonly #log: EventStore['log'];
  readonly #schedule: ReadSchedule;

  constructor(sql: Sql, { log }: EventStore, schedule: ReadSchedule) {
    this.#sql = sql;
    this.#log = log;
    this.#schedule = schedule;
  }

  /**
   * Takes scopes that are due by a time, those of the most general layers first, so that no other process takes them before `done` or
   * `release`, or before the claim of a process that was killed has expired. `tenant` narrows it to one tenant. Waits for the schedule to
   * know the whole log; takes nothing if that takes too long.
   */
  async claim(
    by: Date,
    {
      limit,
      tenant,
      claimMs,
    }: { readonly limit: number; readonly tenant?: string; readonly claimMs: number },
  ): Promise<ScheduleRow[]> {
    const rows = await this.#schedule(await this.#log.head(), (table) =>
      this.#sql.query(
        `with due as (
           select s.* from ${claimed(table)}
           where ${isDue} and s.due_at <= $2 and ($3::text is null or s.tenant = $3)
             and (c.claimed_until is null or c.claimed_until <= now())
           order by array_position($4::text[], s.layer) desc, s.due_at limit $5
         ), taken as (
           insert into control.summary_claims as c (log_id, tenant, summary, claimed_until)
           select $1, tenant, summary, now() + $6 * interval '1 millisecond' from due
           on conflict (log_id, tenant, summary) do update set claimed_until = excluded.claimed_until
           where c.claimed_until <= now() returning tenant, summary
         ) select due.* from due join taken using (tenant, summary)`,
        [this.#log.logId, by, tenant ?? null, [...layers], limit, claimMs],
      ),
    );
    return (rows ?? []).map(scheduleRow);
  }

  /** Prolongs claims that have not expired. */
  async renew(keys: readonly ScheduleKey[], claimMs: number): Promise<void> {
    if (keys.length === 0) return;
    await this.#sql.query(
      `update control.summary_claims c set claimed_until = now() + $4 * interval '1 millisecond'
       from unnest($2::text[], $3::text[]) as own(tenant, summary)
       where c.log_id = $1 and c.tenant = own.tenant and c.summary = own.summary and c.claimed_until > now()`,
      [this.#log.logId, keys.map(({ tenant }) => tenant), keys.map(({ summary }) => summary), claimMs],
    );
  }

  /** When the next scope can be claimed; undefined if none is due at any time. */
  async nextDue(): Promise<Date | undefined> {
    const rows = await this.#schedule(0, (table) =>
      this.#sql.query<{ next: Date | null }>(
        `select min(greatest(s.due_at, c.claimed_until)) as next from ${claimed(table)} where ${isDue}`,
        [this.#log.logId],
      ),
    );
    return rows?.[0]?.next ?? undefined;
  }

  /** Ends the claim of a scope whose summaries were made or found unchanged. They are due again when another event says so. */
  async done({ tenant, summary, cause }: ScheduleRow): Promise<void> {
    await this.#sql.query(
      `update control.summary_claims set claimed_until = now(), settled = $4
       where log_id = $1 and tenant = $2 and summary = $3`,
      [this.#log.logId, tenant, summary, cause],
    );
  }

  /** Gives a claimed scope back. It can be claimed again after `pauseMs`. */
  async release({ tenant, summary }: ScheduleKey, pauseMs: number): Promise<void> {
    await this.#sql.query(
      `update control.summary_claims set claimed_until = now() + $4 * interval '1 millisecond'
       where log_id = $1 and tenant = $2 and summary = $3`,
      [this.#log.logId, tenant, summary, pauseMs],
    );
  }
}
