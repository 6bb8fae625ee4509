import { variantOf } from '../../read-models/generation-variant.ts';
import { inBackground } from '../../support/background.ts';
import type { Embedders } from '../../ports/embedder.ts';
import { pause } from '../../support/pause.ts';
import type { Sql } from '../../ports/sql.ts';

const everyMs = 2_000;
/** One that failed is asked again after so long, then after twice as long, … */
const firstPauseMs = 2_000;
/** … and no less often than that. */
const longestPauseMs = 60_000;

interface Outage {
  /** What was told of it. */
  told: string;
  pauseMs: number;
  probeAt: number;
}

/** What the process is told of the models. */
export interface ModelReports {
  /** Once for each error. */
  readonly onError: (model: string, error: unknown) => void;
  readonly onRecovered?: (model: string) => void;
}

/**
 * Keeps the models loaded that generations of vectors are made with, before a query or an event waits for one, and no
 * others: any process may have built, switched or dropped a generation. One that failed is asked until it answers, also
 * where nobody else asks it: so it is known.
 */
export class ModelUpkeep {
  readonly #sql: Sql;
  readonly #embedders: Embedders;
  readonly #reports: ModelReports;
  readonly #stop = new AbortController();
  /** By the id of the model. */
  readonly #outages = new Map<string, Outage>();
  #running: Promise<void> = Promise.resolve();

  constructor(sql: Sql, embedders: Embedders, reports: ModelReports) {
    this.#sql = sql;
    this.#embedders = embedders;
    this.#reports = reports;
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
    for (const id of used) if (this.#embedders.find(id)) await this.#keep(id);
    return used;
  }

  async #keep(id: string): Promise<void> {
    if (!this.#embedders.failure(id)) await this.#embedders.load(id).catch(() => undefined);
    const failure = this.#embedders.failure(id);
    if (failure) this.#ask(id, failure.error);
    else if (this.#outages.delete(id)) this.#reports.onRecovered?.(id);
  }

  /** Nobody waits for the answer: it shows in what the model fails with the next time, or does not. */
  #ask(id: string, error: unknown): void {
    const now = performance.now();
    const told = error instanceof Error ? error.message : String(error);
    const outage = this.#outages.get(id);
    if (outage?.told !== told) this.#reports.onError(id, error);
    const { pauseMs, probeAt } = outage ?? { pauseMs: firstPauseMs, probeAt: now + firstPauseMs };
    const isDue = now >= probeAt;
    if (isDue) void this.#embedders.probe(id).catch(() => undefined);
    const longer = Math.min(pauseMs * 2, longestPauseMs);
    this.#outages.set(
      id,
      isDue ? { told, pauseMs: longer, probeAt: now + longer } : { told, pauseMs, probeAt },
    );
  }

  async #regularly(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      // A database that is away is told by others.
      await this.once().catch(() => undefined);
      await pause(everyMs, signal);
    }
  }
}
