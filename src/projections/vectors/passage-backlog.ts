import type { Representations } from '../../domain/memory/content.ts';
import { variantOf } from '../../read-models/generation-variant.ts';
import { areRepresentations, representationsHashSql } from '../../read-models/vectors/representations.ts';
import { hasPassageVectors, passageVectorTable, vectorTable } from '../../read-models/vectors/tables.ts';
import {
  embedEach,
  EmbedderUnavailable,
  EmbeddingBudgetExhausted,
  TextRefused,
  type Embedder,
  type Embedders,
} from '../../ports/embedder.ts';
import type { Leases } from '../../ports/leases.ts';
import type { Sql } from '../../ports/sql.ts';
import { inBackground } from '../../support/background.ts';
import { pause } from '../../support/pause.ts';
import { RetrySchedule } from '../../support/resilience/retry-schedule.ts';
import type { WakeUp } from '../../support/wake-up.ts';
import { textHashSql } from '../../support/text-hash.ts';
import type { MemoryKey } from '../memory-rows.ts';
import { exhaustedParameters, isAffordable, type Exhausted } from './exhausted.ts';
import { liveMemories } from './live-memories.ts';
import { hashedPassages, hashedRepresentations } from './passage-vectors.ts';
import type { TextKey } from './refused-texts.ts';
import { vectorArray } from './vector-sql.ts';

const lease = 'passage backlog';
const idleMs = 1_000;
/** As long as no read model moves, further pauses until texts are looked for again: another process may have added some. */
const quietMs = 3_000;
const longestPauseMs = 60_000;
/** Pause before a text with a passage that could not be embedded is tried again. It doubles with each failure. */
const textPausesMs = { first: 15_000, longest: 600_000 };
/** Pause before passages are tried again that a budget did not allow. */
const budgetPausesMs = { first: 5_000, longest: 60_000 };
/** Passages in the queue of the model at once. Other texts wait for at most this many. */
const atOnce = 4;
/** Passages written together. After a crash at most this many are embedded again. */
const perWrite = 64;

export interface PassageBacklogOptions {
  readonly sql: Sql;
  readonly embedders: Embedders;
  readonly leases: Leases;
  /** Fires when a read model has moved in this process. */
  readonly progress: WakeUp;
  /** Called with each error, and with the memory if its text is the reason. */
  readonly onError: (error: unknown, memory?: MemoryKey) => void;
}

interface WaitingText extends TextKey {
  readonly content: string;
  readonly representations: Representations;
  readonly spaces: readonly string[];
  readonly waiting: readonly number[];
}

/**
 * In the background, embeds the passages of long texts that were not embedded with their text: those beyond the first 64. No query and
 * no event waits for it. One process does it at a time, by lease. The text with the fewest waiting passages comes first. A text with a
 * passage that the model cannot embed is tried again later and does not delay other texts. An unavailable model does not delay others.
 */
export class PassageBacklog {
  readonly #options: PassageBacklogOptions;
  readonly #stop = new AbortController();
  readonly #models = new RetrySchedule<string>({ first: 2 * idleMs, longest: longestPauseMs });
  /** The texts that could not be embedded, by the id of the model. */
  readonly #failing = new Map<string, RetrySchedule<TextKey>>();
  /** The texts whose passages the budgets do not allow for now. */
  readonly #exhausted = new RetrySchedule<Exhausted>(budgetPausesMs);
  #running: Promise<void> = Promise.resolve();

  constructor(options: PassageBacklogOptions) {
    this.#options = options;
  }

  /** Number of texts that will be tried again because a passage could not be embedded. */
  get failing(): number {
    return [...this.#failing.values()].reduce((sum, { size }) => sum + size, 0);
  }

  start(): void {
    this.#running = inBackground(() => this.#repeat());
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Embeds the waiting passages of one text for each model. Returns whether there was such a text. */
  async once(): Promise<boolean> {
    let worked = false;
    for (const model of await this.#modelsInUse()) {
      if (!this.#models.isDue(model)) continue;
      try {
        if (await this.#onceFor(model)) worked = true;
        this.#models.succeeded(model);
      } catch (error) {
        if (!(error instanceof EmbedderUnavailable) || this.#stop.signal.aborted) throw error;
        this.#models.failed(model, model);
        this.#options.onError(error);
      }
    }
    return worked;
  }

  async #onceFor(model: string): Promise<boolean> {
    const embedder = this.#options.embedders.of(model);
    await this.#dropReplaced(model);
    const text = embedder && (await this.#next(model));
    if (!text) return false;
    const error = await this.#embed(embedder, text).catch((reason: unknown) => {
      if (reason instanceof EmbeddingBudgetExhausted) return reason;
      throw reason;
    });
    const { tenant, spaces, memory_id, text_hash } = text;
    const key = JSON.stringify([tenant, memory_id, text_hash]);
    const payers = JSON.stringify([tenant, spaces]);
    if (error instanceof EmbeddingBudgetExhausted) {
      this.#exhausted.failed(payers, { tenant, spaces: error.spaces });
    } else if (error === undefined) {
      this.#exhausted.succeeded(payers);
      this.#textsOf(model).succeeded(key);
    } else {
      this.#textsOf(model).failed(key, { tenant, memory_id, text_hash });
      this.#options.onError(error, { tenant, memory_id });
    }
    return true;
  }

  #textsOf(model: string): RetrySchedule<TextKey> {
    const texts = this.#failing.get(model) ?? new RetrySchedule<TextKey>(textPausesMs);
    this.#failing.set(model, texts);
    return texts;
  }

  async #repeat(): Promise<void> {
    const { signal } = this.#stop;
    const { leases, onError, progress } = this.#options;
    let pauseMs = idleMs;
    while (!signal.aborted) {
      const seen = progress.count;
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
      await progress.after(seen, quietMs, signal);
    }
    await leases.release(lease).catch(() => undefined);
  }

  /** Ids of the models whose vectors are kept. */
  async #modelsInUse(): Promise<readonly string[]> {
    const rows = await this.#options.sql.query<{ signature: string }>(
      `select distinct signature from read.generations where name = 'vectors' and state <> 'failed'`,
    );
    const current = rows.map(({ signature }) => signature).filter(hasPassageVectors);
    return [...new Set(current.map(variantOf))];
  }

  /** Drops waiting passages of texts that were replaced meanwhile: nothing needs them any more. */
  async #dropReplaced(model: string): Promise<void> {
    await this.#options.sql.query(
      `delete from ${passageVectorTable(model)} p using ${vectorTable(model)} k
       where p.embedding is null and p.shelved is null and p.n >= 0
         and k.tenant = p.tenant and k.memory_id = p.memory_id and k.text_hash <> p.text_hash`,
    );
  }

  async #next(model: string): Promise<WaitingText | undefined> {
    const { sql } = this.#options;
    const memories = await liveMemories(sql);
    if (!memories) return undefined;
    const later = this.#textsOf(model).waiting();
    // A text that the read model `memories` does not have yet is passed over.
    const [next] = await sql.query<WaitingText & Record<string, unknown>>(
      `select w.*, m.value->>'content' as content, m.value->'representations' as representations, m.spaces
       from (select tenant, memory_id, text_hash, min(n) as n, array_agg(n order by n) as waiting from ${passageVectorTable(model)}
             where embedding is null and shelved is null
               and (tenant, memory_id, text_hash) not in (select * from unnest($3::text[], $4::uuid[], $5::text[]))
             group by tenant, memory_id, text_hash) w
       join ${memories} m
         on m.tenant = w.tenant and m.memory_id = w.memory_id and m.to_position is null
         and (w.n >= 0 and ${textHashSql(`(m.value->>'content')`)} = w.text_hash or ${areRepresentations('w', representationsHashSql('m.value'))})
       where ${isAffordable('w.tenant', 'm.spaces')}
       order by cardinality(w.waiting), w.memory_id limit 1`,
      [
        ...exhaustedParameters(this.#exhausted.waiting()),
        later.map(({ tenant }) => tenant),
        later.map(({ memory_id }) => memory_id),
        later.map(({ text_hash }) => text_hash),
      ],
    );
    return next;
  }

  /** Embeds and writes the waiting passages of a text. Returns the error of the first passage that the model cannot embed. */
  async #embed(embedder: Embedder, text: WaitingText): Promise<unknown> {
    const passages = new Map(
      (text.waiting[0]! < 0
        ? await hashedRepresentations(text.representations)
        : await hashedPassages(text.content)
      ).map((passage) => [passage.n, passage]),
    );
    const isDivided = passages.has(text.waiting[0]!) && passages.has(text.waiting.at(-1)!);
    let failure: unknown = isDivided
      ? undefined
      : new Error('the text has fewer passages than were recorded');
    for (let from = 0; from < text.waiting.length; from += perWrite) {
      const numbers = text.waiting.slice(from, from + perWrite);
      const vectors = new Map<number, Float32Array>();
      for (let at = 0; at < numbers.length; at += atOnce) {
        this.#stop.signal.throwIfAborted();
        await this.#options.leases.hold(lease);
        const some = numbers.slice(at, at + atOnce).flatMap((n) => passages.get(n) ?? []);
        const outcomes = await embedEach(
          embedder,
          some.map(({ text }) => text),
          'passage',
          text.tenant,
          text.spaces,
        );
        for (const [index, { n }] of some.entries()) {
          const outcome = outcomes[index]!;
          if (outcome instanceof TextRefused) failure ??= outcome;
          else vectors.set(n, outcome);
        }
      }
      if (vectors.size > 0) await this.#write(embedder.model.id, text, vectors);
    }
    return failure;
  }

  /**
   * Only updates rows: those that were erased meanwhile are not written again. The row of the whole text is locked, because a projector
   * that replaces the text at the same time would otherwise not see these vectors, and they would stay in the index.
   */
  async #write(
    model: string,
    { tenant, memory_id, text_hash }: WaitingText,
    vectors: ReadonlyMap<number, Float32Array>,
  ): Promise<void> {
    const { array, bound } = vectorArray([...vectors.values()], 4);
    await this.#options.sql.query(
      `with k as materialized (
         select (text_hash = $3 or ($4::integer[])[1] < 0) and embedding is not null as is_valid from ${vectorTable(model)}
         where tenant = $1 and memory_id = $2::uuid for share
       )
       update ${passageVectorTable(model)} p set
         embedding = case when valid.is_valid then made.vector end,
         shelved = case when not valid.is_valid then made.vector end
       from unnest($4::integer[], ${array}) as made(n, vector),
         (select coalesce((select is_valid from k), false) as is_valid) valid
       where p.tenant = $1 and p.memory_id = $2::uuid and p.text_hash = $3 and p.n = made.n`,
      [tenant, memory_id, text_hash, [...vectors.keys()], ...bound],
    );
  }
}
