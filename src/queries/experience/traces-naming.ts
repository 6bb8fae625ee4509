import type { RecordedEvent } from '../../ports/event-log.ts';
import type { EventStore } from '../../ports/event-store.ts';
import { traceStream } from '../../domain/streams.ts';
import { traceMemories } from '../../read-models/trace-memories.ts';
import type { ReadModels, Wait } from '../read-models.ts';

/** A trace and a memory that it names. */
interface Naming {
  readonly traceId: string;
  readonly memoryId: string;
}

/** Finds the traces that name memories. None is missed: those whose events could not be applied are read from the log. */
export class TracesNaming {
  readonly #models: ReadModels;
  readonly #store: EventStore;

  constructor(models: ReadModels, store: EventStore) {
    this.#models = models;
    this.#store = store;
  }

  /** The traces of callers that name one of the memories and are not erased, each once. */
  async of(tenant: string, memoryIds: readonly string[], wait: Wait): Promise<Naming[]> {
    return this.#models.read({ projections: [traceMemories.name], ...wait }, async (view) => {
      const { sql } = this.#models;
      const rows = await sql.query<{ readonly trace: string; readonly memory: string }>(
        `select trace_id as trace, memory_id as memory from ${view.table(traceMemories.name)} where tenant = $1 and memory_id = any ($2)`,
        [tenant, memoryIds],
      );
      const parked = await sql.query<{ readonly stream: string }>(
        'select stream from follow.parked where name = $1 and generation = $2 and starts_with(stream, $3)',
        [traceMemories.name, view.generation(traceMemories.name), traceStream(tenant, '')],
      );
      const named = new Map(rows.map(({ trace, memory }) => [trace, memory]));
      const wanted = new Set(memoryIds);
      for (const { stream } of parked) {
        const [first] = await this.#store.log.readStream(stream as RecordedEvent['stream'], { limit: 1 });
        const [opened] = first ? (await this.#store.open([first], { routingOnly: true })).events : [];
        if (opened?.event.type !== 'ReasoningTraceRecorded') continue;
        const { traceId, origin, memoryIds: all } = opened.event.data;
        const memoryId = origin === 'caller' ? all.find((id) => wanted.has(id)) : undefined;
        if (memoryId !== undefined) named.set(traceId, memoryId);
      }
      return [...named].map(([traceId, memoryId]) => ({ traceId, memoryId }));
    });
  }
}
