import type { TenantContext } from '../../domain/access/context.ts';
import type { MemoryView } from '../../domain/memory/view.ts';
import { tracksCitations } from '../../domain/spaces/spaces.ts';
import { readCitations } from '../../queries/citations.ts';
import type { Services } from '../services.ts';

/** The memories with how often each is cited; nothing is read if none is in a space that tracks citations. */
export async function withCitations(
  { commands, models }: Pick<Services, 'commands' | 'models'>,
  caller: TenantContext,
  memories: readonly MemoryView[],
): Promise<MemoryView[]> {
  const labelled = memories.filter(({ spaces }) => spaces.length > 0);
  if (labelled.length === 0) return [...memories];
  const spaces = await commands.spaces.of(caller.tenant);
  const tracked = labelled.filter((memory) => tracksCitations(spaces, memory.spaces));
  const counts = await readCitations(
    models,
    caller,
    tracked.map(({ id }) => id),
  );
  return memories.map((memory) => {
    const citations = counts.get(memory.id);
    return citations === undefined ? memory : { ...memory, citations };
  });
}
