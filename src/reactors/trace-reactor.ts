import { causedBy, type CommandContext, type CommandServices } from '../commands/context.ts';
import { eraseTrace } from '../commands/experience/erase-trace.ts';
import type { TraceEvent } from '../domain/experience/events.ts';
import type { MemoryEvent } from '../domain/memory/events.ts';
import { memoryStream } from '../domain/streams.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import type { Reactor } from '../follow/reactor.ts';

type Followed = LoadedEvent<TraceEvent | MemoryEvent>;

/** A trace that names a memory. */
interface TraceMemory {
  readonly tenant: string;
  readonly memoryId: string;
  readonly traceId: string;
}

export interface TraceReactorParts {
  readonly services: CommandServices;
  /** The traces of callers that name one of the memories, of those that the log has up to `minPosition`. */
  readonly tracesNaming: (
    tenant: string,
    memoryIds: readonly string[],
    minPosition: number,
  ) => Promise<readonly { readonly traceId: string; readonly memoryId: string }[]>;
}

/**
 * Erases the traces of callers together with the memories that they name, because their texts may quote them. The trace of a search
 * holds nothing of a memory but its id. A trace that was recorded while a memory was erased is erased as soon as it is in the log.
 */
export function traceReactor(
  { services, tracesNaming }: TraceReactorParts,
  context: CommandContext,
): Reactor {
  const eraseNaming = async (events: readonly Followed[]): Promise<void> => {
    const erasures = new Map<string, Map<string, Followed>>();
    for (const loaded of events) {
      if (loaded.event.type !== 'MemoryErased') continue;
      const { tenant } = loaded.metadata;
      const known = erasures.get(tenant) ?? new Map<string, Followed>();
      erasures.set(tenant, known.set(loaded.event.data.memoryId, loaded));
    }
    for (const [tenant, byId] of erasures) {
      const upTo = Math.max(...[...byId.values()].map(({ position }) => position));
      for (const named of await tracesNaming(tenant, [...byId.keys()], upTo))
        await eraseTrace(services, causedBy(context, byId.get(named.memoryId)!), named);
    }
  };
  return {
    name: 'trace-erasures',
    handles: ['ReasoningTraceRecorded', 'MemoryErased'],
    async handle(events) {
      const followed = events as readonly Followed[];
      await eraseNaming(followed);
      for (const loaded of followed) {
        const { event, metadata, erased } = loaded;
        const { tenant } = metadata;
        const own = causedBy(context, loaded);
        if (event.type === 'ReasoningTraceRecorded') {
          if (erased || event.data.origin !== 'caller') continue;
          const first = await firstErased(services, namedBy(tenant, event.data));
          if (first) await eraseTrace(services, own, first);
        }
      }
    },
  };
}

function namedBy(
  tenant: string,
  { traceId, memoryIds }: { readonly traceId: string; readonly memoryIds: readonly string[] },
): TraceMemory[] {
  return memoryIds.map((memoryId) => ({ tenant, memoryId, traceId }));
}

async function firstErased(
  { store }: CommandServices,
  named: readonly TraceMemory[],
): Promise<TraceMemory | undefined> {
  for (const trace of named) {
    const stream = memoryStream(trace.tenant, trace.memoryId);
    const [last] = await store.log.readStream(stream, { direction: 'backwards', limit: 1 });
    if (last?.type === 'MemoryErased') return trace;
  }
  return undefined;
}
