import { hash } from 'node:crypto';
import type { PoolClient } from 'pg';
import { changesTables } from '../sql/statements.ts';

/** Each keeps its parse tree and a plan in the memory of its connection. */
const mostPrepared = 300;
/** A plan is made for tables as large as they are then: one that was made for empty tables must not serve for long. */
const freshMs = 30_000;

/**
 * Names under which statements that come again and again are prepared: PostgreSQL parses and plans each once a connection,
 * which is most of the time of one that finds little.
 */
export class PreparedNames {
  readonly #names = new WeakMap<PoolClient, Set<string>>();
  /** How often tables were changed: a statement that was prepared for other columns fails for ever. */
  #changes = 0;

  nameOf(client: PoolClient, text: string): string {
    const epoch = Math.floor(performance.now() / freshMs);
    const name = `${this.#changes}.${epoch}.${hash('sha1', text, 'base64url')}`;
    const names = this.#names.get(client);
    if (names) names.add(name);
    else this.#names.set(client, new Set([name]));
    return name;
  }

  /** A statement that this process sent by whatever way. */
  sent(text: string): void {
    if (changesTables(text)) this.#changes++;
  }

  /** Whether a connection holds so many that another one should take its place. */
  isFull(client: PoolClient): boolean {
    return (this.#names.get(client)?.size ?? 0) > mostPrepared;
  }
}
