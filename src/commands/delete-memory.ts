import { changeMemory, type MatchCondition, type MemoryResult } from './change-memory.ts';
import type { CommandContext, CommandServices } from './context.ts';

const restorableMs = 30 * 86_400_000;

/** Until when what is deleted now can be restored. */
export function retentionUntil(now: Date): Date {
  return new Date(now.getTime() + restorableMs);
}

/** Deletes a memory softly: it can be restored until its retention ends. A second deletion changes nothing. */
export async function deleteMemory(
  services: CommandServices,
  context: CommandContext,
  memoryId: string,
  match: MatchCondition,
): Promise<MemoryResult> {
  const until = retentionUntil(services.clock.now());
  return changeMemory(services, context, memoryId, { type: 'delete', retentionUntil: until }, match);
}

/** Undoes a soft deletion. */
export async function restoreMemory(
  services: CommandServices,
  context: CommandContext,
  memoryId: string,
  match: MatchCondition,
): Promise<MemoryResult> {
  return changeMemory(services, context, memoryId, { type: 'restore', now: services.clock.now() }, match);
}
