import type { MemoryValue } from '../../domain/memory/memory.ts';
import type { CommandContext, CommandServices } from '../context.ts';
import { checkSpaces } from './check-spaces.ts';

/** A memory as it would be after the command: one that is stored, or that gets another text, other metadata or other spaces. */
export type Entry = Omit<MemoryValue, 'id' | 'claim'>;

/** What the rules add to a memory, or change in it. */
export type EntryChanges = Partial<Pick<MemoryValue, 'content' | 'trust' | 'pii'>>;

/**
 * Applies the rules that decide whether a memory may enter, before anything of it is written: those of its spaces. Throws a `Problem` if
 * one refuses it. `before` is the memory that a command changes.
 */
export async function checkEntry(
  services: CommandServices,
  context: CommandContext,
  entry: Entry,
  before?: MemoryValue,
): Promise<EntryChanges> {
  const { flags } = await checkSpaces(services, context.caller.tenant, entry, before);
  const trust = before?.trust;
  if (flags.length === 0) return {};
  return {
    trust: { source: 'user', state: 'trusted', ...trust, flags: [...(trust?.flags ?? []), ...flags] },
  };
}
