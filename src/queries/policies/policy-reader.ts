import { systemTenant } from '../../domain/access/context.ts';
import type { RoutePolicyEvent } from '../../domain/learning/policy-events.ts';
import { emptyHistory, evolve, type PolicyHistory } from '../../domain/learning/policy-history.ts';
import { routePolicyStream } from '../../domain/streams.ts';
import type { EventStore } from '../../ports/event-store.ts';
import type { ReadModels, Wait } from '../read-models.ts';

/** Reads the history of a tenant's route policies. That of the system tenant holds the global base. */
export class PolicyReader {
  readonly #models: ReadModels;

  constructor(models: ReadModels) {
    this.#models = models;
  }

  history(tenant: string, wait: Wait = {}): Promise<PolicyHistory> {
    return this.#models.read({ projections: ['policies'], ...wait }, async (view) => {
      const [row] = await this.#models.sql.queryAs<{ history: PolicyHistory }>(
        tenant,
        `select history from ${view.table('policies')} where tenant = $1`,
        [tenant],
      );
      // JSON has no undefined: what is missing there has the value of the empty history.
      return { ...emptyHistory, ...row?.history };
    });
  }

  /** Number of decisions that the tenant trained last has learned from; 0 before the first step. Does not wait. */
  lastTrained(): Promise<number> {
    return this.#models.read({ projections: ['policies'], waitMs: 0 }, async (view) => {
      const [row] = await this.#models.sql.query<{ decisions: number }>(
        `select (history #>> '{trainer,decisions}')::int as decisions from ${view.table('policies')}
         where tenant <> $1 and trained_at is not null order by trained_at desc limit 1`,
        [systemTenant],
      );
      return row?.decisions ?? 0;
    });
  }
}

/** The history of a tenant's route policies when the log had reached the position `upTo`, read from their stream. */
export async function readPolicyHistory(
  store: EventStore,
  tenant: string,
  upTo: number,
): Promise<PolicyHistory> {
  const events = await store.load<RoutePolicyEvent>(routePolicyStream(tenant));
  return events
    .filter(({ position }) => position <= upTo)
    .reduce((history, event) => evolve(history, event), emptyHistory);
}
