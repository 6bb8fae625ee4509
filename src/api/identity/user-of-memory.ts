import { hasRole, type TenantContext } from '../../domain/access/context.ts';
import { actingFor } from '../../domain/access/on-behalf.ts';
import type { MemoryEvent } from '../../domain/memory/events.ts';
import { foldMemory, isLive } from '../../domain/memory/snapshot.ts';
import { Problem } from '../../domain/problems.ts';
import { isMemoryId, memoryStream } from '../../domain/streams.ts';
import type { Services } from '../services.ts';

/**
 * The caller acting for the user of a memory, for protocols whose calls name a memory but no user. This applies only to a caller of
 * role agent that acts for nobody yet, and only if its credential serves that user. In all other cases the caller is returned
 * unchanged, so that unknown and hidden memories look the same.
 */
export async function actingForUserOf(
  caller: TenantContext,
  memoryId: string,
  { commands: { store } }: Pick<Services, 'commands'>,
): Promise<TenantContext> {
  if (!hasRole(caller, 'agent') || caller.user !== undefined || !isMemoryId(memoryId)) return caller;
  const snapshot = foldMemory(await store.load<MemoryEvent>(memoryStream(caller.tenant, memoryId)));
  const user = isLive(snapshot) ? snapshot.state.value.scope.user : undefined;
  if (user === undefined) return caller;
  try {
    return actingFor(caller, user);
  } catch (error) {
    if (error instanceof Problem && error.code === 'forbidden') return caller;
    throw error;
  }
}
