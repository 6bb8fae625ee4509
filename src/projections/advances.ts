import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '../ports/sql.ts';
import { advance, type Advance, type Standing } from './bookmarks.ts';
import type { Generation } from './generation.ts';

export interface AdvancesOptions {
  /** So long those that come about the same time are gathered, … */
  readonly gatherMs: number;
  /** … and so long there is at least between two writes. */
  readonly restMs: number;
}

interface Waiting extends Advance {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Gathers what only moves bookmarks: of most events each generation takes few, and where the log is divided watermarks come to
 * every partition, many times a second.
 */
export class Advances {
  readonly #sql: Sql;
  readonly #options: AdvancesOptions;
  #waiting: Waiting[] = [];
  #writing = false;
  #restUntil = 0;

  constructor(sql: Sql, options: AdvancesOptions) {
    this.#sql = sql;
    this.#options = options;
  }

  /** Takes a generation over what it takes nothing of. Rejects as `write` does. */
  async pass({ bookmarks }: Generation, standing: Standing, to: number): Promise<Standing> {
    const { partitions, bookmark } = standing;
    await this.write({ of: bookmarks, partition: partitions[0]!, from: bookmark, to });
    return { ...standing, bookmark: to };
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
    const { gatherMs, restMs } = this.#options;
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
