import type { MemoryValue } from '../../domain/memory/memory.ts';
import { unrecordedTrust, type Trust } from '../../domain/trust/trust.ts';
import type { CommandContext, CommandServices } from '../context.ts';
import { checkPersonalData } from './check-personal-data.ts';
import { checkSpaces } from './check-spaces.ts';

/** A memory as it would be after the command: one that is stored, or that gets another text, other metadata or other spaces. */
export type Entry = Omit<MemoryValue, 'id' | 'claim'>;

/** What the rules add to a memory, or change in it. */
export type EntryChanges = Partial<Pick<MemoryValue, 'content' | 'representations' | 'trust' | 'pii'>>;

/**
 * Applies the rules that decide whether a memory may enter, before anything of it is written: those of its spaces, and what they say about
 * personal data. Throws a `Problem` if one refuses it. `before` is the memory that a command changes.
 */
export async function checkEntry(
  services: CommandServices,
  { caller: { tenant } }: CommandContext,
  entry: Entry,
  before?: MemoryValue,
): Promise<EntryChanges> {
  const spaces = await services.spaces.of(tenant);
  const { flags } = await checkSpaces(services, tenant, entry, before);
  const { texts, pii, flags: ofTexts } = await checkPersonalData(spaces, entry);
  return {
    ...texts,
    ...((pii.length > 0 || before?.pii) && { pii }),
    ...trustWith(before?.trust, [...flags, ...ofTexts]),
  };
}

/** Trust is recorded where there is something to say. */
function trustWith(before: Trust | undefined, flags: readonly string[]): Pick<EntryChanges, 'trust'> {
  if (!before && flags.length === 0) return {};
  return { trust: { ...(before ?? unrecordedTrust), flags: [...flags] } };
}
