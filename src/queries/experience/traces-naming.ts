import type { RecordedEvent } from '../../ports/event-log.ts';
import type { EventStore } from '../../ports/event-store.ts';
import { traceStream } from '../../domain/streams.ts';
import { traceMemories } from '../../read-models/trace-memories.ts';
import type { ReadModels, Wait } from '../read-models.ts';

/** Finds the traces that name a memory. None is missed: those whose events could not be applied are read from the log. */
export class TracesNaming {
  readonly #models: ReadModels;
  readonly #store: EventStore;

  constructor(models: ReadModels, store: EventStore) {
    this.#models = models;
    this.#store = store;
  }

  /** Ids of the traces of callers that name the memory and are not erased. */
  async of(tenant: string, memoryId: string, wait: Wait): Promise<string[]> {
    return this.#models.read({ projections: [traceMemories.name], ...wait }, async (view) => {
      const { sql } = this.#models;
      const rows = await sql.query<{ readonly id: string }>(
        `select trace_id as id from ${view.table(traceMemories.name)} where tenant = $1 and memory_id = $2`,
        [tenant, memoryId],
      );
      const parked = await sql.query<{ readonly stream: string }>(
        'select stream from follow.parked where name = $1 and generation = $2 and starts_with(stream, $3)',
        [traceMemories.name, view.generation(traceMemories.name), traceStream(tenant, '')],
      );
      const ids = new Set(rows.map(({ id }) => id));
      for (const { stream } of parked) {
        const [first] = await this.#store.log.readStream(stream as RecordedEvent['stream'], { limit: 1 });
        const [opened] = first ? (await this.#store.open([first], { routingOnly: true })).events : [];
        if (opened?.event.type !== 'ReasoningTraceRecorded') continue;
        const { traceId, origin, memoryIds } = opened.event.data;
        if (origin === 'caller' && memoryIds.includes(memoryId)) ids.add(traceId);
      }
      return [...ids];
    });
  }
}
