import type { Sql } from '../ports/sql.ts';
import { Backoff } from '../support/resilience/backoff.ts';
import type { Checkpoint } from '../follow/checkpoints.ts';
import { CheckpointMoved } from '../follow/processor.ts';
import type { Generation } from './generation.ts';
import { noteFailure } from './generations.ts';
import type { RebuildProgress, RebuildResult } from './rebuild.ts';

export interface GenerationFillOptions {
  readonly onProgress: (progress: RebuildProgress) => void;
  /** Called once for each error that stalls the fill. */
  readonly onFailure: (error: unknown) => void;
}

/** A new generation that is being filled from the log. */
export class GenerationFill {
  readonly generation: Generation;
  readonly result: Promise<RebuildResult>;
  state: Checkpoint;
  /** With several partitions, the lowest checkpoint of the live generation when it was last read. */
  live = Infinity;
  /** The lowest position at which both generations may be compared. */
  compareFrom = 0;
  /** How often the digests were found to differ. */
  differed = 0;
  /** True if the fill fails or takes long: then the other fills do not wait for it. */
  isDetached = false;
  readonly #options: GenerationFillOptions;
  readonly #ended = new AbortController();
  readonly #reported = new Set<string>();
  /** The fill continues half a minute after the cause is gone, at the latest. */
  readonly #backoff = new Backoff({ firstMs: 1_000, longestMs: 30_000 });
  #failure: string | undefined;
  #settle!: { resolve: (result: RebuildResult) => void; reject: (error: unknown) => void };

  constructor(generation: Generation, state: Checkpoint, options: GenerationFillOptions) {
    this.generation = generation;
    this.state = state;
    this.#options = options;
    this.result = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
  }

  /** Aborts when the fill has been resolved or rejected. */
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

  reportProgress(head: number): void {
    const { projection, number } = this.generation;
    const { position } = this.state;
    this.#options.onProgress({ projection: projection.name, generation: number, position: position, head });
  }

  /** Records with the generation what stalls it. A lost race does not count. */
  async failed(sql: Sql, error: unknown): Promise<void> {
    if (error instanceof CheckpointMoved) return;
    const message = error instanceof Error ? error.message : String(error);
    if (!this.#reported.has(message)) this.#options.onFailure(error);
    this.#reported.add(message);
    if (message === this.#failure) return;
    await this.#note(sql, message);
  }

  /** Clears the recorded failure after progress. */
  async succeeded(sql: Sql): Promise<void> {
    this.#backoff.reset();
    if (this.#failure !== undefined) await this.#note(sql, undefined);
  }

  /** Waits before the next attempt, unless the fill ends. */
  async pause(): Promise<void> {
    await this.#backoff.pause(this.ended);
  }

  /** If the database is unavailable, the next failure is recorded instead. */
  async #note(sql: Sql, message: string | undefined): Promise<void> {
    const { projection, number } = this.generation;
    await noteFailure(sql, projection.name, number, message).then(
      () => (this.#failure = message),
      () => undefined,
    );
  }
}
