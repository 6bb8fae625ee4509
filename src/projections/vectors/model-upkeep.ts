import { variantOf } from '../../read-models/generation-variant.ts';
import { inBackground } from '../../support/background.ts';
import type { Embedders } from '../../ports/embedder.ts';
import { pause } from '../../support/pause.ts';
import type { Sql } from '../../ports/sql.ts';

const intervalMs = 2_000;
/** Pause before a model that failed is tried again. It doubles with each failure. */
const firstPauseMs = 2_000;
/** Longest pause between two attempts. */
const longestPauseMs = 60_000;

interface Outage {
  /** The error that was reported last. */
  message: string;
  pauseMs: number;
  probeAt: number;
}

/** What upkeep asks, and reports about the models. */
export interface UpkeepOptions {
  /** Ids of further models that are in use. */
  readonly alsoUsed?: () => ReadonlySet<string>;
  /** Called once for each error. */
  readonly onError: (model: string, error: unknown) => void;
  readonly onRecovered?: (model: string) => void;
}

/**
 * Keeps exactly those models loaded that the generations of vectors need, before a query or an event waits for one. Any process may have
 * built, switched or dropped a generation. A model that failed is probed until it answers, even if nothing else uses it, so that its state
 * is known.
 */
export class ModelUpkeep {
  readonly #sql: Sql;
  readonly #embedders: Embedders;
  readonly #options: UpkeepOptions;
  readonly #stop = new AbortController();
  /** Models that do not answer, by id. */
  readonly #outages = new Map<string, Outage>();
  #running: Promise<void> = Promise.resolve();

  constructor(sql: Sql, embedders: Embedders, options: UpkeepOptions) {
    this.#sql = sql;
    this.#embedders = embedders;
    this.#options = options;
  }

  start(): void {
    this.#running = inBackground(() => this.#regularly());
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Loads the models in use, closes the others, and returns the ids of those in use. */
  async once(): Promise<ReadonlySet<string>> {
    const rows = await this.#sql.query<{ signature: string }>(
      `select signature from read.generations where name = 'vectors' and state <> 'failed'`,
    );
    const ofGenerations = rows.map(({ signature }) => variantOf(signature));
    const used = new Set([...ofGenerations, ...(this.#options.alsoUsed?.() ?? [])]);
    await this.#embedders.keepOnly(used);
    for (const id of used) if (this.#embedders.find(id)) await this.#keep(id);
    return used;
  }

  async #keep(id: string): Promise<void> {
    if (!this.#embedders.failure(id)) await this.#embedders.load(id).catch(() => undefined);
    const failure = this.#embedders.failure(id);
    if (failure) this.#probe(id, failure.error);
    else if (this.#outages.delete(id)) this.#options.onRecovered?.(id);
  }

  /** Nothing waits for the result: the next call of `failure` returns it. */
  #probe(id: string, error: unknown): void {
    const now = performance.now();
    const message = error instanceof Error ? error.message : String(error);
    const outage = this.#outages.get(id);
    if (outage?.message !== message) this.#options.onError(id, error);
    const { pauseMs, probeAt } = outage ?? { pauseMs: firstPauseMs, probeAt: now + firstPauseMs };
    const isDue = now >= probeAt;
    if (isDue) void this.#embedders.probe(id).catch(() => undefined);
    const longer = Math.min(pauseMs * 2, longestPauseMs);
    this.#outages.set(
      id,
      isDue ? { message, pauseMs: longer, probeAt: now + longer } : { message, pauseMs, probeAt },
    );
  }

  async #regularly(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      // An unavailable database is reported elsewhere.
      await this.once().catch(() => undefined);
      await pause(intervalMs, signal);
    }
  }
}
