import type { SqlExecutor } from '../../ports/sql.ts';
import { memoryColumns, type MemoryRow } from '../memory-row.ts';
import type { ReadView } from '../read-models.ts';
import { Parameters } from '../sql-builder.ts';
import { wasActive } from './as-of/was-active.ts';
import { lookupsOf } from './lookups.ts';

/** The memories themselves, of those that are active; with `at` those that were active there, as they were. */
export async function readMemories(
  tx: SqlExecutor,
  view: ReadView,
  tenant: string,
  ids: readonly string[],
  at?: number,
): Promise<MemoryRow[]> {
  const parameters = new Parameters();
  const lookup = lookupsOf(tenant, parameters);
  const valid =
    at === undefined ? "t.to_position is null and t.state = 'active'" : wasActive('t', at, parameters);
  return tx.query<MemoryRow>(
    `select ${memoryColumns} from unnest(${parameters.bind(ids)}::uuid[]) as found(memory_id)
     cross join ${lookup('t.*', view.table('memories'), valid)} m
     left join ${lookup('t.accesses, t.last_accessed_at', view.table('usage'))} u on true`,
    parameters.values,
  );
}
