import {
  EmbedderUnavailable,
  EmbeddingBudgetExhausted,
  TextRefused,
  type Embedders,
  type RegisteredModel,
} from '../../ports/embedder.ts';
import type { Leases } from '../../ports/leases.ts';
import type { Sql } from '../../ports/sql.ts';
import { generationTable } from '../../read-models/generation-table.ts';
import { hasPassageVectors, vectorTable } from '../../read-models/vectors/tables.ts';
import { variantOf } from '../../read-models/generation-variant.ts';
import { groupBy } from '../../domain/group-by.ts';
import { inBackground } from '../../support/background.ts';
import { RetrySchedule } from '../../support/resilience/retry-schedule.ts';
import { textHashSql } from '../../support/text-hash.ts';
import type { WakeUp } from '../../support/wake-up.ts';
import { KeptVectors, keptTable } from './kept-vectors.ts';
import { textPausesMs, type TextKey } from './passage-backlog.ts';
import { PassageVectors } from './passage-vectors.ts';
import type { VectorRow } from './vector-rows.ts';

const lease = 'text backlog';
/** Pause after texts were found that still have to wait, and after none was found. */
const pausesMs = { waiting: 5_000, idle: 600_000, failed: 30_000 };
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

type WaitingText = VectorRow & { readonly content: string };

/**
 * In the background, embeds the texts of memories that were not embedded when they were stored, because the budget of their tenant did
 * not allow it. They are found as rows of the read model whose vector is missing. One process does it at a time, by lease, and only for
 * models of endpoints: all others cost nothing.
 */
export class TextBacklog {
  readonly #options: TextBacklogOptions;
  readonly #stop = new AbortController();
  /** The texts that their model refuses. */
  readonly #refused = new RetrySchedule<TextKey & { readonly model: string }>(textPausesMs);
  #running: Promise<void> = Promise.resolve();

  constructor(options: TextBacklogOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#options.embedders.models.every(({ endpointModel }) => endpointModel === undefined)) return;
    this.#running = inBackground(() => this.#repeat());
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Embeds what the budgets allow. Returns whether texts are left that have to wait. */
  async once(): Promise<boolean> {
    let isLeft = false;
    for (const { generation, signature } of await this.#generations()) {
      const model = this.#options.embedders.find(variantOf(signature));
      if (model?.endpointModel !== undefined && hasPassageVectors(signature))
        isLeft = (await this.#embedAll(model, generation)) || isLeft;
    }
    return isLeft;
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
      await waiting.after(pauseMs === pausesMs.idle ? seen : waiting.count, pauseMs, signal);
    }
    await leases.release(lease).catch(() => undefined);
  }

  #generations(): Promise<{ generation: number; signature: string }[]> {
    return this.#options.sql.query(
      `select generation, signature from read.generations where name = 'vectors' and state <> 'failed'`,
    );
  }

  async #embedAll(model: RegisteredModel, generation: number): Promise<boolean> {
    const exhausted = new Set<string>();
    for (;;) {
      this.#stop.signal.throwIfAborted();
      const texts = await this.#next(model, generation, [...exhausted]);
      if (texts.length === 0) break;
      for (const [tenant, own] of groupBy(texts, (text) => text.tenant)) {
        try {
          await this.#embedAccepted(model, generation, tenant, own);
        } catch (error) {
          if (!(error instanceof EmbedderUnavailable)) throw error;
          if (!(error instanceof EmbeddingBudgetExhausted)) return true;
          exhausted.add(tenant);
        }
      }
    }
    return exhausted.size > 0;
  }

  /** Embeds texts of a tenant. If the model refuses one of them, each by itself: none keeps the others waiting. */
  async #embedAccepted(
    model: RegisteredModel,
    generation: number,
    tenant: string,
    texts: readonly WaitingText[],
  ): Promise<void> {
    try {
      await this.#embed(model, generation, tenant, texts);
    } catch (error) {
      if (!(error instanceof TextRefused)) throw error;
      if (texts.length > 1) {
        for (const text of texts) await this.#embedAccepted(model, generation, tenant, [text]);
        return;
      }
      const { memory_id, text_hash } = texts[0]!;
      const key = { model: model.id, tenant, memory_id, text_hash };
      this.#refused.failed(JSON.stringify(key), key);
      this.#options.onError(error);
    }
  }

  async #next(
    model: RegisteredModel,
    generation: number,
    without: readonly string[],
  ): Promise<WaitingText[]> {
    const { sql } = this.#options;
    const [live] = await sql.query<{ generation: number }>(
      `select generation from read.active where name = 'memories'`,
    );
    if (!live) return [];
    const later = this.#refused.waiting().filter((text) => text.model === model.id);
    // A text that the read model `memories` does not have yet is passed over.
    return sql.query<WaitingText & Record<string, unknown>>(
      `select v.*, m.value->>'content' as content
       from ${generationTable('vectors', generation)} v
       join ${generationTable('memories', live.generation)} m
         on m.tenant = v.tenant and m.memory_id = v.memory_id and m.to_position is null
       where v.active and v.tenant <> all($1::text[])
         and (v.tenant, v.memory_id, v.text_hash) not in (select * from unnest($2::text[], $3::uuid[], $4::text[]))
         and not exists (
           select 1 from ${vectorTable(model.id)} k
           where k.tenant = v.tenant and k.memory_id = v.memory_id and coalesce(k.embedding, k.shelved) is not null)
         and ${textHashSql(`(m.value->>'content')`)} = v.text_hash
       order by v.memory_id limit ${atOnce}`,
      [
        without,
        later.map(({ tenant }) => tenant),
        later.map(({ memory_id }) => memory_id),
        later.map(({ text_hash }) => text_hash),
      ],
    );
  }

  async #embed(
    model: RegisteredModel,
    generation: number,
    tenant: string,
    texts: readonly WaitingText[],
  ): Promise<void> {
    const { sql, embedders } = this.#options;
    const vectors = await embedders.of(model.id)!.embed(
      texts.map(({ content }) => content),
      'passage',
      tenant,
    );
    const made = new Map(texts.map(({ text_hash }, index) => [text_hash, vectors[index]!]));
    const kept = new KeptVectors(model);
    const passages = new PassageVectors(model, keptTable(model));
    await sql.transaction(async (tx) => {
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
      await kept.addToIndex(tx, inserted);
    });
  }
}
