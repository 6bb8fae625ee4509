import { setTimeout as sleep } from 'node:timers/promises';
import { variantOf } from '../../domain/retrieval/generation-variant.ts';
import { inBackground } from '../../ports/background.ts';
import type { Embedders } from '../../ports/embedder.ts';
import type { Sql } from '../../ports/sql.ts';

const everyMs = 2_000;

/**
 * Keeps the models loaded that generations of vectors are made with, before a query or an event waits for one, and no
 * others: any process may have built, switched or dropped a generation.
 */
export class ModelUpkeep {
  readonly #sql: Sql;
  readonly #embedders: Embedders;
  readonly #onError: (model: string, error: unknown) => void;
  readonly #stop = new AbortController();
  /** Those that do not load, told once. */
  readonly #told = new Set<string>();
  #running: Promise<void> = Promise.resolve();

  constructor(sql: Sql, embedders: Embedders, onError: (model: string, error: unknown) => void) {
    this.#sql = sql;
    this.#embedders = embedders;
    this.#onError = onError;
  }

  start(): void {
    this.#running = inBackground(() => this.#regularly());
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Loads what is used now, closes what is not, and answers the ids of what is. */
  async once(): Promise<ReadonlySet<string>> {
    const rows = await this.#sql.query<{ signature: string }>(
      `select signature from read.generations where name = 'vectors' and state <> 'failed'`,
    );
    const used = new Set(rows.map(({ signature }) => variantOf(signature)));
    await this.#embedders.keepOnly(used);
    for (const id of used) if (this.#embedders.find(id)) await this.#load(id);
    return used;
  }

  async #load(id: string): Promise<void> {
    try {
      await this.#embedders.load(id);
      this.#told.delete(id);
    } catch (error) {
      if (!this.#told.has(id)) this.#onError(id, error);
      this.#told.add(id);
    }
  }

  async #regularly(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      // A database that is away is told by others.
      await this.once().catch(() => undefined);
      await sleep(everyMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
