import type { MemoryValue } from '../../domain/memory/memory.ts';
import type { TrustSource } from '../../domain/trust/trust.ts';
import type { CommandContext, CommandServices } from '../context.ts';
import { checkPersonalData } from './check-personal-data.ts';
import { checkSpaces } from './check-spaces.ts';
import { trustOf } from './check-trust.ts';

/** A memory as it would be after the command: one that is stored, or that gets another text, other metadata or other spaces. */
export type Entry = Omit<MemoryValue, 'id' | 'claim'>;

/** What the rules add to a memory, or change in it. */
export type EntryChanges = Partial<Pick<MemoryValue, 'content' | 'representations' | 'trust' | 'pii'>>;

export interface EntryOptions {
  /** The memory that the command changes. */
  readonly before?: MemoryValue;
  /** Where the caller says that the text comes from; never above what its credential and cause say. */
  readonly source?: TrustSource | undefined;
  /** Whether somebody has overruled the accepted types and metadata schemas of its spaces: then it is only flagged. */
  readonly isAccepted?: boolean | undefined;
}

/**
 * Applies the rules that decide whether a memory may enter, before anything of it is written: those of its spaces, what they say about
 * personal data, then how far it may be trusted. Throws a `Problem` if one refuses it. A rule that only notes something adds a flag.
 */
export async function checkEntry(
  services: CommandServices,
  context: CommandContext,
  entry: Entry,
  { before, source: declared, isAccepted = false }: EntryOptions = {},
): Promise<EntryChanges> {
  const { tenant } = context.caller;
  const spaces = await services.spaces.of(tenant);
  const { flags: ofSpaces } = await checkSpaces(
    spaces,
    (space) => services.spaces.checkOf(tenant, space),
    entry,
    { before, isAccepted },
  );
  const { texts, pii, flags: ofTexts } = await checkPersonalData(spaces, entry);
  const flags = [...ofSpaces, ...ofTexts];
  const trust = trustOf(spaces, context, entry, { before, flags, declared });
  return {
    ...texts,
    ...((pii.length > 0 || before?.pii) && { pii }),
    ...(trust && { trust }),
  };
}
