import { LRUCache } from 'lru-cache';
import type { WireValue } from '../sql/values.ts';
import { closeMessage, executeMessage, parseMessage } from './wire.ts';

/** Each keeps its parse tree and a plan in PostgreSQL's memory. */
const mostPrepared = 200;
/** A plan is made for tables as large as they are then: one that was made for empty tables must not serve for long. */
const freshMs = 10_000;

interface Prepared {
  readonly name: string;
  readonly until: number;
}

/**
 * The extended protocol of statements whose plans are kept: PostgreSQL parses and plans each once. In WebAssembly both
 * together are half of the time of a statement that finds little.
 */
export class PreparedStatements {
  readonly #prepared: LRUCache<string, Prepared>;
  readonly #now: () => number;
  /** Names that PostgreSQL is to forget with the next exchange. */
  #dropped: string[] = [];
  #count = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#prepared = new LRUCache({ max: mostPrepared, dispose: ({ name }) => this.#dropped.push(name) });
  }

  /** One execution in one exchange, with a sync at its end. */
  execution(text: string, params: readonly WireValue[]): Uint8Array {
    const known = this.#prepared.get(text);
    const isFresh = known !== undefined && known.until > this.#now();
    const name = isFresh ? known.name : this.#named(text);
    const closed = this.#dropped.map(closeMessage);
    this.#dropped = [];
    return Buffer.concat([
      ...closed,
      ...(isFresh ? [] : [parseMessage(text, name)]),
      executeMessage(params, name),
    ]);
  }

  /** After the execution of `text` failed: it may be that it was never parsed. */
  failed(text: string): void {
    this.#prepared.delete(text);
  }

  /** After tables changed. */
  forget(): void {
    this.#prepared.clear();
  }

  #named(text: string): string {
    const name = `s${++this.#count}`;
    this.#prepared.set(text, { name, until: this.#now() + freshMs });
    return name;
  }
}
