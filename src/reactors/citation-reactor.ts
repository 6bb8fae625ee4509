import { causedBy, type CommandContext, type CommandServices } from '../commands/context.ts';
import { trackCitations } from '../commands/track-citations.ts';
import type { MemoryEvent } from '../domain/memory/events.ts';
import { foldMemory } from '../domain/memory/snapshot.ts';
import type { MemoryValue } from '../domain/memory/memory.ts';
import { tracksCitations, type Spaces } from '../domain/spaces/spaces.ts';
import { memoryStream } from '../domain/streams.ts';
import { isWithheld } from '../domain/trust/trust.ts';
import type { Reactor } from '../follow/reactor.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import { inSpaces } from './in-spaces.ts';

/**
 * Links the memories of spaces with `citationTracking` to those that their texts refer to. What was in a space before it tracked citations
 * is linked when it changes.
 */
export function citationReactor(services: CommandServices, context: CommandContext): Reactor {
  return {
    name: 'citations',
    handles: ['MemoryStored', 'MemoryUpdated', 'MemoryRestored', 'MemoryUnarchived', 'MemoryReviewed'],
    routingOnly: true,
    lingerMs: 500,
    async handle(events, { signal }) {
      const due = inSpaces(services.spaces, events as readonly LoadedEvent<MemoryEvent>[]);
      for await (const { loaded, spaces, labels } of due) {
        signal.throwIfAborted();
        if (tracksCitations(spaces, labels)) await track(services, context, loaded, spaces);
      }
    },
  };
}

async function track(
  services: CommandServices,
  context: CommandContext,
  loaded: LoadedEvent<MemoryEvent>,
  spaces: Spaces,
): Promise<void> {
  const caused = causedBy(context, loaded);
  const own: CommandContext = { ...caused, caller: { ...caused.caller, roles: ['admin'] } };
  const { tenant } = own.caller;
  const history = await services.store.load<MemoryEvent>(memoryStream(tenant, loaded.event.data.memoryId));
  const now = valueAfter(history, loaded.revision);
  const isGone = foldMemory(history).state.status === 'erased';
  if (!now || isGone || isWithheld(now) || !tracksCitations(spaces, now.spaces)) return;
  const before = loaded.event.type === 'MemoryUpdated' ? valueAfter(history, loaded.revision - 1) : undefined;
  await trackCitations(services, own, now, before);
}

function valueAfter(history: readonly LoadedEvent<MemoryEvent>[], revision: number): MemoryValue | undefined {
  const { state } = foldMemory(history.filter((event) => event.revision <= revision));
  return state.status === 'active' ? state.value : undefined;
}
