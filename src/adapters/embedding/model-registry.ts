import { randomUUID } from 'node:crypto';
import {
  EmbedderUnavailable,
  type Embedder,
  type Embedders,
  type RegisteredModel,
} from '../../ports/embedder.ts';
import { inTime } from '../../ports/in-time.ts';
import { LazyEmbedder } from './lazy-embedder.ts';

/** A model and how its embedder is opened. */
export interface ModelEntry extends RegisteredModel {
  readonly open: () => Promise<Embedder>;
}

/** Two tries of a query, and more. */
const probeMs = 15_000;

/** The models that were registered, each with one embedder at most. */
export class ModelRegistry implements Embedders {
  readonly preferred: RegisteredModel;
  readonly models: readonly RegisteredModel[];
  readonly #embedders: ReadonlyMap<string, LazyEmbedder>;
  /** Under way, by id. */
  readonly #probes = new Map<string, Promise<void>>();

  /** `entries`: of different ids and names. Throws RangeError where none of them is the one preferred. */
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
    const embedder = this.#embedders.get(id);
    if (!embedder) throw new RangeError(`no model ${id}`);
    await embedder.load();
  }

  probe(id: string): Promise<void> {
    const running = this.#probes.get(id);
    if (running) return running;
    const probe = this.#probe(id).finally(() => this.#probes.delete(id));
    this.#probes.set(id, probe);
    return probe;
  }

  async keepOnly(ids: ReadonlySet<string>): Promise<void> {
    const others = [...this.#embedders].filter(([id]) => !ids.has(id) && !this.#probes.has(id));
    await Promise.all(others.map(([, embedder]) => embedder.putAway()));
  }

  async #probe(id: string): Promise<void> {
    await this.load(id);
    // A query overtakes what waits; one that was asked before would be answered from memory.
    const embed = () => this.#embedders.get(id)!.embed([`a probe ${randomUUID()}`], 'query');
    const timedOut = () => new EmbedderUnavailable(`${id} did not answer within ${probeMs} ms`);
    await inTime(probeMs, embed, timedOut);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#embedders.values()].map((embedder) => embedder.close()));
  }
}
