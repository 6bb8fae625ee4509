import {
  type Embedder,
  type Embedders,
  type ModelFailure,
  type RegisteredModel,
} from '../../ports/embedder.ts';
import { LazyEmbedder } from './lazy-embedder.ts';

/** A model, and the function that opens its embedder. */
export interface ModelEntry extends RegisteredModel {
  readonly open: () => Promise<Embedder>;
}

/** The registered models, each with one embedder at most. */
export class ModelRegistry implements Embedders {
  readonly preferred: RegisteredModel;
  readonly models: readonly RegisteredModel[];
  readonly #embedders: ReadonlyMap<string, LazyEmbedder>;
  /** Running probes by id. */
  readonly #probes = new Map<string, Promise<void>>();

  /** Ids and names of `entries` must be unique. Throws RangeError if `preferred` is not among them. */
  constructor(entries: readonly ModelEntry[], preferred: string) {
    this.models = entries.map(({ open: _, ...model }) => model);
    this.#embedders = new Map(
      entries.map(({ id, dimension, open }) => [id, new LazyEmbedder({ id, dimension }, open)]),
    );
    const chosen = this.find(preferred);
    if (!chosen) throw new RangeError(`no model ${preferred} among ${this.names()}`);
    this.preferred = chosen;
  }

  names(): string {
    return this.models.map(({ name }) => name).join(', ');
  }

  find(idOrName: string): RegisteredModel | undefined {
    return this.models.find(({ id, name }) => id === idOrName || name === idOrName);
  }

  of(id: string): Embedder | undefined {
    return this.#embedders.get(id);
  }

  async load(id: string): Promise<void> {
    await this.#registered(id).load();
  }

  probe(id: string): Promise<void> {
    const running = this.#probes.get(id);
    if (running) return running;
    const probe = this.#registered(id)
      .probe()
      .finally(() => this.#probes.delete(id));
    this.#probes.set(id, probe);
    return probe;
  }

  failure(id: string): ModelFailure | undefined {
    return this.#embedders.get(id)?.failure;
  }

  async keepOnly(ids: ReadonlySet<string>): Promise<void> {
    const others = [...this.#embedders].filter(([id]) => !ids.has(id) && !this.#probes.has(id));
    await Promise.all(others.map(([, embedder]) => embedder.unload()));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#embedders.values()].map((embedder) => embedder.close()));
  }

  #registered(id: string): LazyEmbedder {
    const embedder = this.#embedders.get(id);
    if (!embedder) throw new RangeError(`no model ${id}`);
    return embedder;
  }
}
