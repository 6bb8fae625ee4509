import type {
  Arm,
  DecisionCounts,
  LoggedDecision,
  Outcome,
  RouteDecision,
} from '../../domain/learning/logged-decision.ts';
import type { TenantDecision } from '../../domain/learning/global-base.ts';
import type { DatedDecision } from '../../domain/learning/observed-figures.ts';
import type { StreamName } from '../../ports/event-log.ts';
import { isLearnable } from '../../read-models/decisions.ts';
import type { ReadModels, ReadView } from '../read-models.ts';

interface Row extends Record<string, unknown> {
  readonly tenant: string;
  readonly search: string;
  readonly asked_at: Date;
  readonly principal: string;
  readonly choice: RouteDecision & { readonly taken: Arm };
  readonly tokens: number;
  readonly outcome: Outcome;
}

const maxDecisions = 10_000;

/** SQL: whether there was a choice whose outcome does not change by itself any more. `$1` is the start of the window that is still open. */
const isFinal =
  'choice is not null and outcome is not null and (final or ended_at is not null or asked_at <= $1)';

/**
 * Decisions whose outcome is final, by tenant, in the order of the log. Their `searchId` is the id of the search without its
 * signature. Decisions without a choice or an outcome are not among them.
 */
export class LoggedDecisions {
  readonly #models: ReadModels;
  readonly #windowStart: () => Date;

  /** A refined search is final at the end of its session or window, of `windowMs`: its caller may still say what became of it. */
  constructor(
    models: ReadModels,
    { windowMs, now }: { readonly windowMs: number; readonly now: () => number },
  ) {
    this.#models = models;
    this.#windowStart = () => new Date(now() - windowMs);
  }

  /** The oldest decisions that a policy can learn from: not consumed yet, and not for evaluation. */
  finished(tenant: string, limit = maxDecisions): Promise<LoggedDecision[]> {
    return this.#of(tenant, `${isLearnable} and not consumed order by position limit $3`, [limit]);
  }

  /** The latest decisions of searches after a position, at most 10,000, whatever they are kept for. */
  async since(tenant: string, after: number): Promise<DatedDecision[]> {
    const latest = await this.#of(tenant, 'position > $3 order by position desc limit $4', [
      after,
      maxDecisions,
    ]);
    return latest.reverse();
  }

  /** The oldest decisions that the global base can learn from, at most `maxOfTenant` of each tenant. */
  forBase(maxOfTenant: number): Promise<TenantDecision[]> {
    return this.#read(async (table) => {
      const rows = await this.#models.sql.query<Row>(
        `select * from (
           select *, row_number() over (partition by tenant order by position) as number from ${table}
           where ${isFinal} and ${isLearnable} and not base_consumed
         ) d where number <= $2 order by tenant, position limit $3`,
        [this.#windowStart(), maxOfTenant, maxDecisions],
      );
      return rows.map((row) => ({ tenant: row.tenant, decision: decisionOf(row) }));
    });
  }

  /** Each part of the query reads only an index of the table, because it is asked often and there may be very many decisions. */
  counts(): Promise<DecisionCounts[]> {
    return this.#read((table) => {
      const counted = (which = 'true') =>
        `select tenant, count(*) as count from ${table} where ${isFinal} and ${which} group by tenant`;
      return this.#models.sql.query(
        `select tenant, a.count as finished, coalesce(w.count, 0) as waiting, coalesce(b.count, 0) as "waitingForBase"
         from (${counted()}) a
         left join (${counted(`${isLearnable} and not consumed`)}) w using (tenant)
         left join (${counted(`${isLearnable} and not base_consumed`)}) b using (tenant)
         order by tenant`,
        [this.#windowStart()],
      );
    });
  }

  /** The position up to which the decisions know what policies have learned from; -1 if events of `stream` could not be applied. */
  handledOf(stream: StreamName): Promise<number> {
    return this.#read(async (_table, { position, generation }) => {
      const parked = await this.#models.sql.query(
        `select 1 from follow.parked where name = 'decisions' and generation = $1 and stream = $2`,
        [generation('decisions'), stream],
      );
      return parked.length > 0 ? -1 : position;
    });
  }

  #of(tenant: string, which: string, params: readonly number[]): Promise<DatedDecision[]> {
    return this.#read(async (table) => {
      const rows = await this.#models.sql.queryAs<Row>(
        tenant,
        `select tenant, search, asked_at, principal, choice, tokens, outcome from ${table}
         where ${isFinal} and tenant = $2 and ${which}`,
        [this.#windowStart(), tenant, ...params],
      );
      return rows.map((row) => ({ ...decisionOf(row), askedAt: row.asked_at }));
    });
  }

  #read<Result>(body: (table: string, view: ReadView) => Promise<Result>): Promise<Result> {
    return this.#models.read({ projections: ['decisions'], waitMs: 0 }, (view) =>
      body(view.table('decisions'), view),
    );
  }
}

function decisionOf({ search, principal, choice, tokens, outcome }: Row): LoggedDecision {
  return { ...choice, searchId: search, principal, tokens, outcome, bootstrap: false };
}
