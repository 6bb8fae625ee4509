import type { RoutePolicyEvent } from '../../domain/learning/policy-events.ts';
import { emptyHistory, evolve, type PolicyHistory } from '../../domain/learning/policy-history.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import { Table, type Tables } from '../../read-models/table.ts';
import { declaredBy, type Projection } from '../projection.ts';
import { findRows, upsert, type Write } from '../write.ts';

const policyHistories = new Table('policies', {
  columns: { tenant: 'text', revision: 'integer', trained_at: 'bigint?', history: 'jsonb' },
  key: ['tenant'],
  indexes: ['(trained_at) where trained_at is not null'],
});

/**
 * For each tenant the state of its trainer, the policies that have the traffic, and the latest versions: a `PolicyHistory`. The row of
 * the system tenant is the global base. `trained_at` is the position of the trainer's last step.
 */
export const policies: Projection = {
  name: 'policies',
  version: 2,
  handles: ['PolicyUpdated', 'PolicyCompared', 'PolicyPromoted', 'PolicyRolledBack'],
  ...declaredBy(policyHistories),
  plan: (events, executor, tables) =>
    plan(events as readonly LoadedEvent<RoutePolicyEvent>[], executor, tables),
  holds: { nothing: 'weights, and counts of searches' },
};

async function plan(
  events: readonly LoadedEvent<RoutePolicyEvent>[],
  executor: SqlExecutor,
  tables: Tables,
): Promise<Write> {
  const tenants = new Set(events.map(({ metadata }) => metadata.tenant));
  const known = await findRows(
    executor,
    tables,
    policyHistories,
    [...tenants].map((tenant) => ({ tenant })),
  );
  const histories = new Map(known.map(({ tenant, history }) => [tenant, history as PolicyHistory]));
  for (const recorded of events) {
    const { tenant } = recorded.metadata;
    histories.set(tenant, evolve(histories.get(tenant) ?? emptyHistory, recorded));
  }
  const rows = [...histories].map(([tenant, history]) => ({
    tenant,
    revision: history.revision,
    trained_at: history.lastStep?.position,
    history,
  }));
  return upsert(tables, policyHistories, rows);
}
