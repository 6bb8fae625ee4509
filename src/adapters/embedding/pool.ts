import { EmbedderUnavailable, type EmbeddingPurpose, type EmbeddingRun } from '../../ports/embedder.ts';
import { PriorityQueue, type Service } from './priority-queue.ts';

/** The result of one run. */
export interface SlotResult {
  /** A vector for each text, in order, or the error of a text that can never be embedded. */
  readonly vectors: readonly (Float32Array | Error)[];
  /** Number of tokens that the model read. */
  readonly tokens: number;
}

/** Something that embeds one batch at a time: a worker thread, or one request to an endpoint. */
export interface Slot {
  /**
   * Purposes of the texts that this slot accepts next. A slot that serves only queries stays free for them while passages are
   * embedded; queries never wait for a slot that serves only passages.
   */
  readonly serves: Service;
  /** Starts the slot if necessary and resolves when it can run; rejects if the start failed. */
  ready(): Promise<void>;
  /** Rejects if the slot failed; call `ready` before the next run. */
  run(texts: readonly string[], purpose: EmbeddingPurpose): Promise<SlotResult>;
  close(): Promise<void>;
}

export interface PoolOptions {
  /** Maximum number of texts in one run. */
  readonly batch: number;
  /** Maximum number of attempts for a text. */
  readonly attempts: number;
  /** Called after every run. */
  readonly onRun?: ((run: Omit<EmbeddingRun, 'model'>) => void) | undefined;
}

const purposes = ['query', 'passage'] as const;

interface Job {
  readonly text: string;
  readonly purpose: EmbeddingPurpose;
  readonly isWanted: () => boolean;
  failures: number;
  resolve(vector: Float32Array): void;
  reject(error: Error): void;
}

/** Embeds texts in the next free slot. Waiting queries have priority over waiting passages. */
export class EmbeddingPool {
  readonly #slots: readonly Slot[];
  readonly #options: PoolOptions;
  readonly #queue = new PriorityQueue<Job>();
  readonly #serving: Promise<unknown>;
  /** Slots that do not start, with the reason. If no slot for a purpose is left, its texts are rejected. */
  readonly #down = new Map<Slot, unknown>();
  #closed = false;

  constructor(slots: readonly Slot[], options: PoolOptions) {
    this.#slots = slots;
    this.#options = options;
    this.#serving = Promise.all(slots.map((slot) => this.#serve(slot)));
  }

  /**
   * The text's vector. Rejects with `EmbedderUnavailable` after the last attempt, if no slot starts, on close, and if nobody wants the
   * vector any more when it is the text's turn.
   */
  submit(
    text: string,
    purpose: EmbeddingPurpose,
    isWanted: () => boolean = () => true,
  ): Promise<Float32Array> {
    return new Promise((resolve, reject) => {
      if (this.#closed) reject(new EmbedderUnavailable('the embedder is closed'));
      else if (this.#isDown(purpose)) reject(unavailable([...this.#down.values()][0]));
      else this.#queue.push(purpose, { text, purpose, isWanted, failures: 0, resolve, reject });
    });
  }

  /** Waits for running texts and rejects waiting ones. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#queue.close();
    const closed = new EmbedderUnavailable('the embedder is closed');
    for (const purpose of purposes) this.#rejectWaiting(purpose, closed);
    await Promise.all(this.#slots.map((slot) => slot.close()));
    await this.#serving;
    // Texts that failed meanwhile were put back for another attempt.
    for (const purpose of purposes) this.#rejectWaiting(purpose, closed);
  }

  async #serve(slot: Slot): Promise<void> {
    for (;;) {
      const taken = await this.#queue.take({ most: this.#options.batch, serves: slot.serves });
      const purpose = taken?.[0]?.purpose;
      if (taken === undefined || purpose === undefined) return;
      const jobs = taken.filter(({ isWanted }) => isWanted());
      for (const job of taken) if (!jobs.includes(job)) job.reject(new EmbedderUnavailable('nobody waits'));
      if (jobs.length === 0) continue;
      try {
        await slot.ready();
        const vectors = await this.#run(slot, jobs, purpose);
        for (const [index, job] of jobs.entries()) settle(job, vectors[index]);
      } catch (error) {
        this.#failed(jobs, purpose, error);
        await this.#recover(slot);
      }
    }
  }

  async #run(slot: Slot, jobs: readonly Job[], purpose: EmbeddingPurpose): Promise<SlotResult['vectors']> {
    const began = performance.now();
    const ended = (outcome: EmbeddingRun['outcome'], { vectors, tokens }: SlotResult): void =>
      this.#options.onRun?.({
        purpose,
        outcome,
        texts: jobs.length,
        refused: vectors.filter((vector) => vector instanceof Error).length,
        tokens,
        durationMs: performance.now() - began,
      });
    try {
      const result = await slot.run(
        jobs.map(({ text }) => text),
        purpose,
      );
      ended('embedded', result);
      return result.vectors;
    } catch (error) {
      ended('failed', { vectors: [], tokens: 0 });
      throw error;
    }
  }

  #failed(jobs: readonly Job[], purpose: EmbeddingPurpose, error: unknown): void {
    for (const job of jobs) job.failures++;
    const again = jobs.filter(({ failures }) => failures < this.#options.attempts);
    for (const job of jobs) if (!again.includes(job)) job.reject(unavailable(error));
    this.#queue.putBack(purpose, again);
  }

  /** Waits until the slot can run again before it takes more texts, which other slots may embed meanwhile. */
  async #recover(slot: Slot): Promise<void> {
    while (!this.#closed) {
      try {
        await slot.ready();
        break;
      } catch (error) {
        this.#down.set(slot, error);
        for (const purpose of purposes) {
          if (this.#isDown(purpose)) this.#rejectWaiting(purpose, unavailable(error));
        }
      }
    }
    this.#down.delete(slot);
  }

  #isDown(purpose: EmbeddingPurpose): boolean {
    return this.#slots.every(
      (slot) => this.#down.has(slot) || (slot.serves !== 'all' && slot.serves !== purpose),
    );
  }

  #rejectWaiting(purpose: EmbeddingPurpose, error: Error): void {
    for (const job of this.#queue.drain(purpose)) job.reject(error);
  }
}

function settle(job: Job, result: Float32Array | Error | undefined): void {
  if (result instanceof Float32Array) job.resolve(result);
  else job.reject(result ?? new EmbedderUnavailable('fewer vectors than texts'));
}

function unavailable(error: unknown): EmbedderUnavailable {
  if (error instanceof EmbedderUnavailable) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new EmbedderUnavailable(reason, { cause: error });
}
