import type { EmbeddingPurpose } from '../../ports/embedder.ts';
import { Fifo } from './fifo.ts';

/** The purposes that a taker serves. */
export type Service = EmbeddingPurpose | 'all';

/** The items that one `take` accepts. */
export interface Intake {
  /** Maximum number of items; all of them have the same purpose. */
  readonly most: number;
  readonly serves: Service;
}

interface Taker<T> extends Intake {
  resolve(items: T[] | undefined): void;
}

/**
 * Two lanes, each first in, first out; passages are handed out only when no query waits. Takers wait if there is nothing for
 * them, and are served in order of arrival, those for a single purpose first.
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

  /** Returns items to the head of their lane after a failure. */
  putBack(purpose: EmbeddingPurpose, items: readonly T[]): void {
    for (const item of items.toReversed()) this.#lanes[purpose].unshift(item);
    this.#serve(purpose);
  }

  /** Resolves with the next items as soon as there are any, or with undefined once the queue is closed. */
  take(intake: Intake): Promise<T[] | undefined> {
    if (this.#closed) return Promise.resolve(undefined);
    const items = this.#next(intake);
    if (items !== undefined) return Promise.resolve(items);
    return new Promise((resolve) => this.#takers.push({ ...intake, resolve }));
  }

  /** Removes and returns all items of a lane. */
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
