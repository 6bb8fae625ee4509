import type { TraceEvent } from '../../domain/experience/events.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import type { Row } from '../../read-models/table.ts';
import { traceMemories } from '../../read-models/trace-memories.ts';
import { rowsWith } from '../holding.ts';
import { declaredBy, type Projection } from '../projection.ts';
import { remove, together, upsert } from '../write.ts';

const ofTrace = traceMemories.pick('tenant', 'trace_id');

/** The traces of searches are left out: they hold nothing of a memory but its id, and outlive it. */
export const traceMemoriesProjection: Projection = {
  name: traceMemories.name,
  version: 1,
  handles: ['ReasoningTraceRecorded', 'ReasoningTraceErased'],
  ...declaredBy(traceMemories),
  async plan(events, _executor, tables) {
    const added: Row<typeof traceMemories>[] = [];
    const gone: object[] = [];
    const erased = new Set<string>();
    for (const {
      stream,
      event,
      metadata,
      erased: isErased,
    } of events as readonly LoadedEvent<TraceEvent>[]) {
      if (event.type === 'ReasoningTraceErased' || isErased) {
        erased.add(stream);
        gone.push({ tenant: metadata.tenant, trace_id: event.data.traceId });
      }
    }
    for (const { stream, event, metadata } of events as readonly LoadedEvent<TraceEvent>[]) {
      if (event.type !== 'ReasoningTraceRecorded' || event.data.origin !== 'caller' || erased.has(stream))
        continue;
      const { traceId, memoryIds } = event.data;
      for (const memoryId of new Set(memoryIds))
        added.push({ tenant: metadata.tenant, memory_id: memoryId, trace_id: traceId });
    }
    return together(upsert(tables, traceMemories, added), remove(tables(traceMemories.name), ofTrace, gone));
  },
  holds: (tables) => rowsWith([tables(traceMemories.name), 'memory_id = any ($2::text[])']),
};
