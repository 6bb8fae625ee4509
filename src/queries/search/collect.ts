import type { MemoryUse } from '../../domain/learning/memory-value.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import type { ReadView } from '../read-models.ts';
import { Parameters } from '../sql-builder.ts';
import { useSql, type Asker } from '../use-sql.ts';

interface Row extends Record<string, unknown> {
  readonly memory_id: string;
  readonly use: MemoryUse;
}

export interface AskedUses {
  readonly tenant: string;
  readonly asker: Asker;
  readonly ids: readonly string[];
}

/** How often these memories were used in searches with an explicit outcome, by memory id. */
export async function readUses(
  tx: SqlExecutor,
  view: Pick<ReadView, 'table'>,
  { tenant, asker, ids }: AskedUses,
): Promise<ReadonlyMap<string, MemoryUse>> {
  if (ids.length === 0) return new Map();
  const parameters = new Parameters();
  const keys = { tenant: parameters.bind(tenant), memoryId: 'found.memory_id' };
  const rows = await tx.query<Row>(
    `select found.memory_id, ${useSql(view, asker, keys, parameters)} as use
     from unnest(${parameters.bind(ids)}::uuid[]) as found(memory_id)`,
    parameters.values,
  );
  return new Map(rows.map(({ memory_id: id, use }) => [id, use]));
}
