import type { TenantContext } from '../../domain/access/context.ts';
import type { RecordedSection } from '../../domain/documents/events.ts';
import { haveSameFacts } from '../../domain/duplicates/same-facts.ts';
import { toldForm } from '../../domain/memory/affirmation.ts';
import type { MemoryEvent } from '../../domain/memory/events.ts';
import type { MemoryValue } from '../../domain/memory/memory.ts';
import { foldMemory } from '../../domain/memory/snapshot.ts';
import { collectingDuplicates, type Spaces } from '../../domain/spaces/spaces.ts';
import { memoryStream } from '../../domain/streams.ts';
import { isWithheld } from '../../domain/trust/trust.ts';
import { LexicalIndexUnavailable } from '../../ports/lexical-index.ts';
import type { CommandServices } from '../context.ts';

/**
 * Finds memories of a space with the same layer and scope that say the same as this one, the most similar first. It is a query, which
 * commands may not import, and sees only what the read models have applied.
 */
export type FindSame = (
  caller: TenantContext,
  memory: MemoryValue & { readonly updatedAt: string },
  within: { readonly space: string; readonly threshold: number },
) => Promise<readonly { readonly id: string }[]>;

/**
 * The id of a memory that says the same as a new section in other words, in a space that collects duplicates; undefined if there is none.
 * It has the layer and scope of the section, so the same callers see it. Exact copies are found by the claims of texts instead. A memory
 * that the read models have not applied yet is missed.
 */
export async function saidAlready(
  services: CommandServices,
  find: FindSame,
  { caller, spaces }: { readonly caller: TenantContext; readonly spaces: Spaces },
  value: MemoryValue,
  kind: RecordedSection['kind'],
): Promise<string | undefined> {
  if (!isProse(kind, value.content) || isWithheld(value)) return undefined;
  const updatedAt = services.clock.now().toISOString();
  for (const within of collectingDuplicates(spaces, value.spaces))
    for (const { id } of await foundBy(find, caller, { ...value, updatedAt }, within))
      if (await stillSays(services, caller, id, within.space, value.content)) return id;
  return undefined;
}

/** Facts are compared by their words. In code and tables, one character or its place can make all the difference. */
function isProse(kind: RecordedSection['kind'], content: string): boolean {
  return kind !== 'code' && kind !== 'table' && !content.includes('`');
}

/** Without the index of words nothing is found and the section is stored; the duplicate joins a cluster later. */
async function foundBy(find: FindSame, ...asked: Parameters<FindSame>): ReturnType<FindSame> {
  try {
    return await find(...asked);
  } catch (error) {
    if (error instanceof LexicalIndexUnavailable) return [];
    throw error;
  }
}

/** Asks the log, because read models may lag behind: the memory may be gone or say something else by now. */
async function stillSays(
  { store }: CommandServices,
  { tenant }: TenantContext,
  id: string,
  space: string,
  content: string,
): Promise<boolean> {
  const { state } = foldMemory(await store.load<MemoryEvent>(memoryStream(tenant, id)));
  if (state.status !== 'active' || isWithheld(state.value)) return false;
  const said = state.value.content;
  return (
    state.value.spaces.includes(space) && toldForm(said) !== toldForm(content) && haveSameFacts(said, content)
  );
}
