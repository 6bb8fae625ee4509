import { hash } from 'node:crypto';
import type { PoolClient } from 'pg';
import { changesTables } from '../sql/statements.ts';

/** Each prepared statement keeps its parse tree and plan in the memory of its connection. */
const mostPrepared = 300;
/** Plans are renewed because they depend on the size of the tables: a plan for empty tables must not be used for long. */
const freshMs = 30_000;

/**
 * Names for the prepared statements of frequent texts. PostgreSQL parses and plans each only once for a connection, which is
 * most of the time of a statement with few results.
 */
export class PreparedNames {
  readonly #names = new WeakMap<PoolClient, Set<string>>();
  /** Number of changes of tables: a statement prepared for other columns would fail forever. */
  #changes = 0;

  nameOf(client: PoolClient, text: string): string {
    const epoch = Math.floor(performance.now() / freshMs);
    const name = `${this.#changes}.${epoch}.${hash('sha1', text, 'base64url')}`;
    const names = this.#names.get(client);
    if (names) names.add(name);
    else this.#names.set(client, new Set([name]));
    return name;
  }

  /** Call it for every statement that this process sends. */
  sent(text: string): void {
    if (changesTables(text)) this.#changes++;
  }

  /** Whether a connection has so many prepared statements that it should be replaced. */
  isFull(client: PoolClient): boolean {
    return (this.#names.get(client)?.size ?? 0) > mostPrepared;
  }
}
