import { memoryStream } from '../../domain/streams.ts';
import { embedEach, TextRefused, type Embedders, type RegisteredModel } from '../../ports/embedder.ts';
import type { Sql } from '../../ports/sql.ts';
import { generationTable } from '../../read-models/generation-table.ts';
import { variantOf } from '../../read-models/generation-variant.ts';
import { hasPassageVectors, refusedTextTable, vectorTable } from '../../read-models/vectors/tables.ts';
import { textHashSql } from '../../support/text-hash.ts';
import { exhaustedParameters, isAffordable, type Exhausted } from './exhausted.ts';
import { liveMemories } from './live-memories.ts';
import { KeptVectors, keptTable } from './kept-vectors.ts';
import { PassageVectors } from './passage-vectors.ts';
import { RefusedTexts } from './refused-texts.ts';
import type { VectorRow } from './vector-rows.ts';

export type WaitingText = VectorRow & {
  readonly content: string;
  readonly spaces: readonly string[];
  readonly position: number;
};

/** A generation of `vectors` whose model is behind an endpoint. */
export interface WaitingGeneration {
  readonly generation: number;
  readonly model: RegisteredModel;
}

/**
 * Which texts: `never-tried` have no vector because the budget of their tenant did not allow it, `due` were refused and are to be tried
 * again, and `stream` names one that was refused, due or not.
 */
export type Which = 'never-tried' | 'due' | { readonly stream: string };

export interface WaitingOptions {
  readonly which: Which;
  /** Texts that are left out. */
  readonly without?: readonly Exhausted[];
  readonly limit: number;
}

/** The texts of memories that have no vector, and how they get one. */
export class WaitingTexts {
  readonly #sql: Sql;
  readonly #embedders: Embedders;

  constructor(sql: Sql, embedders: Embedders) {
    this.#sql = sql;
    this.#embedders = embedders;
  }

  async generations(): Promise<readonly WaitingGeneration[]> {
    const rows = await this.#sql.query<{ generation: number; signature: string }>(
      `select generation, signature from read.generations where name = 'vectors' and state <> 'failed'`,
    );
    return rows.flatMap(({ generation, signature }) => {
      const model = this.#embedders.find(variantOf(signature));
      const mayWait = model?.endpointModel !== undefined && hasPassageVectors(signature);
      return mayWait ? [{ generation, model }] : [];
    });
  }

  /** Whether a refused text is to be tried again. */
  async isDue(): Promise<boolean> {
    const models = this.#embedders.models.filter(({ endpointModel }) => endpointModel !== undefined);
    const [row] = await this.#sql.query<{ due: boolean }>(
      `select exists (
         select from ${refusedTextTable} r join unnest($1::text[], $2::text[]) m(id, endpoint) on m.id = r.model
         where not r.skipped and (r.due_at <= now() or r.endpoint <> m.endpoint)) as due`,
      [models.map(({ id }) => id), models.map(({ endpoint = '' }) => endpoint)],
    );
    return row!.due;
  }

  /** Texts of the read model `memories` that have no vector. One that it does not have yet is passed over. */
  async next(
    { generation, model }: WaitingGeneration,
    { which, without = [], limit }: WaitingOptions,
  ): Promise<readonly WaitingText[]> {
    const memories = await liveMemories(this.#sql);
    if (!memories) return [];
    const ofText = `${refusedTextTable} r
      where r.model = $3 and r.tenant = v.tenant and r.memory_id = v.memory_id and r.text_hash = v.text_hash`;
    // An earlier endpoint may have refused what this one embeds.
    const conditions = {
      'never-tried': `not exists (select from ${ofText})`,
      due: `exists (select from ${ofText} and not r.skipped and (r.due_at <= now() or r.endpoint <> $4))`,
      stream: `exists (select from ${ofText} and not r.skipped and r.stream = $4)`,
    };
    const [condition, parameter] =
      typeof which === 'string'
        ? [conditions[which], which === 'due' ? (model.endpoint ?? '') : undefined]
        : [conditions.stream, which.stream];
    return this.#sql.query<WaitingText & Record<string, unknown>>(
      `select v.*, m.value->>'content' as content, m.spaces, m.from_position as position
       from ${generationTable('vectors', generation)} v
       join ${memories} m
         on m.tenant = v.tenant and m.memory_id = v.memory_id and m.to_position is null
       where v.active and ${isAffordable('v.tenant', 'm.spaces')} and ${condition}
         and not exists (
           select 1 from ${vectorTable(model.id)} k
           where k.tenant = v.tenant and k.memory_id = v.memory_id and coalesce(k.embedding, k.shelved) is not null)
         and ${textHashSql(`(m.value->>'content')`)} = v.text_hash
       order by v.memory_id limit ${limit}`,
      [...exhaustedParameters(without), model.id, ...(parameter === undefined ? [] : [parameter])],
    );
  }

  /** Embeds texts of one tenant with the same labels. Returns why those have no vector that the model refuses, which are recorded. */
  async embed(
    { generation, model }: WaitingGeneration,
    tenant: string,
    texts: readonly WaitingText[],
  ): Promise<readonly TextRefused[]> {
    const outcomes = await embedEach(
      this.#embedders.of(model.id)!,
      texts.map(({ content }) => content),
      'passage',
      tenant,
      texts[0]?.spaces,
    );
    const made = new Map<string, Float32Array>();
    const refusals = new Map<string, TextRefused>();
    for (const [index, { text_hash }] of texts.entries()) {
      const outcome = outcomes[index]!;
      if (outcome instanceof TextRefused) refusals.set(text_hash, outcome);
      else made.set(text_hash, outcome);
    }
    const positions = new Map(texts.map(({ memory_id, position }) => [memory_id, position]));
    const kept = new KeptVectors(model);
    const passages = new PassageVectors(model, keptTable(model));
    const refused = new RefusedTexts(model);
    await this.#sql.transaction(async (tx) => {
      // An erasure or a change waits for this transaction, or its memory is passed over: what is erased must not be written again.
      const present = await tx.query<VectorRow & Record<string, unknown>>(
        `select v.* from unnest($2::uuid[], $3::text[]) as wanted(memory_id, text_hash)
         join ${generationTable('vectors', generation)} v using (memory_id, text_hash)
         where v.tenant = $1 and v.active for share of v`,
        [tenant, texts.map(({ memory_id }) => memory_id), texts.map(({ text_hash }) => text_hash)],
      );
      const inserted = await kept.insert(tx, present, made);
      await kept.update(tx, present, made);
      await passages.follow(tx, present);
      await refused.release(
        tx,
        present.map((row) => ({ ...row, embedded: made.has(row.text_hash) })),
      );
      await refused.record(
        tx,
        present.flatMap((row) => {
          const refusal = refusals.get(row.text_hash);
          if (!refusal) return [];
          const { memory_id, revision } = row;
          const type = revision === 0 ? 'MemoryStored' : 'MemoryUpdated';
          const stream = memoryStream(tenant, memory_id);
          return [{ ...row, stream, type, position: positions.get(memory_id)!, error: refusal.message }];
        }),
      );
      await kept.addToIndex(tx, inserted);
    });
    return [...refusals.values()];
  }
}
