import { setTimeout as sleep } from 'node:timers/promises';
import type { Advance, BookmarkTable } from './bookmarks.ts';

/** So long those that come about the same time are gathered, … */
const gatherMs = 5;
/** … and so long there is at least between two writes. */
const restMs = 60;

interface Waiting extends Advance {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Gathers what only moves bookmarks: watermarks come to every partition, many times a second. */
export class Advances {
  readonly #bookmarks: BookmarkTable;
  #waiting: Waiting[] = [];
  #writing = false;
  #restUntil = 0;

  constructor(bookmarks: BookmarkTable) {
    this.#bookmarks = bookmarks;
  }

  /** Resolves when it is written; rejects with `BookmarkMoved` where the partition stood elsewhere. */
  write(advance: Advance): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...advance, resolve, reject });
      if (!this.#writing) void this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    this.#writing = true;
    while (this.#waiting.length > 0) {
      await sleep(Math.max(gatherMs, this.#restUntil - performance.now()));
      const written = this.#waiting;
      this.#waiting = [];
      try {
        const missed = await this.#bookmarks.advance(written);
        for (const { partition, resolve, reject } of written)
          if (missed.has(partition)) reject(this.#bookmarks.moved());
          else resolve();
      } catch (error) {
        for (const { reject } of written) reject(error);
      }
      this.#restUntil = performance.now() + restMs;
    }
    this.#writing = false;
  }
}
