import type { MemoryUse } from '../../domain/learning/memory-value.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import type { ReadView } from '../read-models.ts';

interface Row extends Record<string, unknown> {
  readonly memory_id: string;
  readonly uses: number;
  readonly expected: number;
}

/** Whose uses count: those of this user and of callers without one. */
export interface ValueDemand {
  readonly tenant: string;
  readonly user: string | undefined;
  readonly ids: readonly string[];
}

/** How often these memories were used in searches with an explicit outcome, by memory id. */
export async function readValues(
  tx: SqlExecutor,
  view: Pick<ReadView, 'table'>,
  { tenant, user, ids }: ValueDemand,
): Promise<ReadonlyMap<string, MemoryUse>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.query<Row>(
    `select v.memory_id, sum(v.uses)::float8 as uses, sum(v.expected)::float8 / 1000000 as expected
     from unnest($1::uuid[]) as found(memory_id)
     cross join lateral (
       select t.* from ${view.table('values')} t
       where t.tenant = $2 and t.memory_id = found.memory_id and t.asker in ('', $3)) v
     group by v.memory_id`,
    [ids, tenant, user ?? ''],
  );
  return new Map(rows.map(({ memory_id: id, uses, expected }) => [id, { uses, expected }]));
}
