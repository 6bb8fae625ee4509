import type { TenantContext } from '../../domain/access/context.ts';
import { Problem } from '../../domain/problems.ts';
import { searchedModels } from '../../queries/search/search.ts';
import type { Services } from '../services.ts';

/**
 * Waits until searches and lists of any process include a position: for protocols whose clients cannot pass positions on.
 * Returns after `waitMs` even if they do not; what was acknowledged is not lost, and is found later.
 */
export async function untilSearchable(
  caller: TenantContext,
  { positions, models }: Pick<Services, 'positions' | 'models'>,
  position: string,
  waitMs: number,
): Promise<void> {
  const minPosition = positions.parse(caller, position, 'position');
  try {
    await models.view({ projections: searchedModels, minPosition, waitMs });
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'position-timeout')) throw error;
  }
}
