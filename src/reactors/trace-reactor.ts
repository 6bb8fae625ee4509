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
  /** The traces of callers that name the memory, of those that the log has up to `minPosition`. */
  readonly tracesNaming: (
    tenant: string,
    memoryId: string,
    minPosition: number,
  ) => Promise<readonly string[]>;
}

/**
 * Erases the traces of callers together with the memories that they name, because their texts may quote them. The trace of a search
 * holds nothing of a memory but its id. A trace that was recorded while a memory was erased is erased as soon as it is in the log.
 */
export function traceReactor(
  { services, tracesNaming }: TraceReactorParts,
  context: CommandContext,
): Reactor {
  return {
    name: 'trace-erasures',
    handles: ['ReasoningTraceRecorded', 'MemoryErased'],
    async handle(events) {
      for (const loaded of events as readonly Followed[]) {
        const { event, metadata, erased, position } = loaded;
        const { tenant } = metadata;
        const own = causedBy(context, loaded);
        if (event.type === 'ReasoningTraceRecorded') {
          if (erased || event.data.origin !== 'caller') continue;
          const first = await firstErased(services, namedBy(tenant, event.data));
          if (first) await eraseTrace(services, own, first);
        } else if (event.type === 'MemoryErased') {
          const { memoryId } = event.data;
          for (const traceId of await tracesNaming(tenant, memoryId, position))
            await eraseTrace(services, own, { memoryId, traceId });
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
