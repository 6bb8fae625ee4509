import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '../ports/sql.ts';
import { advance, type Advance, type Checkpoint } from './checkpoints.ts';
import type { Follower } from './follower.ts';

export interface CheckpointWriterOptions {
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
 * Collects moves of checkpoints without any row to write, and writes those of all followers and partitions in one statement.
 * They are frequent: each generation handles few of all events, and with Kafka each partition receives several watermarks a second.
 */
export class CheckpointWriter {
  readonly #sql: Sql;
  readonly #options: CheckpointWriterOptions;
  #waiting: Waiting[] = [];
  #writing = false;
  #restUntil = 0;

  constructor(sql: Sql, options: CheckpointWriterOptions) {
    this.#sql = sql;
    this.#options = options;
  }

  /** Moves the checkpoint of a follower past events that it does not handle. Rejects as `write` does. */
  async pass({ checkpoints }: Follower, from: Checkpoint, to: number): Promise<Checkpoint> {
    const { partitions, position } = from;
    await this.write({ of: checkpoints, partition: partitions[0]!, from: position, to });
    return { ...from, position: to };
  }

  /** Resolves when the move is written; rejects with `CheckpointMoved` if the checkpoint has another position by now. */
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
      // The checkpoints of a generation are locked while it is compared or switched. Others must not wait for that.
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

  /** Without `wait`, returns the moves whose checkpoints are locked, or have moved. */
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
