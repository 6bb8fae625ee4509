import { isRefinement } from '../domain/learning/refinement.ts';
import { retrievalStream } from '../domain/streams.ts';
import type { EventStore, LoadedEvent } from '../ports/event-store.ts';
import type { DecisionRow } from './decision-row.ts';

/** Reads searches from the log when they are needed, each once; nothing is kept after a batch, because questions can be erased. */
export class SearchTexts {
  readonly #store: EventStore;
  readonly #read = new Map<string, Promise<LoadedEvent | undefined>>();

  constructor(store: EventStore) {
    this.#store = store;
  }

  /** Whether the later search asks the same as the earlier one in other words; false if one of them was erased. */
  async isRefined(earlier: DecisionRow, later: DecisionRow): Promise<boolean> {
    const [before, after] = await Promise.all([
      this.#queryOf(earlier.tenant, earlier.search),
      this.#queryOf(later.tenant, later.search),
    ]);
    return before !== undefined && after !== undefined && isRefinement(before, after);
  }

  /** Position of the record of a search; infinite if it is not in the log. */
  async positionOf(tenant: string, search: string): Promise<number> {
    return (await this.#performed(tenant, search))?.position ?? Infinity;
  }

  async #queryOf(tenant: string, search: string): Promise<string | undefined> {
    const performed = await this.#performed(tenant, search);
    if (performed?.event.type !== 'SearchPerformed' || performed.erased) return undefined;
    return performed.event.data.query;
  }

  #performed(tenant: string, search: string): Promise<LoadedEvent | undefined> {
    const stream = retrievalStream(tenant, search);
    const known = this.#read.get(stream) ?? this.#store.loadOne(stream, 0);
    this.#read.set(stream, known);
    return known;
  }
}
