import type { RoutePolicyEvent } from '../../domain/learning/policy-events.ts';
import { emptyHistory, evolve, type PolicyHistory } from '../../domain/learning/policy-history.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import { digestOf } from '../../read-models/digest.ts';
import type { Projection } from '../projection.ts';
import { protect, type Tables } from '../../read-models/table.ts';
import { Recordset } from '../../read-models/recordset.ts';
import { insert, type Write } from '../write.ts';

const keyColumns = { tenant: 'text', revision: 'integer', trained_at: 'bigint' } as const;
const added = new Recordset({ ...keyColumns, history: 'json' });

/**
 * For each tenant the state of its trainer, the policies that have the traffic, and the latest versions: a `PolicyHistory`. The row of
 * the system tenant is the global base. `trained_at` is the position of the trainer's last step.
 */
export const policies: Projection = {
  name: 'policies',
  version: 2,
  handles: ['PolicyUpdated', 'PolicyCompared', 'PolicyPromoted', 'PolicyRolledBack'],
  tables: ['policies'],
  create: (tables) => [
    `create table ${tables('policies')} (
      tenant text primary key,
      revision integer not null,
      trained_at bigint,
      history jsonb not null
    )`,
    `create index on ${tables('policies')} (trained_at) where trained_at is not null`,
    ...protect(tables('policies')),
  ],
  plan: (events, executor, tables) =>
    plan(events as readonly LoadedEvent<RoutePolicyEvent>[], executor, tables),
  holds: { nothing: 'weights, and counts of searches' },
  digest: (tables) => digestOf(tables('policies'), { ...keyColumns, history: 'jsonb' }),
};

async function plan(
  events: readonly LoadedEvent<RoutePolicyEvent>[],
  executor: SqlExecutor,
  tables: Tables,
): Promise<Write> {
  const tenants = [...new Set(events.map(({ metadata }) => metadata.tenant))];
  const known = await executor.query<{ tenant: string; history: PolicyHistory }>(
    `select tenant, history from ${tables('policies')} where tenant = any ($1)`,
    [tenants],
  );
  const histories = new Map(known.map(({ tenant, history }) => [tenant, history]));
  for (const recorded of events) {
    const { tenant } = recorded.metadata;
    histories.set(tenant, evolve(histories.get(tenant) ?? emptyHistory, recorded));
  }
  const rows = [...histories].map(([tenant, history]) => ({
    tenant,
    revision: history.revision,
    trained_at: history.lastStep?.position,
    history: JSON.stringify(history),
  }));
  return insert(
    tables('policies'),
    added,
    rows,
    `on conflict (tenant) do update set
       revision = excluded.revision, trained_at = excluded.trained_at, history = excluded.history`,
  );
}
