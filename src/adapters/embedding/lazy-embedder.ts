import { randomUUID } from 'node:crypto';
import {
  EmbedderUnavailable,
  type Embedder,
  type EmbeddingModel,
  type ModelFailure,
} from '../../ports/embedder.ts';
import { abandonAfter } from '../../support/resilience/time-limit.ts';

/** Time limit of a probe, longer than two attempts of a query. */
const probeMs = 15_000;
/** Time after a failed start in which calls are rejected at once, so that a missing model does not slow down every query. */
const pauseMs = 1_000;

/** An embedder that is opened when it is first needed, and again after it was unloaded. */
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

  /** The error of the last call; undefined if it succeeded. */
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
      // Vectors of queries may come from the cache and prove nothing.
      if (call[1] === 'passage' && vectors.length > 0) this.#failure = undefined;
      return vectors;
    } catch (error) {
      const isUnloaded = this.#opening === undefined;
      if (error instanceof EmbedderUnavailable && !isUnloaded) this.#failed(error);
      throw error;
    }
  }

  forgetQuestions(): void {
    void this.#opening?.then(
      (embedder) => embedder.forgetQuestions?.(),
      () => undefined,
    );
  }

  /** Opens the embedder and embeds a short text; rejects if one of them fails or takes too long. */
  async probe(): Promise<void> {
    await this.load();
    // A query has priority over waiting passages. Its text is new, because a known one would be answered from the cache.
    const embed = () => this.embed([`a probe ${randomUUID()}`], 'query');
    await abandonAfter(
      probeMs,
      embed,
      () => new EmbedderUnavailable(`${this.model.id} did not answer within ${probeMs} ms`),
    );
    this.#failure = undefined;
  }

  /** Opens the embedder; rejects with the reason if that fails. */
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

  /** Closes the embedder if it is open; the next use opens it again. */
  async unload(): Promise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    const embedder = await opening?.catch(() => undefined);
    await embedder?.close();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.unload();
  }

  #failed(error: unknown): void {
    this.#failure = { error, since: this.#failure?.since ?? new Date() };
  }
}
