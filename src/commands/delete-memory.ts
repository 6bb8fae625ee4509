import { changeMemory, type MatchCondition, type MemoryResult } from './change-memory.ts';
import type { CommandContext, CommandServices } from './context.ts';

const retentionDays = 30;

/** Until when what is deleted now can be restored. */
export function retentionEnd({ clock }: Pick<CommandServices, 'clock'>): Date {
  return new Date(clock.now().getTime() + retentionDays * 86_400_000);
}

/** Deletes a memory softly: it can be restored until its retention ends. A second deletion changes nothing. */
export async function deleteMemory(
  services: CommandServices,
  context: CommandContext,
  memoryId: string,
  match: MatchCondition,
): Promise<MemoryResult> {
  const retentionUntil = retentionEnd(services);
  return changeMemory(services, context, memoryId, { type: 'delete', retentionUntil }, match);
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
