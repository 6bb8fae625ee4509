import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '../ports/sql.ts';
import { advance, type Advance, type BookmarkState } from './bookmarks.ts';
import type { Generation } from './generation.ts';

export interface BookmarkWriterOptions {
  /** How long moves are collected before they are written. */
  readonly lingerMs: number;
  /** Shortest time between two writes. */
  readonly restMs: number;
}

interface Waiting extends Advance {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Collects moves of bookmarks without any row to write, and writes those of all generations and partitions in one statement.
 * They are frequent: each generation handles few of all events, and with Kafka each partition receives several watermarks a second.
 */
export class BookmarkWriter {
  readonly #sql: Sql;
  readonly #options: BookmarkWriterOptions;
  #waiting: Waiting[] = [];
  #writing = false;
  #restUntil = 0;

  constructor(sql: Sql, options: BookmarkWriterOptions) {
    this.#sql = sql;
    this.#options = options;
  }

  /** Moves the bookmark of a generation past events that it does not handle. Rejects as `write` does. */
  async pass({ bookmarks }: Generation, from: BookmarkState, to: number): Promise<BookmarkState> {
    const { partitions, bookmark } = from;
    await this.write({ of: bookmarks, partition: partitions[0]!, from: bookmark, to });
    return { ...from, bookmark: to };
  }

  /** Resolves when the move is written; rejects with `BookmarkMoved` if the bookmark has another position by now. */
  write(move: Advance): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...move, resolve, reject });
      if (!this.#writing) void this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    this.#writing = true;
    const { lingerMs, restMs } = this.#options;
    while (this.#waiting.length > 0) {
      await sleep(Math.max(lingerMs, this.#restUntil - performance.now()));
      const moves = this.#waiting;
      this.#waiting = [];
      // The bookmarks of a generation are locked while it is compared or switched. Others must not wait for that.
      const locked = await this.#write(moves, false);
      for (const generation of new Set(locked.map(({ of }) => of)))
        void this.#write(
          locked.filter(({ of }) => of === generation),
          true,
        );
      this.#restUntil = performance.now() + restMs;
    }
    this.#writing = false;
  }

  /** Without `wait`, returns the moves whose bookmarks are locked, or have moved. */
  async #write(moves: readonly Waiting[], wait: boolean): Promise<readonly Waiting[]> {
    try {
      const missed = new Set<Advance>(await advance(this.#sql, moves, { wait }));
      for (const move of moves) if (!missed.has(move)) move.resolve();
      if (!wait) return moves.filter((move) => missed.has(move));
      for (const move of moves) if (missed.has(move)) move.reject(move.of.moved());
    } catch (error) {
      for (const { reject } of moves) reject(error);
    }
    return [];
  }
}
