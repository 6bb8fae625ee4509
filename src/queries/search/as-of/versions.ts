import type { SqlExecutor } from '../../../ports/sql.ts';
import { memoryColumns, type MemoryRow } from '../../memory-row.ts';
import type { ReadView } from '../../read-models.ts';
import { Parameters } from '../../sql-builder.ts';
import { lookupsOf } from '../lookups.ts';

/** Whether a row of the memories table is the version of an active memory that was valid at a position. */
export function wasActive(alias: string, at: number, parameters: Parameters): string {
  const position = parameters.bind(at);
  return `${alias}.state = 'active' and ${alias}.from_position <= ${position}
    and (${alias}.to_position is null or ${alias}.to_position > ${position})`;
}

/** The memories as they were at the position, of those that were active then and are not erased. */
export async function readVersions(
  tx: SqlExecutor,
  view: ReadView,
  tenant: string,
  at: number,
  ids: readonly string[],
): Promise<MemoryRow[]> {
  const parameters = new Parameters();
  const lookup = lookupsOf(tenant, parameters);
  return tx.query<MemoryRow>(
    `select ${memoryColumns} from unnest(${parameters.bind(ids)}::uuid[]) as found(memory_id)
     cross join ${lookup('t.*', view.table('memories'), wasActive('t', at, parameters))} m
     left join ${lookup('t.accesses, t.last_accessed_at', view.table('usage'))} u on true`,
    parameters.values,
  );
}
