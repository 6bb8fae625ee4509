import type { EventStore } from '../ports/event-store.ts';
import type { Sql } from '../ports/sql.ts';
import type { Surface } from '../ports/surface.ts';
import { EventFeed } from '../follow/event-feed.ts';
import { followLog } from '../follow/follow-log.ts';
import type { EventProcessor, Term } from '../follow/processor.ts';
import { CheckpointWriter } from '../follow/checkpoint-writer.ts';
import type { Generation } from './generation.ts';
import { undivided, type Partitioning } from '../follow/partitions.ts';
import type { Source } from './source.ts';

/** The log itself as a source: one process runs each generation, by lease. */
export class LogSource implements Source {
  readonly #feed: EventFeed;
  readonly #checkpointWriter: CheckpointWriter;

  constructor(sql: Sql, store: EventStore) {
    this.#checkpointWriter = new CheckpointWriter(sql, { lingerMs: 1, restMs: 0 });
    this.#feed = new EventFeed(store);
  }

  get surfaces(): readonly Surface[] {
    return [this.#feed];
  }

  partitioningOf(): Partitioning {
    return undivided;
  }

  follow(signal: AbortSignal): Promise<void> {
    return this.#feed.follow(signal);
  }

  processorOf(generation: Generation): EventProcessor {
    return { name: generation.key, sharing: 'lease', run: (term) => this.#run(generation, term) };
  }

  async #run(generation: Generation, term: Term): Promise<void> {
    let state = await generation.checkpoint();
    const pages = this.#feed.pages(state.position, term.signal);
    await followLog(term, state.position, pages, async (page) => {
      state = generation.takesNothing(page, state)
        ? await this.#checkpointWriter.pass(generation, state, page.scannedTo)
        : await generation.apply(page, state);
      term.reached(state.position);
    });
  }
}
