import type { LoggedDecision, Outcome, RouteDecision, Arm } from '../../domain/learning/logged-decision.ts';
import type { Sql } from '../../ports/sql.ts';

interface DecisionRow extends Record<string, unknown> {
  readonly tenant: string;
  readonly search: string;
  readonly asked_at: Date;
  readonly principal: string;
  readonly choice: RouteDecision & { readonly taken: Arm };
  readonly tokens: number;
  readonly outcome: Outcome;
}

const mostDecisions = 10_000;

/** SQL: whether policies may learn from a decision. Its outcome is `none` after the only feedback on the search was withdrawn. */
const isLearnable = `not (choice ->> 'evaluation')::boolean and outcome ->> 'kind' <> 'none'`;

/** What a tenant's decisions amount to. */
export interface DecisionCounts {
  readonly tenant: string;
  readonly finished: number;
  /** Those that the tenant's policy, and the global base, can learn from and have not yet. */
  readonly waiting: number;
  readonly waitingForBase: number;
}

/** A decision, and whose it is. */
export interface TenantDecision {
  readonly tenant: string;
  readonly decision: LoggedDecision;
}

/** A decision, and when its question was asked. */
export interface DatedDecision extends LoggedDecision {
  readonly askedAt: Date;
}

/**
 * Decisions whose outcome is known, by tenant, in the order of the log. Their `searchId` is the id of the search without its
 * signature. Decisions without a choice or an outcome are not among them.
 */
export class LoggedDecisions {
  readonly #sql: Sql;
  readonly #logId: string;

  constructor(sql: Sql, logId: string) {
    this.#sql = sql;
    this.#logId = logId;
  }

  /** The oldest decisions that a policy can learn from: not consumed yet, and not for evaluation. */
  finished(tenant: string, limit = mostDecisions): Promise<LoggedDecision[]> {
    return this.#read(tenant, `${isLearnable} and not consumed`, 'asc', limit);
  }

  /** The latest decisions of searches after a position, at most 10,000, whatever they are kept for. */
  async since(tenant: string, after: number): Promise<DatedDecision[]> {
    return (await this.#read(tenant, 'true', 'desc', mostDecisions, after)).reverse();
  }

  /** The oldest decisions that the global base can learn from, at most `mostOfTenant` of each tenant. */
  async forBase(mostOfTenant: number): Promise<TenantDecision[]> {
    const rows = await this.#sql.query<DecisionRow>(
      `select * from (
         select *, row_number() over (partition by tenant order by position) as number from control.decisions
         where log_id = $1 and finished and choice is not null and not base_consumed and ${isLearnable}
       ) d where number <= $2 order by tenant, position limit $3`,
      [this.#logId, mostOfTenant, mostDecisions],
    );
    return rows.map((row) => ({ tenant: row.tenant, decision: decisionOf(row) }));
  }

  /** Each part of the query reads only an index of `learningSchema`, because it is asked often and there may be very many decisions. */
  async counts(): Promise<DecisionCounts[]> {
    const counted = (which = 'true') =>
      `select tenant, count(*) as count from control.decisions
       where log_id = $1 and finished and choice is not null and ${which} group by tenant`;
    return this.#sql.query(
      `select tenant, a.count as finished, coalesce(w.count, 0) as waiting, coalesce(b.count, 0) as "waitingForBase"
       from (${counted()}) a
       left join (${counted(`${isLearnable} and not consumed`)}) w using (tenant)
       left join (${counted(`${isLearnable} and not base_consumed`)}) b using (tenant)
       order by tenant`,
      [this.#logId],
    );
  }

  async #read(
    tenant: string,
    which: string,
    order: 'asc' | 'desc',
    limit: number,
    after = 0,
  ): Promise<DatedDecision[]> {
    const rows = await this.#sql.query<DecisionRow>(
      `select tenant, search, asked_at, principal, choice, tokens, outcome from control.decisions
       where log_id = $1 and tenant = $2 and finished and choice is not null and position > $4 and ${which}
       order by position ${order} limit $3`,
      [this.#logId, tenant, limit, after],
    );
    return rows.map((row) => ({ ...decisionOf(row), askedAt: row.asked_at }));
  }
}

function decisionOf({ search, principal, choice, tokens, outcome }: DecisionRow): LoggedDecision {
  return { ...choice, searchId: search, principal, tokens, outcome, bootstrap: false };
}
