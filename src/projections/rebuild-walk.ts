import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStore, LoadedPage } from '../ports/event-store.ts';
import type { Sql } from '../ports/sql.ts';
import { BookmarkMoved, type Standing } from './bookmarks.ts';
import type { Generation } from './generation.ts';
import { leastOf } from './partitions.ts';
import { isPassing } from './passing.ts';
import {
  compareWithLive,
  liveBookmarks,
  NotEqualYet,
  type RebuildProgress,
  type RebuildResult,
} from './rebuild.ts';

const pageSize = 2_000;
/** A database or an embedder that does not answer is asked again after so long. */
const retryMs = 1_000;
/** The live generation is about to reach the head of the log too. */
const levelMs = 10;
/** So often digests that differ are taken again: more keys may be destroyed meanwhile. */
const furtherComparisons = 3;

interface Walker {
  readonly generation: Generation;
  readonly onProgress: (progress: RebuildProgress) => void;
  readonly resolve: (result: RebuildResult) => void;
  readonly reject: (error: unknown) => void;
  standing: Standing;
  /** Where there are several partitions: the least bookmark of the live generation, as it was last looked up. */
  live: number;
  /** Both generations are compared from here on. */
  compareFrom: number;
  /** How often their digests were found to differ. */
  differed: number;
}

/**
 * Fills new generations from the log, beside the live ones. Those that are filled at the same time walk together: the
 * one that is furthest behind goes first, and from then on each page is read and opened once for all.
 */
export class RebuildWalk {
  readonly #sql: Sql;
  readonly #store: EventStore;
  readonly #signal: AbortSignal;
  readonly #walkers = new Set<Walker>();
  #walking = false;
  #ahead: { after: number; page: Promise<LoadedPage> } | undefined;

  /** `signal` ends every fill under way. */
  constructor(sql: Sql, store: EventStore, signal: AbortSignal) {
    this.#sql = sql;
    this.#store = store;
    this.#signal = signal;
  }

  /**
   * Fills `generation` until it stands at the same bookmarks as the live one, and compares their digests there. It does
   * not switch: queries read the live one until `switchTo`.
   */
  async fill(
    generation: Generation,
    onProgress: (progress: RebuildProgress) => void = () => {},
  ): Promise<RebuildResult> {
    const standing = await generation.standing();
    return new Promise((resolve, reject) => {
      const start = { standing, live: Infinity, compareFrom: 0, differed: 0 };
      this.#walkers.add({ generation, onProgress, resolve, reject, ...start });
      if (!this.#walking) void this.#walk();
    });
  }

  async #walk(): Promise<void> {
    this.#walking = true;
    while (this.#walkers.size > 0) {
      try {
        this.#signal.throwIfAborted();
        const group = await this.#furthestBehind();
        if (group.length === 0) {
          await sleep(levelMs);
          continue;
        }
        const after = group[0]!.standing.bookmark;
        const page = await this.#page(after);
        const head = await this.#store.log.head();
        if (page.scannedTo > after) await Promise.all(group.map((walker) => this.#step(walker, page, head)));
        else await this.#finish(group, page);
      } catch (error) {
        if (isPassing(error) && !this.#signal.aborted) await sleep(retryMs);
        else for (const walker of this.#walkers) this.#leave(walker, () => walker.reject(error));
      }
    }
    this.#ahead = undefined;
    this.#walking = false;
  }

  /**
   * Those that go next. Where the live generation moves each partition by itself, a new one does not overtake it: it
   * waits until all of them came to where it stands, and is not far from them then.
   */
  async #furthestBehind(): Promise<readonly Walker[]> {
    const going: Walker[] = [];
    for (const walker of this.#walkers) {
      const { generation, standing } = walker;
      if (generation.partitions.length > 1) {
        const live = await liveBookmarks(this.#sql, generation);
        walker.live = live ? leastOf(live) : Infinity;
      }
      if (standing.bookmark <= walker.live) going.push(walker);
    }
    const after = Math.min(...going.map(({ standing }) => standing.bookmark));
    return going.filter(({ standing }) => standing.bookmark === after);
  }

  /** The next page is read and opened while this one is applied. */
  async #page(after: number): Promise<LoadedPage> {
    const read = (from: number): Promise<LoadedPage> => this.#store.readAll({ after: from, limit: pageSize });
    const page = await (this.#ahead?.after === after ? this.#ahead.page : read(after));
    this.#ahead = undefined;
    if (page.scannedTo > after) {
      this.#ahead = { after: page.scannedTo, page: read(page.scannedTo) };
      // Met where it is awaited, if it ever is.
      this.#ahead.page.catch(() => undefined);
    }
    return page;
  }

  /** A page that goes beyond the live generation is the last one, if both can be brought level by it. */
  async #step(walker: Walker, page: LoadedPage, head: number): Promise<void> {
    const { generation, onProgress } = walker;
    try {
      if (page.scannedTo > walker.live && (await this.#compare(walker, page))) return;
      walker.standing = await generation.apply(page, walker.standing, { rebuild: true });
      const { number, projection } = generation;
      onProgress({
        projection: projection.name,
        generation: number,
        position: walker.standing.bookmark,
        head,
      });
    } catch (error) {
      await this.#recover(walker, error);
    }
  }

  async #recover(walker: Walker, error: unknown): Promise<void> {
    try {
      if (!isPassing(error)) throw error;
      await sleep(retryMs, undefined, { signal: this.#signal });
      walker.standing = await walker.generation.standing();
    } catch (final) {
      // Its generation is gone: another rebuild took its place.
      const isGone = final instanceof BookmarkMoved;
      if (isGone || !isPassing(final)) this.#leave(walker, () => walker.reject(final));
    }
  }

  async #finish(group: readonly Walker[], page: LoadedPage): Promise<void> {
    let finished = 0;
    for (const walker of group) {
      try {
        if (await this.#compare(walker, page)) finished++;
      } catch (error) {
        await this.#recover(walker, error);
      }
    }
    if (finished === 0) await sleep(levelMs);
  }

  async #compare(walker: Walker, page: LoadedPage): Promise<boolean> {
    const { generation, compareFrom, differed } = walker;
    const ahead = generation.partitions.length > 1 ? page : undefined;
    const comparison = { ahead, from: compareFrom, final: differed === furtherComparisons };
    try {
      const result = await compareWithLive(this.#sql, generation, comparison);
      if (result) this.#leave(walker, () => walker.resolve(result));
      return result !== undefined;
    } catch (error) {
      if (!(error instanceof NotEqualYet)) throw error;
      // A key is destroyed after the event of the erasure: of two generations that stand before it, one may have read
      // the memory earlier. What made them differ is in the log by now.
      walker.compareFrom = await this.#store.log.head();
      walker.differed++;
      return false;
    }
  }

  #leave(walker: Walker, settle: () => void): void {
    this.#walkers.delete(walker);
    settle();
  }
}
