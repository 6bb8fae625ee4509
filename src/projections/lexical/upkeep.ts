import { lexicalGeneration, usesLexicalIndex } from '../../read-models/lexical/variant.ts';
import { inBackground } from '../../support/background.ts';
import type { LexicalIndex } from '../../ports/lexical-index.ts';
import { pause } from '../../support/pause.ts';
import type { Sql } from '../../ports/sql.ts';
import { readGenerations } from '../generations.ts';
import { tablesOf } from '../projection.ts';
import { claimExpunge, postponeExpunge, settleExpunge } from './expunge.ts';

const pauseMs = 2_000;
const longestPauseMs = 30_000;
/** Usually longer than an expunge takes; afterwards another process starts it again. */
const claimSeconds = 300;
const retrySeconds = 10;

export interface LexicalUpkeepOptions {
  readonly sql: Sql;
  readonly index: LexicalIndex;
  readonly onError: (error: unknown) => void;
  /** Default: 2 s. */
  readonly pauseMs?: number;
}

/**
 * Maintains the lexical index: its alias points to the live generation, for readers from outside, and the words of erased memories are
 * removed from its files. Any number of processes may run it.
 */
export class LexicalUpkeep {
  readonly #options: LexicalUpkeepOptions;
  readonly #stop = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: LexicalUpkeepOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = inBackground(() =>
      Promise.all([this.#repeat(() => this.#serveLive()), this.#repeat(() => this.#expungeAll())]),
    );
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #repeat(work: () => Promise<void>): Promise<void> {
    const { signal } = this.#stop;
    const { pauseMs: shortestMs = pauseMs, onError } = this.#options;
    for (let waitMs = shortestMs; !signal.aborted;) {
      try {
        await work();
        waitMs = shortestMs;
      } catch (error) {
        if (!signal.aborted) onError(error);
        waitMs = Math.min(waitMs * 2, longestPauseMs);
      }
      await pause(waitMs, signal);
    }
  }

  async #serveLive(): Promise<void> {
    const { index } = this.#options;
    const live = (await this.#generations()).find(({ active }) => active);
    if (!live) return;
    const name = lexicalGeneration(live.generation);
    if ((await index.serving()) !== name) await index.serve(name);
  }

  async #expungeAll(): Promise<void> {
    for (const { generation } of await this.#generations()) {
      try {
        await this.#expunge(generation);
      } catch (error) {
        // A generation that was dropped meanwhile needs no expunge.
        const present = await this.#generations();
        if (present.some((one) => one.generation === generation)) throw error;
      }
    }
  }

  async #expunge(generation: number): Promise<void> {
    const { sql, index } = this.#options;
    const tables = tablesOf(generation);
    const erasures = await claimExpunge(sql, tables, claimSeconds);
    if (erasures === undefined) return;
    try {
      await index.expunge(lexicalGeneration(generation), this.#stop.signal);
      await settleExpunge(sql, tables, erasures);
    } catch (error) {
      await postponeExpunge(sql, tables, retrySeconds);
      throw error;
    }
  }

  async #generations(): Promise<readonly { readonly generation: number; readonly active: boolean }[]> {
    const rows = await readGenerations(this.#options.sql);
    return rows.filter(
      ({ name, signature, state }) => name === 'lexical' && usesLexicalIndex(signature) && state !== 'failed',
    );
  }
}
