import type { TenantContext } from '../domain/access/context.ts';
import { visible, type Visibility } from '../domain/access/visibility.ts';
import type { ReadModels, ReadView } from './read-models.ts';
import { visibilityCondition } from './scope-sql.ts';
import { allOf, Parameters } from './sql-builder.ts';

/** The SQL expressions of the cited memory. */
interface Keys {
  readonly tenant: string;
  readonly memoryId: string;
}

/** SQL for an aggregate of the active memories `c` that cite a memory, as far as they are visible. The view needs `links` and `memories`. */
export function citationsSql(
  view: Pick<ReadView, 'table'>,
  visibility: Visibility,
  { tenant, memoryId }: Keys,
  aggregate: string,
  parameters: Parameters,
): string {
  return `(select ${aggregate} from ${view.table('links')} l
    join ${view.table('memories')} c on c.tenant = l.tenant and c.memory_id = l.source and c.to_position is null
    where ${allOf([
      `l.tenant = ${tenant} and l.target = ${memoryId} and l.type = 'cites' and l.to_position is null`,
      `c.state = 'active'`,
      visibilityCondition(visibility, 'c', parameters),
    ])})`;
}

/** How many memories that the caller sees cite each of these, by memory id; those that none cites are left out. */
export async function readCitations(
  models: ReadModels,
  caller: TenantContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await models.read({ projections: ['links', 'memories'] }, (view) => {
    const parameters = new Parameters();
    const keys = { tenant: parameters.bind(caller.tenant), memoryId: 'cited.id' };
    const count = citationsSql(view, visible(caller), keys, 'count(*)::integer', parameters);
    return models.sql.queryAs<{ id: string; citations: number }>(
      caller.tenant,
      `select cited.id, ${count} as citations from unnest(${parameters.bind([...ids])}::uuid[]) as cited(id)`,
      parameters.values,
    );
  });
  return new Map(rows.flatMap(({ id, citations }) => (citations > 0 ? [[id, citations] as const] : [])));
}
