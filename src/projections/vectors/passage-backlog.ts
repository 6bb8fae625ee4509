import { generationTable } from '../../read-models/generation-table.ts';
import { variantOf } from '../../read-models/generation-variant.ts';
import { hasPassageVectors, passageVectorTable, vectorTable } from '../../read-models/vectors/tables.ts';
import type { Embedder, Embedders } from '../../ports/embedder.ts';
import type { Leases } from '../../ports/leases.ts';
import type { Sql } from '../../ports/sql.ts';
import { inBackground } from '../../support/background.ts';
import { pause } from '../../support/pause.ts';
import { textHashSql } from '../../support/text-hash.ts';
import type { MemoryKey } from '../memory-rows.ts';
import { hashedPassages } from './passage-vectors.ts';
import { vectorArray } from './vector-sql.ts';

const lease = 'passage backlog';
const idleMs = 1_000;
const longestPauseMs = 60_000;
/** Passages in the queue of the model at once: other texts wait for these at most. */
const atOnce = 4;
/** Passages written together; a crash repeats this many. */
const perWrite = 64;

export interface PassageBacklogOptions {
  readonly sql: Sql;
  readonly embedders: Embedders;
  readonly leases: Leases;
  readonly onError: (error: unknown) => void;
}

interface WaitingText extends MemoryKey {
  readonly text_hash: string;
  readonly content: string;
  readonly waiting: readonly number[];
}

/**
 * Embeds in the background the passages of long texts that were not embedded with their text: those beyond the first 64. No query and
 * no event waits for it. One process of all does it at a time; the text with the fewest passages comes first.
 */
export class PassageBacklog {
  readonly #options: PassageBacklogOptions;
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(options: PassageBacklogOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = inBackground(() => this.#repeat());
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Embeds the passages of one text of each model. Returns whether there was one. */
  async once(): Promise<boolean> {
    let worked = false;
    for (const model of await this.#models()) {
      const embedder = this.#options.embedders.of(model);
      await this.#dropReplaced(model);
      const text = embedder && (await this.#next(model));
      if (!text) continue;
      await this.#embed(embedder, text);
      worked = true;
    }
    return worked;
  }

  async #repeat(): Promise<void> {
    const { signal } = this.#stop;
    const { leases, onError } = this.#options;
    let pauseMs = idleMs;
    while (!signal.aborted) {
      try {
        const isHolder = (await leases.hold(lease)) !== undefined;
        const worked = isHolder && (await this.once());
        pauseMs = idleMs;
        if (worked) continue;
      } catch (error) {
        if (!signal.aborted) onError(error);
        pauseMs = Math.min(2 * pauseMs, longestPauseMs);
      }
      await pause(pauseMs, signal);
    }
    await leases.release(lease).catch(() => undefined);
  }

  /** Ids of the models whose vectors are kept. */
  async #models(): Promise<readonly string[]> {
    const rows = await this.#options.sql.query<{ signature: string }>(
      `select distinct signature from read.generations where name = 'vectors' and state <> 'failed'`,
    );
    const current = rows.map(({ signature }) => signature).filter(hasPassageVectors);
    return [...new Set(current.map(variantOf))];
  }

  /** The passages of a text that was replaced before they were embedded are not needed. */
  async #dropReplaced(model: string): Promise<void> {
    await this.#options.sql.query(
      `delete from ${passageVectorTable(model)} p using ${vectorTable(model)} k
       where p.embedding is null and p.shelved is null
         and k.tenant = p.tenant and k.memory_id = p.memory_id and k.text_hash <> p.text_hash`,
    );
  }

  async #next(model: string): Promise<WaitingText | undefined> {
    const { sql } = this.#options;
    const [live] = await sql.query<{ generation: number }>(
      `select generation from read.active where name = 'memories'`,
    );
    if (!live) return undefined;
    // The read model of the memories may not have the text yet: then another one is next.
    const [next] = await sql.query<WaitingText & Record<string, unknown>>(
      `select w.*, m.value->>'content' as content
       from (select tenant, memory_id, text_hash, array_agg(n order by n) as waiting from ${passageVectorTable(model)}
             where embedding is null and shelved is null group by tenant, memory_id, text_hash) w
       join ${generationTable('memories', live.generation)} m
         on m.tenant = w.tenant and m.memory_id = w.memory_id and m.to_position is null
         and ${textHashSql(`(m.value->>'content')`)} = w.text_hash
       order by cardinality(w.waiting), w.memory_id limit 1`,
    );
    return next;
  }

  async #embed(embedder: Embedder, text: WaitingText): Promise<void> {
    const passages = hashedPassages(text.content);
    for (let from = 0; from < text.waiting.length; from += perWrite) {
      const numbers = text.waiting.slice(from, from + perWrite);
      const vectors: Float32Array[] = [];
      for (let at = 0; at < numbers.length; at += atOnce) {
        this.#stop.signal.throwIfAborted();
        await this.#options.leases.hold(lease);
        const some = numbers.slice(at, at + atOnce).map((n) => passages[n]!.text);
        vectors.push(...(await embedder.embed(some, 'passage')));
      }
      await this.#write(embedder.model.id, text, numbers, vectors);
    }
  }

  /**
   * Rows that are gone were erased meanwhile, and stay away. The row of the whole text is locked: a projector that replaces the text at
   * the same time would otherwise not see these vectors, and they would stay in the index.
   */
  async #write(
    model: string,
    { tenant, memory_id, text_hash }: WaitingText,
    numbers: readonly number[],
    vectors: readonly Float32Array[],
  ): Promise<void> {
    const { array, bound } = vectorArray(vectors, 4);
    await this.#options.sql.query(
      `with k as materialized (
         select text_hash = $3 and embedding is not null as is_valid from ${vectorTable(model)}
         where tenant = $1 and memory_id = $2::uuid for share
       )
       update ${passageVectorTable(model)} p set
         embedding = case when valid.is_valid then made.vector end,
         shelved = case when not valid.is_valid then made.vector end
       from unnest($4::integer[], ${array}) as made(n, vector),
         (select coalesce((select is_valid from k), false) as is_valid) valid
       where p.tenant = $1 and p.memory_id = $2::uuid and p.text_hash = $3 and p.n = made.n`,
      [tenant, memory_id, text_hash, [...numbers], ...bound],
    );
  }
}
