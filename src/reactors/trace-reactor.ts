import { causedBy, type CommandContext, type CommandServices } from '../commands/context.ts';
import { eraseTrace } from '../commands/experience/erase-trace.ts';
import type { TraceEvent } from '../domain/experience/events.ts';
import type { MemoryEvent } from '../domain/memory/events.ts';
import { memoryStream } from '../domain/streams.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import type { Reactor } from '../follow/reactor.ts';
import type { TraceMemoriesTable, TraceMemory } from './trace-memories-table.ts';

type Followed = LoadedEvent<TraceEvent | MemoryEvent>;

export interface TraceReactorParts {
  readonly services: CommandServices;
  readonly table: TraceMemoriesTable;
}

/**
 * Erases the traces of callers together with the memories that they name, because their texts may quote them. The trace of a search
 * holds nothing of a memory but its id. A trace that was recorded while a memory was erased is erased as soon as it is in the log.
 */
export function traceReactor({ services, table }: TraceReactorParts, context: CommandContext): Reactor {
  return {
    name: 'trace-erasures',
    handles: ['ReasoningTraceRecorded', 'MemoryErased'],
    async handle(events) {
      const added: TraceMemory[] = [];
      const gone: TraceMemory[] = [];
      for (const loaded of events as readonly Followed[]) {
        const { event, metadata, erased } = loaded;
        const { tenant } = metadata;
        const own = causedBy(context, loaded);
        if (event.type === 'ReasoningTraceRecorded') {
          if (erased || event.data.origin !== 'caller') continue;
          const named = namedBy(tenant, event.data);
          const first = await firstErased(services, named);
          if (first) await eraseTrace(services, own, first);
          else added.push(...named);
        } else if (event.type === 'MemoryErased') {
          const { memoryId } = event.data;
          const earlier = await table.tracesOf(tenant, memoryId);
          const naming = [
            ...earlier.map((traceId) => ({ tenant, memoryId, traceId })),
            ...added.filter((row) => row.tenant === tenant && row.memoryId === memoryId),
          ];
          for (const trace of naming) await eraseTrace(services, own, trace);
          gone.push(...naming);
        }
      }
      return async (tx) => {
        await table.add(tx, added);
        await table.removeTraces(tx, gone);
      };
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
