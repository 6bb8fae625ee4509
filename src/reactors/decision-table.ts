import type { Outcome } from '../domain/learning/logged-decision.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { Sql, SqlExecutor } from '../ports/sql.ts';
import { rowOf, type DecisionRow, type SearchKey, type StoredRow } from './decision-row.ts';

export interface SessionEnd {
  readonly tenant: string;
  readonly session: string;
  readonly endedAt: Date;
  /** Id of the event. */
  readonly cause: string;
}

type SessionKey = Pick<SessionEnd, 'tenant' | 'session'>;

/** The tables of `learningSchema`, of one log. */
export class DecisionTable {
  readonly #sql: Sql;
  readonly #logId: string;

  constructor(sql: Sql, { log }: EventStore) {
    this.#sql = sql;
    this.#logId = log.logId;
  }

  /** The rows of these searches, in any order, without those that the table does not have. */
  async ofSearches(keys: readonly SearchKey[]): Promise<DecisionRow[]> {
    if (keys.length === 0) return [];
    const rows = await this.#sql.query<StoredRow>(
      `select d.* from unnest($2::text[], $3::text[]) as wanted(tenant, search)
       join control.decisions d on d.log_id = $1 and d.tenant = wanted.tenant and d.search = wanted.search`,
      [this.#logId, keys.map(({ tenant }) => tenant), keys.map(({ search }) => search)],
    );
    return rows.map(rowOf);
  }

  /** The latest searches of each session that were asked since a time and have no final outcome, at most `most` of each. */
  async openIn(sessions: readonly SessionKey[], since: Date, most: number): Promise<DecisionRow[]> {
    if (sessions.length === 0) return [];
    const rows = await this.#sql.query<StoredRow>(
      `select d.* from unnest($2::text[], $3::text[]) as wanted(tenant, session)
       cross join lateral (
         select * from control.decisions o
         where o.log_id = $1 and o.tenant = wanted.tenant and o.session = wanted.session
           and o.asked_at >= $4 and not o.finished
         order by o.asked_at desc limit $5
       ) d`,
      [
        this.#logId,
        sessions.map(({ tenant }) => tenant),
        sessions.map(({ session }) => session),
        since,
        most,
      ],
    );
    return rows.map(rowOf);
  }

  /** When these sessions ended, of those that have. */
  async endsOf(sessions: readonly SessionKey[]): Promise<SessionEnd[]> {
    if (sessions.length === 0) return [];
    return this.#sql.query(
      `select e.tenant, e.session, e.ended_at as "endedAt", e.cause from unnest($2::text[], $3::text[]) as wanted(tenant, session)
       join control.session_ends e on e.log_id = $1 and e.tenant = wanted.tenant and e.session = wanted.session`,
      [this.#logId, sessions.map(({ tenant }) => tenant), sessions.map(({ session }) => session)],
    );
  }

  /** The process that closes searches writes the same rows: what it has finished stays finished, with its outcome. */
  async write(tx: SqlExecutor, rows: readonly DecisionRow[]): Promise<void> {
    for (const row of rows)
      await tx.query(
        `insert into control.decisions as d values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::jsonb, $11, $12, $13, $14, $15, $16::jsonb, $17, $18)
         on conflict (log_id, tenant, search) do update set
           position = excluded.position, asked_at = excluded.asked_at, answered_at = excluded.answered_at,
           principal = excluded.principal, session = excluded.session, choice = excluded.choice, tokens = excluded.tokens,
           in_context = d.in_context or excluded.in_context,
           due_at = case when d.finished then null else excluded.due_at end,
           closed_by = excluded.closed_by, cause = excluded.cause,
           outcome = case when d.consumed then d.outcome else coalesce(excluded.outcome, d.outcome) end,
           finished = d.finished or excluded.finished`,
        [
          this.#logId,
          row.tenant,
          row.search,
          row.searchId,
          row.position,
          row.askedAt,
          row.answeredAt,
          row.principal,
          row.session ?? null,
          row.choice ? JSON.stringify(row.choice) : null,
          row.tokens,
          row.inContext,
          row.dueAt ?? null,
          row.closedBy,
          row.cause,
          row.outcome ? JSON.stringify(row.outcome) : null,
          row.finished,
          row.consumed,
        ],
        { onePlan: true },
      );
  }

  /** Takes back that the outcome of searches is final, before they are written again. What was learned stays. */
  async reopen(tx: SqlExecutor, keys: readonly SearchKey[]): Promise<void> {
    for (const { tenant, search } of keys)
      await tx.query(
        `update control.decisions set finished = false, outcome = null
         where log_id = $1 and tenant = $2 and search = $3 and not consumed`,
        [this.#logId, tenant, search],
      );
  }

  /** Deletes the rows of these searches. Repeatable. */
  async remove(tx: SqlExecutor, keys: readonly SearchKey[]): Promise<void> {
    for (const { tenant, search } of keys)
      await tx.query('delete from control.decisions where log_id = $1 and tenant = $2 and search = $3', [
        this.#logId,
        tenant,
        search,
      ]);
  }

  /** Makes what was asked in the sessions before their ends due at once. */
  async endSessions(tx: SqlExecutor, ends: readonly SessionEnd[]): Promise<void> {
    for (const { tenant, session, endedAt, cause } of ends) {
      await tx.query(
        `insert into control.session_ends as e values ($1, $2, $3, $4, $5)
         on conflict (log_id, tenant, session) do update set ended_at = excluded.ended_at, cause = excluded.cause
         where e.ended_at <= excluded.ended_at`,
        [this.#logId, tenant, session, endedAt, cause],
      );
      await tx.query(
        `update control.decisions set due_at = least(due_at, $4), closed_by = 'session-end', cause = $5
         where log_id = $1 and tenant = $2 and session = $3 and asked_at <= $4 and due_at is not null`,
        [this.#logId, tenant, session, endedAt, cause],
      );
    }
  }

  /** Marks decisions as learned from by the policies of their tenants. Their outcome does not change any more. Repeatable. */
  consume(tx: SqlExecutor, searches: readonly SearchKey[]): Promise<void> {
    return this.#mark(tx, 'consumed', searches);
  }

  /** Marks decisions as learned from by the global base. Repeatable. */
  consumeForBase(tx: SqlExecutor, searches: readonly SearchKey[]): Promise<void> {
    return this.#mark(tx, 'base_consumed', searches);
  }

  /** Records that these principals, by their keyed hashes, have posted outcomes. Repeatable. */
  async addPosters(
    tx: SqlExecutor,
    posters: readonly { readonly tenant: string; readonly principal: string }[],
  ): Promise<void> {
    for (const { tenant, principal } of posters)
      await tx.query('insert into control.outcome_posters values ($1, $2, $3) on conflict do nothing', [
        this.#logId,
        tenant,
        principal,
      ]);
  }

  /** The searches to be closed by now, the longest overdue first. */
  async due(now: Date, limit: number): Promise<DecisionRow[]> {
    const rows = await this.#sql.query<StoredRow>(
      'select * from control.decisions where log_id = $1 and due_at <= $2 order by due_at limit $3',
      [this.#logId, now, limit],
    );
    return rows.map(rowOf);
  }

  /** When the next search is to be closed; undefined if none is open. */
  async nextDue(): Promise<Date | undefined> {
    const [row] = await this.#sql.query<{ next: Date | null }>(
      'select min(due_at) as next from control.decisions where log_id = $1',
      [this.#logId],
    );
    return row?.next ?? undefined;
  }

  /** Records the final outcome of a search. One that had no choice of a route is of no further use. */
  async close({ tenant, search, choice }: DecisionRow, outcome: Outcome | undefined): Promise<void> {
    if (!choice || !outcome) return this.remove(this.#sql, [{ tenant, search }]);
    await this.#sql.query(
      `update control.decisions set outcome = $4::jsonb, finished = true, due_at = null
       where log_id = $1 and tenant = $2 and search = $3 and not consumed`,
      [this.#logId, tenant, search, JSON.stringify(outcome)],
    );
  }

  /** Makes a search that could not be closed due later. */
  async postpone({ tenant, search }: SearchKey, until: Date): Promise<void> {
    await this.#sql.query(
      `update control.decisions set due_at = $4
       where log_id = $1 and tenant = $2 and search = $3 and due_at is not null`,
      [this.#logId, tenant, search, until],
    );
  }

  /** Deletes old ends of sessions, and old decisions whose outcome is final. */
  async forget({
    endsBefore,
    decisionsBefore,
  }: {
    readonly endsBefore: Date;
    readonly decisionsBefore: Date;
  }): Promise<void> {
    await this.#sql.query('delete from control.session_ends where log_id = $1 and ended_at < $2', [
      this.#logId,
      endsBefore,
    ]);
    await this.#sql.query('delete from control.decisions where log_id = $1 and finished and asked_at < $2', [
      this.#logId,
      decisionsBefore,
    ]);
  }

  async #mark(
    tx: SqlExecutor,
    column: 'consumed' | 'base_consumed',
    searches: readonly SearchKey[],
  ): Promise<void> {
    await tx.query(
      `update control.decisions d set ${column} = true from unnest($2::text[], $3::text[]) as gone(tenant, search)
       where d.log_id = $1 and d.tenant = gone.tenant and d.search = gone.search`,
      [this.#logId, searches.map(({ tenant }) => tenant), searches.map(({ search }) => search)],
    );
  }
}
