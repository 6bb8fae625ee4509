import { randomUUID } from 'node:crypto';
import {
  EmbedderUnavailable,
  type Embedder,
  type EmbeddingModel,
  type ModelFailure,
} from '../../ports/embedder.ts';
import { abandonAfter } from '../../support/resilience/time-limit.ts';

/** Two tries of a query, and more. */
const probeMs = 15_000;
/** After a failure to open nothing is tried for so long: a model that is not there costs every query nothing. */
const pauseMs = 1_000;

/** An embedder that is opened when it is first needed, and again after it was put away. */
export class LazyEmbedder implements Embedder {
  readonly model: EmbeddingModel;
  readonly #open: () => Promise<Embedder>;
  #opening: Promise<Embedder> | undefined;
  #pause: { readonly error: EmbedderUnavailable; readonly until: number } | undefined;
  #failure: ModelFailure | undefined;
  #closed = false;

  constructor(model: EmbeddingModel, open: () => Promise<Embedder>) {
    this.model = model;
    this.#open = open;
  }

  /** Why it does not answer, since it was asked last; undefined where it does. */
  get failure(): ModelFailure | undefined {
    return this.#failure;
  }

  async embed(...call: Parameters<Embedder['embed']>): Promise<Float32Array[]> {
    if (this.#closed) throw new EmbedderUnavailable('the embedder is closed');
    if (this.#pause && performance.now() < this.#pause.until) throw this.#pause.error;
    const embedder = await this.load().catch((error: unknown) => {
      const message = `${this.model.id} does not load: ${error instanceof Error ? error.message : String(error)}`;
      const unavailable = new EmbedderUnavailable(message, { cause: error });
      this.#pause = { error: unavailable, until: performance.now() + pauseMs };
      throw unavailable;
    });
    try {
      const vectors = await embedder.embed(...call);
      // Those of queries may have been kept since before.
      if (call[1] === 'passage' && vectors.length > 0) this.#failure = undefined;
      return vectors;
    } catch (error) {
      const isPutAway = this.#opening === undefined;
      if (error instanceof EmbedderUnavailable && !isPutAway) this.#failed(error);
      throw error;
    }
  }

  /** Rejects with what keeps it from opening, or from embedding a short text within a limited time. */
  async probe(): Promise<void> {
    await this.load();
    // A query overtakes what waits; one that was asked before would be answered from memory.
    const embed = () => this.embed([`a probe ${randomUUID()}`], 'query');
    await abandonAfter(
      probeMs,
      embed,
      () => new EmbedderUnavailable(`${this.model.id} did not answer within ${probeMs} ms`),
    );
    this.#failure = undefined;
  }

  /** Rejects with what keeps it from opening. */
  load(): Promise<Embedder> {
    this.#opening ??= this.#open().then(
      (embedder) => {
        this.#pause = undefined;
        return embedder;
      },
      (error: unknown) => {
        this.#opening = undefined;
        this.#failed(error);
        throw error;
      },
    );
    return this.#opening;
  }

  /** Closes what is open; the next use opens it again. */
  async putAway(): Promise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    const embedder = await opening?.catch(() => undefined);
    await embedder?.close();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.putAway();
  }

  #failed(error: unknown): void {
    this.#failure = { error, since: this.#failure?.since ?? new Date() };
  }
}
