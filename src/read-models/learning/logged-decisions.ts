import type { LoggedDecision, Outcome, RouteDecision, Arm } from '../../domain/learning/logged-decision.ts';
import type { Sql, SqlExecutor } from '../../ports/sql.ts';

interface DecisionRow extends Record<string, unknown> {
  readonly search: string;
  readonly principal: string;
  readonly choice: RouteDecision & { readonly taken: Arm };
  readonly tokens: number;
  readonly outcome: Outcome;
}

const mostDecisions = 10_000;

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
    return this.#read(tenant, `not (choice ->> 'evaluation')::boolean and not consumed`, 'asc', limit);
  }

  /** The latest decisions that policies are evaluated on. */
  async evaluation(tenant: string, limit = mostDecisions): Promise<LoggedDecision[]> {
    return (await this.#read(tenant, `(choice ->> 'evaluation')::boolean`, 'desc', limit)).reverse();
  }

  /** The tenants that have at least this many decisions to learn from. */
  async tenantsWith(least: number): Promise<string[]> {
    const rows = await this.#sql.query<{ tenant: string }>(
      `select tenant from control.decisions
       where log_id = $1 and finished and choice is not null and not consumed and not (choice ->> 'evaluation')::boolean
       group by tenant having count(*) >= $2 order by tenant`,
      [this.#logId, least],
    );
    return rows.map(({ tenant }) => tenant);
  }

  /** Marks decisions as learned from. Their outcome does not change any more. Repeatable. */
  async consume(tx: SqlExecutor, tenant: string, searches: readonly string[]): Promise<void> {
    await tx.query(
      'update control.decisions set consumed = true where log_id = $1 and tenant = $2 and search = any ($3::text[])',
      [this.#logId, tenant, [...searches]],
    );
  }

  async #read(
    tenant: string,
    which: string,
    order: 'asc' | 'desc',
    limit: number,
  ): Promise<LoggedDecision[]> {
    const rows = await this.#sql.query<DecisionRow>(
      `select search, principal, choice, tokens, outcome from control.decisions
       where log_id = $1 and tenant = $2 and finished and choice is not null and ${which}
       order by position ${order} limit $3`,
      [this.#logId, tenant, limit],
    );
    return rows.map(({ search, principal, choice, tokens, outcome }) => ({
      ...choice,
      searchId: search,
      principal,
      tokens,
      outcome,
      bootstrap: false,
    }));
  }
}
