import { changeMemory, type MatchCondition, type MemoryResult } from './change-memory.ts';
import type { CommandContext, CommandServices } from './context.ts';

/** Takes a memory out of searches, contexts and summaries. Archiving it twice changes nothing. */
export async function archiveMemory(
  services: CommandServices,
  context: CommandContext,
  memoryId: string,
  match: MatchCondition,
): Promise<MemoryResult> {
  return changeMemory(services, context, memoryId, { type: 'archive' }, match);
}

/** Undoes the archiving of a memory. */
export async function unarchiveMemory(
  services: CommandServices,
  context: CommandContext,
  memoryId: string,
  match: MatchCondition,
): Promise<MemoryResult> {
  return changeMemory(services, context, memoryId, { type: 'unarchive' }, match);
}
