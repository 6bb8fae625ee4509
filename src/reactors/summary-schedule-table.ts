import type { Layer } from '../domain/layers.ts';
import { layers } from '../domain/layers.ts';
import type { Due, ScheduleState } from '../domain/summaries/schedule.ts';
import type { SummaryScope } from '../domain/summaries/summary-scope.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { Sql, SqlExecutor } from '../ports/sql.ts';

/** A scope in the schedule. */
export interface ScheduledScope extends SummaryScope {
  readonly tenant: string;
  /** The last part of the name of its stream. */
  readonly summary: string;
}

export interface ScheduleRow extends ScheduledScope {
  readonly state: ScheduleState;
  readonly due: Due | undefined;
  /** Id of the event that the row is from. */
  readonly cause: string;
}

interface StoredRow extends Record<string, unknown> {
  readonly tenant: string;
  readonly summary: string;
  readonly layer: Layer;
  readonly scope: SummaryScope['scope'];
  readonly changes: number;
  readonly first_change_at: Date | null;
  readonly position: number;
  readonly reached_at: Date | null;
  readonly invalidated_at: Date | null;
  readonly generated_at: Date | null;
  readonly due_at: Date | null;
  readonly trigger: Due['trigger'] | null;
  readonly cause: string;
}

/** The table `control.summary_schedule`, of one log. */
export class SummaryScheduleTable {
  readonly #sql: Sql;
  readonly #logId: string;

  constructor(sql: Sql, { log }: EventStore) {
    this.#sql = sql;
    this.#logId = log.logId;
  }

  async ofScopes(keys: readonly Pick<ScheduledScope, 'tenant' | 'summary'>[]): Promise<ScheduleRow[]> {
    if (keys.length === 0) return [];
    const rows = await this.#sql.query<StoredRow>(
      `select s.* from unnest($2::text[], $3::text[]) as wanted(tenant, summary)
       join control.summary_schedule s on s.log_id = $1 and s.tenant = wanted.tenant and s.summary = wanted.summary`,
      [this.#logId, keys.map(({ tenant }) => tenant), keys.map(({ summary }) => summary)],
    );
    return rows.map(rowOf);
  }

  async ofLayer(tenant: string, layer: Layer): Promise<ScheduleRow[]> {
    const rows = await this.#sql.query<StoredRow>(
      'select * from control.summary_schedule where log_id = $1 and tenant = $2 and layer = $3',
      [this.#logId, tenant, layer],
    );
    return rows.map(rowOf);
  }

  async write(tx: SqlExecutor, rows: readonly ScheduleRow[]): Promise<void> {
    for (const { tenant, summary, layer, scope, state, due, cause } of rows)
      await tx.query(
        `insert into control.summary_schedule values ($1, $2, $3, $4, $5::jsonb, $6, $7, $8, $9, $10, $11, $12, $13, $14)
         on conflict (log_id, tenant, summary) do update set
           changes = excluded.changes, first_change_at = excluded.first_change_at, position = excluded.position,
           reached_at = excluded.reached_at, invalidated_at = excluded.invalidated_at,
           generated_at = greatest(summary_schedule.generated_at, excluded.generated_at),
           due_at = excluded.due_at, trigger = excluded.trigger, cause = excluded.cause`,
        [
          this.#logId,
          tenant,
          summary,
          layer,
          JSON.stringify(scope),
          state.changes,
          state.firstChangeAt ?? null,
          state.position,
          state.reachedAt ?? null,
          state.invalidatedAt ?? null,
          state.generatedAt ?? null,
          due?.at ?? null,
          due?.trigger ?? null,
          cause,
        ],
        { onePlan: true },
      );
  }

  /**
   * Takes scopes that are due, those of the most general layers first, so that no other process takes them before `done` or `release`, or
   * before the claim of a process that was killed has expired. `tenant` narrows it to one tenant.
   */
  async claim(
    by: Date,
    {
      limit,
      tenant,
      claimMs,
    }: { readonly limit: number; readonly tenant?: string; readonly claimMs: number },
  ): Promise<ScheduleRow[]> {
    const rows = await this.#sql.query<StoredRow>(
      `with due as (
         select log_id, tenant, summary from control.summary_schedule
         where log_id = $1 and due_at <= $2 and ($3::text is null or tenant = $3)
           and (claimed_until is null or claimed_until <= now())
         order by array_position($4::text[], layer) desc, due_at limit $5
         for update skip locked)
       update control.summary_schedule s set claimed_until = now() + $6 * interval '1 millisecond'
       from due where s.log_id = due.log_id and s.tenant = due.tenant and s.summary = due.summary
       returning s.*`,
      [this.#logId, by, tenant ?? null, [...layers], limit, claimMs],
    );
    return rows.map(rowOf);
  }

  /** Prolongs claims that have not expired. */
  async renew(rows: readonly Pick<ScheduledScope, 'tenant' | 'summary'>[], claimMs: number): Promise<void> {
    if (rows.length === 0) return;
    await this.#sql.query(
      `update control.summary_schedule s set claimed_until = now() + $4 * interval '1 millisecond'
       from unnest($2::text[], $3::text[]) as claimed(tenant, summary)
       where s.log_id = $1 and s.tenant = claimed.tenant and s.summary = claimed.summary and s.claimed_until > now()`,
      [this.#logId, rows.map(({ tenant }) => tenant), rows.map(({ summary }) => summary), claimMs],
    );
  }

  /** When the next scope can be claimed. */
  async nextDue(): Promise<Date | undefined> {
    const [row] = await this.#sql.query<{ next: Date | null }>(
      'select min(greatest(due_at, claimed_until)) as next from control.summary_schedule where log_id = $1 and due_at is not null',
      [this.#logId],
    );
    return row?.next ?? undefined;
  }

  /**
   * Ends the claim of a scope whose summaries were made, or were found `unchanged`. If it was found unchanged, it stays due if another
   * event has changed it since. If it has new summaries, it is due again when their event says so, which may be handled already.
   */
  async done(
    { tenant, summary, cause, state }: ScheduleRow,
    { unchanged, at }: { readonly unchanged: boolean; readonly at: Date },
  ): Promise<void> {
    const forgotten = unchanged
      ? ', changes = 0, first_change_at = null, reached_at = null, invalidated_at = null'
      : '';
    // Events before that of the new summaries may still have to be handled: they must not make the scope due again within a window.
    const made = unchanged ? 'generated_at' : 'greatest(generated_at, $7::timestamptz)';
    await this.#sql.transaction(async (tx) => {
      await tx.query(
        `update control.summary_schedule set due_at = null, trigger = null, generated_at = ${made} ${forgotten}
         where log_id = $1 and tenant = $2 and summary = $3
           and (cause = $4 or (not $5::boolean and generated_at is not distinct from $6::timestamptz))`,
        [
          this.#logId,
          tenant,
          summary,
          cause,
          unchanged,
          state.generatedAt ?? null,
          ...(unchanged ? [] : [at]),
        ],
      );
      await this.#claimFor(tx, { tenant, summary }, 0);
    });
  }

  /** Gives a claimed scope back, and makes it due later unless another event has changed it since. */
  async postpone({ tenant, summary, cause }: ScheduleRow, until: Date): Promise<void> {
    await this.#sql.query(
      `update control.summary_schedule set claimed_until = now(), due_at = case when cause = $4 then $5 else due_at end
       where log_id = $1 and tenant = $2 and summary = $3`,
      [this.#logId, tenant, summary, cause, until],
    );
  }

  /** Gives a claimed scope back. It can be claimed again after `pauseMs`. */
  release(row: Pick<ScheduledScope, 'tenant' | 'summary'>, pauseMs: number): Promise<void> {
    return this.#claimFor(this.#sql, row, pauseMs);
  }

  async #claimFor(
    sql: SqlExecutor,
    { tenant, summary }: Pick<ScheduledScope, 'tenant' | 'summary'>,
    ms: number,
  ): Promise<void> {
    await sql.query(
      `update control.summary_schedule set claimed_until = now() + $4 * interval '1 millisecond'
       where log_id = $1 and tenant = $2 and summary = $3`,
      [this.#logId, tenant, summary, ms],
    );
  }
}

function rowOf(row: StoredRow): ScheduleRow {
  const { tenant, summary, layer, scope, changes, position, cause } = row;
  return {
    tenant,
    summary,
    layer,
    scope,
    state: {
      changes,
      position,
      firstChangeAt: row.first_change_at ?? undefined,
      reachedAt: row.reached_at ?? undefined,
      invalidatedAt: row.invalidated_at ?? undefined,
      generatedAt: row.generated_at ?? undefined,
    },
    due: row.due_at && row.trigger ? { at: row.due_at, trigger: row.trigger } : undefined,
    cause,
  };
}
