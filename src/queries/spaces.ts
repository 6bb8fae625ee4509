import type { TenantContext } from '../domain/access/context.ts';
import type { ReadModels } from './read-models.ts';
import { readStats, type Stats } from './stats.ts';

/** What a space holds: active memories, and the bytes of UTF-8 of their contents. */
export interface SpaceSize {
  readonly memories: number;
  readonly bytes: number;
}

export interface SpaceSizes {
  readonly of: ReadonlyMap<string, SpaceSize>;
  readonly position: number;
}

/** Sizes of the spaces whose memories the caller sees: of the whole tenant for admins and auditors. */
export async function readSpaceSizes(
  models: ReadModels,
  caller: TenantContext,
  wait: Parameters<typeof readStats>[2],
): Promise<SpaceSizes> {
  const { spaces, position } = await readStats(models, caller, wait);
  return { of: new Map(spaces.filter(({ active }) => active > 0).map(sizeOf)), position };
}

/** Whether any memory of the tenant is in a space, according to the read model of statistics, which may lag behind. */
export function hasMemoriesInSpaces(models: ReadModels, tenant: string): Promise<boolean> {
  return models.read({ projections: ['statistics'] }, async (view) => {
    const rows = await models.sql.query(
      `select 1 from ${view.table('statistics')} where tenant = $1 and space <> '' and memories > 0 limit 1`,
      [tenant],
    );
    return rows.length > 0;
  });
}

function sizeOf({ space, active, bytes }: Stats['spaces'][number]): [string, SpaceSize] {
  return [space, { memories: active, bytes }];
}

/** Bytes of the active memories of these spaces, for their quotas. What is not counted yet lies behind `position`. */
export async function readSpaceBytes(
  models: ReadModels,
  tenant: string,
  spaces: readonly string[],
): Promise<{ readonly bytes: ReadonlyMap<string, number>; readonly position: number }> {
  return models.read({ projections: ['statistics'] }, async (view) => {
    // One statement: both are of the same moment.
    const [row] = await models.sql.query<{ bytes: Record<string, number> | null; position: number }>(
      `select
         (select jsonb_object_agg(space, bytes) from (
            select space, sum(bytes) as bytes from ${view.table('statistics')}
            where tenant = $1 and space = any ($2) and state = 'active' group by space) sums) as bytes,
         (select min(position) from follow.checkpoints where name = 'statistics' and generation = $3) as position`,
      [tenant, [...spaces], view.generation('statistics')],
    );
    return { bytes: new Map(Object.entries(row!.bytes ?? {})), position: row!.position };
  });
}
