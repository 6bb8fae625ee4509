import type { TenantContext } from '../../domain/access/context.ts';
import type { MemoryView } from '../../domain/memory/view.ts';
import { tracksCitations } from '../../domain/spaces/spaces.ts';
import { readCitations } from '../../queries/citations.ts';
import { readSources } from '../../queries/documents/section-sources.ts';
import type { Services } from '../services.ts';

type Needed = Pick<Services, 'commands' | 'models'>;

/** The memories with how often each is cited, and where sections stand in their documents. Nothing is read that none of them needs. */
export async function decorated(
  services: Needed,
  caller: TenantContext,
  memories: readonly MemoryView[],
): Promise<MemoryView[]> {
  const [citations, sources] = await Promise.all([
    citationsOf(services, caller, memories),
    readSources(
      services.models,
      caller,
      memories.flatMap(({ id, source }) => (source ? [id] : [])),
    ),
  ]);
  if (citations.size === 0 && sources.size === 0) return [...memories];
  return memories.map((memory) => {
    const count = citations.get(memory.id);
    const source = sources.get(memory.id);
    return { ...memory, ...(source && { source }), ...(count !== undefined && { citations: count }) };
  });
}

/** Only memories in spaces that track citations have any. */
async function citationsOf(
  { commands, models }: Needed,
  caller: TenantContext,
  memories: readonly MemoryView[],
): Promise<ReadonlyMap<string, number>> {
  const labelled = memories.filter(({ spaces }) => spaces.length > 0);
  if (labelled.length === 0) return new Map();
  const spaces = await commands.spaces.of(caller.tenant);
  const tracked = labelled.filter((memory) => tracksCitations(spaces, memory.spaces));
  return readCitations(
    models,
    caller,
    tracked.map(({ id }) => id),
  );
}
