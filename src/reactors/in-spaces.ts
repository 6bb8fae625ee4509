import type { SpaceDirectory } from '../commands/spaces/space-directory.ts';
import type { MemoryEvent } from '../domain/memory/events.ts';
import type { Spaces } from '../domain/spaces/spaces.ts';
import type { LoadedEvent } from '../ports/event-store.ts';

interface InSpaces {
  readonly loaded: LoadedEvent<MemoryEvent>;
  /** The spaces of its tenant. */
  readonly spaces: Spaces;
  /** The labels of its memory; all configured spaces if the event does not say. */
  readonly labels: readonly string[];
}

/**
 * The events of memories that may be in a space. The spaces are read once for each tenant, and as the log has them now: a space that was
 * configured through another process before the memory was stored counts.
 */
export async function* inSpaces(
  directory: Pick<SpaceDirectory, 'current'>,
  events: readonly LoadedEvent<MemoryEvent>[],
): AsyncGenerator<InSpaces> {
  const known = new Map<string, Spaces>();
  for (const loaded of events) {
    const { event, metadata } = loaded;
    const said = 'spaces' in event.data ? event.data.spaces : undefined;
    if (said?.length === 0) continue;
    const spaces = known.get(metadata.tenant) ?? (await directory.current(metadata.tenant));
    known.set(metadata.tenant, spaces);
    yield { loaded, spaces, labels: said ?? [...spaces.configured.keys()] };
  }
}
