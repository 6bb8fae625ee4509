import type { SqlExecutor } from '../../ports/sql.ts';
import { memoryColumns } from '../memory-row.ts';
import type { ReadView } from '../read-models.ts';
import { allOf, Parameters } from '../sql-builder.ts';
import type { Asker } from '../use-sql.ts';
import { wasActive, wasValid } from './as-of/was-active.ts';
import { filterConditions, type MemoryFilters } from './filter-join.ts';
import { lookupsOf } from './lookups.ts';
import type { FoundRow } from './shortlist.ts';

interface ReadOptions {
  readonly asker: Asker;
  /** A position: returns the memories as they were then, if they were active. */
  readonly at?: number;
  /** Filters that are checked again, because the memories may have changed since they were found. */
  readonly filters?: MemoryFilters;
}

/** Reads the active memories among `ids`, and whether a link says that they are superseded. */
export async function readMemories(
  tx: SqlExecutor,
  view: ReadView,
  tenant: string,
  ids: readonly string[],
  { asker, at, filters = {} }: ReadOptions,
): Promise<FoundRow[]> {
  if (ids.length === 0) return [];
  const parameters = new Parameters();
  const lookup = lookupsOf(tenant, parameters);
  const active =
    at === undefined
      ? allOf([
          "t.to_position is null and t.state = 'active'",
          ...filterConditions({ ...filters, asker }, view, 't', parameters),
        ])
      : wasActive('t', at, parameters);
  const linked = at === undefined ? 'l.to_position is null' : wasValid('l', at, parameters);
  return tx.query<FoundRow>(
    `select ${memoryColumns(view, asker, parameters, at)}, exists (
       select 1 from ${view.table('links')} l
       where l.tenant = ${parameters.bind(tenant)} and l.target = found.memory_id and l.type = 'supersedes' and ${linked}
     ) as is_superseded
     from unnest(${parameters.bind(ids)}::uuid[]) as found(memory_id)
     cross join ${lookup('t.*', view.table('memories'), active)} m
     left join ${lookup('t.accesses, t.last_accessed_at, t.feedbacks', view.table('usage'))} u on true`,
    parameters.values,
  );
}
