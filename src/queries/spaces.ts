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

function sizeOf({ space, active, bytes }: Stats['spaces'][number]): [string, SpaceSize] {
  return [space, { memories: active, bytes }];
}
