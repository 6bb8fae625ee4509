import type { SqlExecutor } from '../../ports/sql.ts';
import { memoryColumns } from '../memory-row.ts';
import type { ReadView } from '../read-models.ts';
import { Parameters } from '../sql-builder.ts';
import { wasActive, wasValid } from './as-of/was-active.ts';
import { lookupsOf } from './lookups.ts';
import type { FoundRow } from './shortlist.ts';

/**
 * The memories themselves, of those that are active, and whether a link says that they are superseded; with `at` those
 * that were active there, as they were.
 */
export async function readMemories(
  tx: SqlExecutor,
  view: ReadView,
  tenant: string,
  ids: readonly string[],
  at?: number,
): Promise<FoundRow[]> {
  if (ids.length === 0) return [];
  const parameters = new Parameters();
  const lookup = lookupsOf(tenant, parameters);
  const active =
    at === undefined ? "t.to_position is null and t.state = 'active'" : wasActive('t', at, parameters);
  const linked = at === undefined ? 'l.to_position is null' : wasValid('l', at, parameters);
  return tx.query<FoundRow>(
    `select ${memoryColumns}, exists (
       select 1 from ${view.table('links')} l
       where l.tenant = ${parameters.bind(tenant)} and l.target = found.memory_id and l.type = 'supersedes' and ${linked}
     ) as is_superseded
     from unnest(${parameters.bind(ids)}::uuid[]) as found(memory_id)
     cross join ${lookup('t.*', view.table('memories'), active)} m
     left join ${lookup('t.accesses, t.last_accessed_at', view.table('usage'))} u on true`,
    parameters.values,
  );
}
