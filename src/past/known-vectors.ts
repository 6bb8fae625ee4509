import { variantOf } from '../read-models/generation-variant.ts';
import {
  hasPassageVectors,
  passageVectorTable,
  supersededVectorTable,
  vectorTable,
} from '../read-models/vectors/tables.ts';
import { textHash } from '../support/text-hash.ts';
import {
  embedEach,
  TextRefused,
  type Embedder,
  type Embedders,
  type RegisteredModel,
} from '../ports/embedder.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import type { ReadModels } from '../queries/read-models.ts';

export type VectorsByHash = ReadonlyMap<string, Float32Array>;

interface VectorRow extends Record<string, unknown> {
  readonly hash: string;
  readonly numbers: Uint8Array;
}

/**
 * The embedding models, of which the live one takes the vectors of stored texts from the live read models, as far as `know` has read
 * them. Only texts whose vectors are nowhere are embedded again.
 */
export class KnownVectors implements Embedders {
  /** The model whose vectors queries read now. */
  readonly preferred: RegisteredModel;
  readonly #models: ReadModels;
  readonly #embedders: Embedders;
  readonly #hasPassages: boolean;
  #known: VectorsByHash = new Map();

  private constructor(
    models: ReadModels,
    embedders: Embedders,
    preferred: RegisteredModel,
    hasPassages: boolean,
  ) {
    this.#models = models;
    this.#embedders = embedders;
    this.preferred = preferred;
    this.#hasPassages = hasPassages;
  }

  /** `models` are the live read models. */
  static async open(models: ReadModels, embedders: Embedders): Promise<KnownVectors> {
    const signature = (await models.view({ projections: ['vectors'] })).signature('vectors');
    const live = embedders.find(variantOf(signature));
    return new KnownVectors(models, embedders, live ?? embedders.preferred, hasPassageVectors(signature));
  }

  /** Texts are embedded by these vectors, in place of those known before. */
  know(vectors: VectorsByHash): void {
    this.#known = vectors;
  }

  /** The vectors of the memories that these events of a tenant store or change, by the hash of their text. */
  async read(tenant: string, events: readonly LoadedEvent[]): Promise<VectorsByHash> {
    const ids = events.flatMap(({ event }) =>
      event.type === 'MemoryStored' || event.type === 'MemoryUpdated' ? [event.data.memoryId] : [],
    );
    return ids.length === 0 ? new Map() : this.#read(tenant, [...new Set(ids)]);
  }

  get models(): readonly RegisteredModel[] {
    return this.#embedders.models;
  }

  find(idOrName: string): RegisteredModel | undefined {
    return this.#embedders.find(idOrName);
  }

  of(id: string): Embedder | undefined {
    const embedder = this.#embedders.of(id);
    if (!embedder || id !== this.preferred.id) return embedder;
    return { model: embedder.model, close: () => Promise.resolve(), embed: this.#embedBy(embedder) };
  }

  load(id: string): Promise<void> {
    return this.#embedders.load(id);
  }

  probe(id: string): Promise<void> {
    return this.#embedders.probe(id);
  }

  failure(id: string): ReturnType<Embedders['failure']> {
    return this.#embedders.failure(id);
  }

  /** Which models stay loaded is for the live read models to say. */
  keepOnly(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #embedBy(embedder: Embedder): Embedder['embed'] {
    return async (texts, purpose, tenant, spaces) => {
      const known = texts.map((text) =>
        purpose === 'passage' ? this.#known.get(textHash(text)) : undefined,
      );
      const others = texts.filter((_, index) => !known[index]);
      const made = others.length === 0 ? [] : await embedEach(embedder, others, purpose, tenant, spaces);
      const rest = made.values();
      const outcomes = known.map((vector) => vector ?? rest.next().value!);
      const refusal = outcomes.find((outcome) => outcome instanceof TextRefused);
      if (refusal) throw new TextRefused(refusal.message, outcomes);
      return outcomes.map((outcome) => outcome as Float32Array);
    };
  }

  async #read(tenant: string, ids: readonly string[]): Promise<VectorsByHash> {
    const { id } = this.preferred;
    const from = (table: string, hash: string, vector: string) =>
      `select ${hash} as hash, substring(vector_send(${vector}) from 5) as numbers from ${table}
       where tenant = $1 and memory_id = any ($2::uuid[]) and ${vector} is not null`;
    const current = 'coalesce(embedding, shelved)';
    const rows = await this.#models.sql.queryAs<VectorRow>(
      tenant,
      [
        from(vectorTable(id), 'text_hash', current),
        from(supersededVectorTable(id), 'text_hash', 'embedding'),
        ...(this.#hasPassages ? [from(passageVectorTable(id), 'hash', current)] : []),
      ].join(' union all '),
      [tenant, ids],
    );
    return new Map(rows.map(({ hash, numbers }) => [hash, vectorOf(numbers)]));
  }
}

/** The numbers as the database sends them: in the order of bytes of the network. */
function vectorOf(numbers: Uint8Array): Float32Array {
  const bytes = Buffer.from(new ArrayBuffer(numbers.byteLength));
  bytes.set(numbers);
  bytes.swap32();
  return new Float32Array(bytes.buffer);
}
