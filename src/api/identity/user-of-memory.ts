import { hasRole, type TenantContext } from '../../domain/access/context.ts';
import { actingFor } from '../../domain/access/on-behalf.ts';
import type { MemoryEvent } from '../../domain/memory/events.ts';
import { foldMemory, isLive } from '../../domain/memory/snapshot.ts';
import { Problem } from '../../domain/problems.ts';
import { isMemoryId, memoryStream } from '../../domain/streams.ts';
import type { Services } from '../services.ts';

/**
 * The caller as it acts for the user of a memory: for protocols that name a memory and not whom the call is for. Only a
 * caller of role agent that acts for nobody yet changes, and only if its credential serves this user; for any other caller,
 * memory or id the caller stays as it is, so that unknown and hidden memories look the same.
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
