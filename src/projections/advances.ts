import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '../ports/sql.ts';
import { advance, type Advance } from './bookmarks.ts';

/** So long those that come about the same time are gathered, … */
const gatherMs = 5;
/** … and so long there is at least between two writes. */
const restMs = 60;

interface Waiting extends Advance {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Gathers what only moves bookmarks: watermarks come to every partition, many times a second, and every generation is
 * told of each.
 */
export class Advances {
  readonly #sql: Sql;
  #waiting: Waiting[] = [];
  #writing = false;
  #restUntil = 0;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Resolves when it is written; rejects with `BookmarkMoved` where the partition stood elsewhere. */
  write(moved: Advance): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...moved, resolve, reject });
      if (!this.#writing) void this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    this.#writing = true;
    while (this.#waiting.length > 0) {
      await sleep(Math.max(gatherMs, this.#restUntil - performance.now()));
      const written = this.#waiting;
      this.#waiting = [];
      // A generation that is being compared or switched holds its bookmarks, and must not hold up the others.
      const left = await this.#write(written, false);
      for (const name of new Set(left.map(({ of }) => of)))
        void this.#write(
          left.filter(({ of }) => of === name),
          true,
        );
      this.#restUntil = performance.now() + restMs;
    }
    this.#writing = false;
  }

  /** Answers those that were not moved, where nobody was waited for. */
  async #write(written: readonly Waiting[], wait: boolean): Promise<readonly Waiting[]> {
    try {
      const missed = new Set<Advance>(await advance(this.#sql, written, { wait }));
      for (const moved of written) if (!missed.has(moved)) moved.resolve();
      if (!wait) return written.filter((moved) => missed.has(moved));
      for (const moved of written) if (missed.has(moved)) moved.reject(moved.of.moved());
    } catch (error) {
      for (const { reject } of written) reject(error);
    }
    return [];
  }
}
