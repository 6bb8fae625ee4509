import type { Sql } from '../ports/sql.ts';
import { BookmarkMoved, type BookmarkState } from './bookmarks.ts';
import type { Generation } from './generation.ts';
import { noteFailure } from './generations.ts';
import type { RebuildProgress, RebuildResult } from './rebuild.ts';

/** The first pause of one that failed; doubled after each further time, … */
const firstPauseMs = 1_000;
/** … so that it goes on half a minute at most after what it waits for is back. */
const longestPauseMs = 30_000;

export interface WalkerOptions {
  readonly onProgress: (progress: RebuildProgress) => void;
  /** Is told of each error that keeps it from going on, once. */
  readonly onFailure: (error: unknown) => void;
}

/** A new generation on its way through the log. */
export class Walker {
  readonly generation: Generation;
  /** Of its fill. */
  readonly result: Promise<RebuildResult>;
  state: BookmarkState;
  /** Where there are several partitions: the least bookmark of the live generation, as it was last looked up. */
  live = Infinity;
  /** Both generations are compared from here on. */
  compareFrom = 0;
  /** How often their digests were found to differ. */
  differed = 0;
  /** It failed, or takes long: the others do not wait for it. */
  isApart = false;
  readonly #options: WalkerOptions;
  readonly #ended = new AbortController();
  readonly #told = new Set<string>();
  #pauseMs = firstPauseMs;
  #failure: string | undefined;
  #settle!: { resolve: (result: RebuildResult) => void; reject: (error: unknown) => void };

  constructor(generation: Generation, state: BookmarkState, options: WalkerOptions) {
    this.generation = generation;
    this.state = state;
    this.#options = options;
    this.result = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
  }

  /** Aborts when it resolved or was rejected. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  resolve(result: RebuildResult): void {
    this.#settle.resolve(result);
    this.#ended.abort();
  }

  reject(error: unknown): void {
    this.#settle.reject(error);
    this.#ended.abort();
  }

  tell(head: number): void {
    const { projection, number } = this.generation;
    const { bookmark } = this.state;
    this.#options.onProgress({ projection: projection.name, generation: number, position: bookmark, head });
  }

  /** Shows with its generation what it waits for. A race that it lost is none of that. */
  async failed(sql: Sql, error: unknown): Promise<void> {
    if (error instanceof BookmarkMoved) return;
    const message = error instanceof Error ? error.message : String(error);
    if (!this.#told.has(message)) this.#options.onFailure(error);
    this.#told.add(message);
    if (message === this.#failure) return;
    await this.#note(sql, message);
  }

  /** Nothing keeps it from going on. */
  async goesOn(sql: Sql): Promise<void> {
    this.#pauseMs = firstPauseMs;
    if (this.#failure !== undefined) await this.#note(sql, undefined);
  }

  /** How long it waits before it is tried again. */
  nextPause(): number {
    const pause = this.#pauseMs;
    this.#pauseMs = Math.min(pause * 2, longestPauseMs);
    return pause;
  }

  /** A database that is away is told by what fails next. */
  async #note(sql: Sql, message: string | undefined): Promise<void> {
    const { projection, number } = this.generation;
    const noted = noteFailure(sql, projection.name, number, message);
    await noted.then(
      () => (this.#failure = message),
      () => undefined,
    );
  }
}
