import { EmbedderUnavailable, type Embedder, type EmbeddingModel } from '../../ports/embedder.ts';

/** After a failure nothing is tried for so long: a model that is not there costs every query nothing. */
const pauseMs = 1_000;

/** An embedder that is opened when it is first needed, and again after it was put away. */
export class LazyEmbedder implements Embedder {
  readonly model: EmbeddingModel;
  readonly #open: () => Promise<Embedder>;
  #opening: Promise<Embedder> | undefined;
  #failure: { readonly error: EmbedderUnavailable; readonly until: number } | undefined;
  #closed = false;

  constructor(model: EmbeddingModel, open: () => Promise<Embedder>) {
    this.model = model;
    this.#open = open;
  }

  async embed(...call: Parameters<Embedder['embed']>): Promise<Float32Array[]> {
    if (this.#closed) throw new EmbedderUnavailable('the embedder is closed');
    if (this.#failure && performance.now() < this.#failure.until) throw this.#failure.error;
    const embedder = await this.load().catch((error: unknown) => {
      const message = `${this.model.id} does not load: ${error instanceof Error ? error.message : String(error)}`;
      const unavailable = new EmbedderUnavailable(message, { cause: error });
      this.#failure = { error: unavailable, until: performance.now() + pauseMs };
      throw unavailable;
    });
    return embedder.embed(...call);
  }

  /** Rejects with what keeps it from opening. */
  load(): Promise<Embedder> {
    this.#opening ??= this.#open().then(
      (embedder) => {
        this.#failure = undefined;
        return embedder;
      },
      (error: unknown) => {
        this.#opening = undefined;
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
}
