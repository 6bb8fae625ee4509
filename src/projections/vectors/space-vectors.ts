import type { NamedModel } from '../../domain/spaces/space-models.ts';
import { keyOf } from '../../domain/retrieval/posting-keys.ts';
import { groupBy } from '../../domain/group-by.ts';
import {
  embedEach,
  EmbeddingBudgetExhausted,
  vectorIn,
  type Embedders,
  type RegisteredModel,
} from '../../ports/embedder.ts';
import type { Sql, SqlExecutor } from '../../ports/sql.ts';
import { generationTable } from '../../read-models/generation-table.ts';
import { variantOf } from '../../read-models/generation-variant.ts';
import { memoryKeys } from '../../read-models/recordset.ts';
import { spaceVectorTable } from '../../read-models/vectors/tables.ts';
import { textHashSql } from '../../support/text-hash.ts';
import type { MemoryKey } from '../memory-rows.ts';
import { vectorArray } from './vector-sql.ts';

/** Texts in the queue of the model at once. Other texts wait for at most this many. */
const atOnce = 4;
/** Texts read and written together. After a crash at most this many are embedded again. */
const pageSize = 64;
const firstId = '00000000-0000-0000-0000-000000000000';

interface Live {
  readonly memories: string;
  readonly postings: string;
  readonly vectors: string;
  /** Id of the model of the read model. */
  readonly model: string;
}

interface MissingText extends Record<string, unknown> {
  readonly memory_id: string;
  readonly text_hash: string;
  readonly content: string;
  readonly spaces: readonly string[];
}

interface MadeVector extends MissingText {
  readonly vector: Float32Array;
}

/** A space with the registered model that it names. */
interface SpaceOfModel {
  readonly space: string;
  readonly model: RegisteredModel;
}

/** Which memories of a tenant are looked at; all if `ids` is undefined. */
export interface SpaceVectorJob {
  readonly tenant: string;
  readonly named: readonly NamedModel[];
  readonly ids?: readonly string[] | undefined;
}

export interface SpaceVectorsOptions {
  readonly sql: Sql;
  readonly embedders: Embedders;
  /** Called with the id of each model before it is used, which keeps it loaded. */
  readonly onUse: (modelId: string) => void;
}

/**
 * The vectors of memories by the models of their spaces, in addition to that of the read model `vectors`. They are made from the live read
 * models, so none has to be embedded again after a rebuild, and they are not part of any generation.
 */
export class SpaceVectors {
  readonly #options: SpaceVectorsOptions;

  constructor(options: SpaceVectorsOptions) {
    this.#options = options;
  }

  /**
   * Removes the vectors of memories that have left the spaces of their model, and makes those that are missing. A text that a model refuses
   * stays without. Rejects with `EmbedderUnavailable` if a model cannot answer now, or costs too much.
   */
  async bringUpToDate(job: SpaceVectorJob, signal: AbortSignal): Promise<void> {
    const live = await readLive(this.#options.sql);
    if (!live) return;
    const { embedders } = this.#options;
    const spaces = job.named.flatMap(({ space, model: name }) => {
      const model = embedders.find(name);
      return model && model.id !== live.model ? [{ space, model }] : [];
    });
    await this.#removeOthers(job, live, spaces);
    let failure: unknown;
    for (const model of new Set(spaces.map((one) => one.model))) {
      const own = spaces.filter((one) => one.model === model).map(({ space }) => space);
      // A model that does not answer keeps no other one waiting.
      await this.#embedMissing(job, live, { model, spaces: own }, signal).catch((error: unknown) => {
        failure ??= error;
      });
    }
    if (failure !== undefined) throw failure;
  }

  async #embedMissing(
    job: SpaceVectorJob,
    live: Live,
    own: { readonly model: RegisteredModel; readonly spaces: readonly string[] },
    signal: AbortSignal,
  ): Promise<void> {
    let after = firstId;
    for (;;) {
      signal.throwIfAborted();
      this.#options.onUse(own.model.id);
      const texts = await this.#missing(job, live, { ...own, after });
      await this.#embed(job.tenant, own.model, texts, signal);
      if (texts.length < pageSize) return;
      after = texts.at(-1)!.memory_id;
    }
  }

  async #removeOthers(
    { tenant, ids }: SpaceVectorJob,
    { memories }: Live,
    spaces: readonly SpaceOfModel[],
  ): Promise<void> {
    await this.#options.sql.query(
      `delete from ${spaceVectorTable} s where s.tenant = $1 and ($4::uuid[] is null or s.memory_id = any ($4::uuid[]))
         and not exists (
           select from ${memories} m join unnest($2::text[], $3::text[]) as named(model, space) on named.space = any (m.spaces)
           where m.tenant = s.tenant and m.memory_id = s.memory_id and m.to_position is null and named.model = s.model)`,
      [tenant, spaces.map(({ model }) => model.id), spaces.map(({ space }) => space), ids ?? null],
    );
  }

  /** Active memories of the spaces whose text has no vector, in the order of their ids. */
  #missing(
    { tenant, ids }: SpaceVectorJob,
    { memories, postings, vectors }: Live,
    {
      model,
      spaces,
      after,
    }: { readonly model: RegisteredModel; readonly spaces: readonly string[]; readonly after: string },
  ): Promise<readonly MissingText[]> {
    return this.#options.sql.query<MissingText>(
      `select v.memory_id, v.text_hash, m.value->>'content' as content, m.spaces
       from (select distinct p.memory_id from ${postings} p
             where p.tenant = $1 and p.key = any ($2::text[]::bigint[]) and p.memory_id > $3::uuid
               and ($4::uuid[] is null or p.memory_id = any ($4::uuid[]))) filed
       join ${memories} m on m.tenant = $1 and m.memory_id = filed.memory_id and m.to_position is null and m.spaces && $5::text[]
       join ${vectors} v on v.tenant = $1 and v.memory_id = m.memory_id and v.active
       where not exists (
           select from ${spaceVectorTable} s
           where s.tenant = $1 and s.memory_id = m.memory_id and s.model = $6 and s.text_hash = v.text_hash)
         and ${textHashSql(`(m.value->>'content')`)} = v.text_hash
       order by v.memory_id limit ${pageSize}`,
      [tenant, spaces.map((space) => keyOf('spaces', [], space)), after, ids ?? null, spaces, model.id],
    );
  }

  /** What was embedded before a failure is written all the same. */
  async #embed(
    tenant: string,
    model: RegisteredModel,
    texts: readonly MissingText[],
    signal: AbortSignal,
  ): Promise<void> {
    const made: MadeVector[] = [];
    let exhausted: EmbeddingBudgetExhausted | undefined;
    try {
      for (const own of groupBy(texts, ({ spaces }) => JSON.stringify(spaces)).values())
        for (let at = 0; at < own.length; at += atOnce) {
          signal.throwIfAborted();
          try {
            made.push(...(await this.#vectorsOf(tenant, model, own.slice(at, at + atOnce))));
          } catch (error) {
            // The budget of one space keeps no other one waiting.
            if (!(error instanceof EmbeddingBudgetExhausted)) throw error;
            exhausted = error;
            break;
          }
        }
    } finally {
      if (made.length > 0) await this.#write(tenant, model, made);
    }
    if (exhausted) throw exhausted;
  }

  /** The vectors of texts with the same labels, whose spaces pay for them. */
  async #vectorsOf(
    tenant: string,
    model: RegisteredModel,
    texts: readonly MissingText[],
  ): Promise<MadeVector[]> {
    const outcomes = await embedEach(
      this.#options.embedders.of(model.id)!,
      texts.map(({ content }) => content),
      'passage',
      tenant,
      texts[0]!.spaces,
    );
    return texts.flatMap((text, index) => {
      const vector = vectorIn(outcomes[index]);
      return vector ? [{ ...text, vector }] : [];
    });
  }

  async #write(tenant: string, model: RegisteredModel, made: readonly MadeVector[]): Promise<void> {
    const { array, bound } = vectorArray(
      made.map(({ vector }) => vector),
      4,
    );
    await this.#options.sql.transaction(async (tx) => {
      const live = await readLive(tx);
      if (!live) return;
      // An erasure waits for this transaction, or its memory is passed over: what is erased must not be written again.
      await tx.query(
        `with present as materialized (
           select v.memory_id, v.text_hash, made.vector
           from unnest($3::uuid[], $4::text[], ${array}) as made(memory_id, text_hash, vector)
           join ${live.vectors} v on v.tenant = $1 and v.memory_id = made.memory_id and v.text_hash = made.text_hash
           for share of v)
         insert into ${spaceVectorTable} (tenant, memory_id, model, text_hash, embedding)
         select $1, memory_id, $2, text_hash, vector from present
         on conflict (tenant, memory_id, model) do update set text_hash = excluded.text_hash, embedding = excluded.embedding`,
        [
          tenant,
          model.id,
          made.map(({ memory_id }) => memory_id),
          made.map(({ text_hash }) => text_hash),
          ...bound,
        ],
      );
    });
  }
}

async function readLive(executor: SqlExecutor): Promise<Live | undefined> {
  const rows = await executor.query<{ name: string; generation: number; signature: string }>(
    `select a.name, a.generation, g.signature from read.active a join read.generations g using (name, generation)
     where a.name in ('memories', 'vectors')`,
  );
  const [memories, vectors] = ['memories', 'vectors'].map((name) => rows.find((row) => row.name === name));
  if (!memories || !vectors) return undefined;
  return {
    memories: generationTable('memories', memories.generation),
    postings: generationTable('memories_postings', memories.generation),
    vectors: generationTable('vectors', vectors.generation),
    model: variantOf(vectors.signature),
  };
}

/** Deletes what the models of spaces made of erased memories. */
export async function purgeSpaceVectors(tx: SqlExecutor, gone: readonly MemoryKey[]): Promise<void> {
  if (gone.length === 0) return;
  await tx.query(
    `delete from ${spaceVectorTable} s using ${memoryKeys.as('gone')}
     where s.tenant = gone.tenant and s.memory_id = gone.memory_id`,
    memoryKeys.bind(gone),
  );
}
