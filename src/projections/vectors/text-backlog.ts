import { EmbedderUnavailable, EmbeddingBudgetExhausted, type Embedders } from '../../ports/embedder.ts';
import type { Leases } from '../../ports/leases.ts';
import type { Sql } from '../../ports/sql.ts';
import { groupBy } from '../../domain/group-by.ts';
import { inBackground } from '../../support/background.ts';
import type { WakeUp } from '../../support/wake-up.ts';
import type { Exhausted } from './exhausted.ts';
import { WaitingTexts, type WaitingGeneration, type Which } from './waiting-texts.ts';

const lease = 'text backlog';
/** Pause after texts were found that still have to wait, and after none was found. */
const pausesMs = { waiting: 5_000, idle: 600_000, failed: 30_000 };
/** How often refused texts are looked for that are to be tried again. Any process may have recorded one. */
const dueMs = 5_000;
/** How long after a text was found to wait its row may be missing. */
const commitMs = 60_000;
/** Texts of one tenant that are embedded together. */
const atOnce = 16;

export interface TextBacklogOptions {
  readonly sql: Sql;
  readonly embedders: Embedders;
  readonly leases: Leases;
  /** Fires when texts have to wait. */
  readonly waiting: WakeUp;
  readonly onError: (error: unknown) => void;
}

/**
 * In the background, embeds the texts of memories that were not embedded when they were stored: because the budget of their tenant did
 * not allow it, or because the model refused them, which it may not do for ever. They are found as rows of the read model whose vector is
 * missing. One process does it at a time, by lease, and only for models of endpoints: all others cost nothing and refuse nothing.
 */
export class TextBacklog {
  readonly #options: TextBacklogOptions;
  readonly #waiting: WaitingTexts;
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(options: TextBacklogOptions) {
    this.#options = options;
    this.#waiting = new WaitingTexts(options.sql, options.embedders);
  }

  start(): void {
    if (this.#options.embedders.models.every(({ endpointModel }) => endpointModel === undefined)) return;
    this.#running = inBackground(() => this.#repeat());
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Embeds what the budgets and models allow. Returns whether texts are left that wait for a budget or for a model. */
  async once(): Promise<boolean> {
    const hasDueLeft = await this.#embedWhich('due');
    return (await this.#embedWhich('never-tried')) || hasDueLeft;
  }

  async #repeat(): Promise<void> {
    const { signal } = this.#stop;
    const { leases, waiting, onError } = this.#options;
    let seen = waiting.count;
    let wokenAt = -Infinity;
    while (!signal.aborted) {
      if (waiting.count !== seen) wokenAt = performance.now();
      seen = waiting.count;
      // Who wakes it has not committed the row of the text yet.
      const isExpected = performance.now() < wokenAt + commitMs;
      let pauseMs: number = isExpected ? pausesMs.waiting : pausesMs.idle;
      try {
        if ((await leases.hold(lease)) === undefined) pauseMs = pausesMs.failed;
        else if (await this.once()) pauseMs = pausesMs.waiting;
      } catch (error) {
        if (!signal.aborted) onError(error);
        pauseMs = pausesMs.failed;
      }
      // What waits already must not wake it again and again.
      await this.#pause(pauseMs === pausesMs.idle ? seen : waiting.count, pauseMs);
    }
    await leases.release(lease).catch(() => undefined);
  }

  /** Waits for `ms`, for texts that have to wait, or, if that is later, for refused texts that are due again. */
  async #pause(seen: number, ms: number): Promise<void> {
    const { signal } = this.#stop;
    const { waiting, leases, onError } = this.#options;
    const end = performance.now() + ms;
    for (;;) {
      const left = end - performance.now();
      await waiting.after(seen, Math.min(left, dueMs), signal);
      if (signal.aborted || waiting.count !== seen || left <= dueMs) return;
      try {
        // A refused text costs the other tenants nothing, but a scan for those that wait for a budget reads all rows.
        if ((await leases.hold(lease)) !== undefined && (await this.#waiting.isDue()))
          await this.#embedWhich('due');
      } catch (error) {
        if (!signal.aborted) onError(error);
      }
    }
  }

  async #embedWhich(which: Which): Promise<boolean> {
    let isLeft = false;
    for (const generation of await this.#waiting.generations())
      isLeft = (await this.#embedAll(generation, which)) || isLeft;
    return isLeft;
  }

  async #embedAll(generation: WaitingGeneration, which: Which): Promise<boolean> {
    const exhausted: Exhausted[] = [];
    for (;;) {
      this.#stop.signal.throwIfAborted();
      const texts = await this.#waiting.next(generation, { which, without: exhausted, limit: atOnce });
      if (texts.length === 0) break;
      for (const own of groupBy(texts, ({ tenant, spaces }) => JSON.stringify([tenant, spaces])).values()) {
        const { tenant } = own[0]!;
        try {
          const refusals = await this.#waiting.embed(generation, tenant, own);
          for (const refusal of refusals) this.#options.onError(refusal);
        } catch (error) {
          if (!(error instanceof EmbedderUnavailable)) throw error;
          if (!(error instanceof EmbeddingBudgetExhausted)) return true;
          exhausted.push({ tenant, spaces: error.spaces });
        }
      }
    }
    return exhausted.length > 0;
  }
}
