import type { EmbeddingPurpose } from '../../ports/embedder.ts';
import { Fifo } from './fifo.ts';

/** Which purposes' items a taker is there for. */
export type Service = EmbeddingPurpose | 'all';

/** What one `take` may be given. */
export interface Intake {
  /** Most items at once; they are all of one purpose. */
  readonly most: number;
  readonly serves: Service;
}

interface Taker<T> extends Intake {
  resolve(items: T[] | undefined): void;
}

/**
 * Two lanes, first in first out within each; no passage is handed out while a query waits.
 * Takers that find nothing wait, and are served in the order in which they came, those for one purpose only first.
 */
export class PriorityQueue<T> {
  readonly #lanes: Readonly<Record<EmbeddingPurpose, Fifo<T>>> = {
    query: new Fifo(),
    passage: new Fifo(),
  };
  readonly #takers: Taker<T>[] = [];
  #closed = false;

  push(purpose: EmbeddingPurpose, item: T): void {
    this.#lanes[purpose].push(item);
    this.#serve(purpose);
  }

  /** Back to the head of its lane: for items that were taken and could not be done. */
  putBack(purpose: EmbeddingPurpose, items: readonly T[]): void {
    for (const item of items.toReversed()) this.#lanes[purpose].unshift(item);
    this.#serve(purpose);
  }

  /** The next items, as soon as there are any; undefined once the queue is closed. */
  take(intake: Intake): Promise<T[] | undefined> {
    if (this.#closed) return Promise.resolve(undefined);
    const items = this.#next(intake);
    if (items !== undefined) return Promise.resolve(items);
    return new Promise((resolve) => this.#takers.push({ ...intake, resolve }));
  }

  /** Removes and answers everything that waits in a lane. */
  drain(purpose: EmbeddingPurpose): T[] {
    return this.#lanes[purpose].drain();
  }

  close(): void {
    this.#closed = true;
    for (const taker of this.#takers.splice(0)) taker.resolve(undefined);
  }

  #serve(purpose: EmbeddingPurpose): void {
    while (this.#lanes[purpose].size > 0) {
      const reserved = this.#takers.findIndex(({ serves }) => serves === purpose);
      const index = reserved < 0 ? this.#takers.findIndex(({ serves }) => serves === 'all') : reserved;
      const taker = index < 0 ? undefined : this.#takers.splice(index, 1)[0];
      if (taker === undefined) return;
      taker.resolve(this.#next(taker));
    }
  }

  #next({ most, serves }: Intake): T[] | undefined {
    const purpose = serves === 'all' ? (this.#lanes.query.size > 0 ? 'query' : 'passage') : serves;
    return this.#lanes[purpose].size > 0 ? this.#lanes[purpose].shift(most) : undefined;
  }
}
