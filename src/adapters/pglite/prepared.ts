import { LRUCache } from 'lru-cache';
import type { WireValue } from '../sql/values.ts';
import { closeMessage, executeMessage, parseMessage } from './wire.ts';

/** Each prepared statement keeps its parse tree and plan in PostgreSQL's memory. */
const mostPrepared = 200;
/** Plans are renewed because they depend on the size of the tables: a plan for empty tables must not be used for long. */
const freshMs = 10_000;

interface Prepared {
  readonly name: string;
  readonly until: number;
}

/**
 * Protocol messages for statements with cached plans, which PostgreSQL parses and plans only once. In WebAssembly parsing and
 * planning take half of the time of a statement with few results.
 */
export class PreparedStatements {
  readonly #prepared: LRUCache<string, Prepared>;
  readonly #now: () => number;
  /** Statements to close in PostgreSQL with the next exchange. */
  #dropped: string[] = [];
  #count = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#prepared = new LRUCache({ max: mostPrepared, dispose: ({ name }) => this.#dropped.push(name) });
  }

  /** The messages of one execution, with a sync at the end. */
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

  /** Call it after an execution of `text` failed, because it may not have been parsed. */
  failed(text: string): void {
    this.#prepared.delete(text);
  }

  /** Call it after tables have changed. */
  forget(): void {
    this.#prepared.clear();
  }

  #named(text: string): string {
    const name = `s${++this.#count}`;
    this.#prepared.set(text, { name, until: this.#now() + freshMs });
    return name;
  }
}
