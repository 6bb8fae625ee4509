import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStore, LoadedPage } from '../ports/event-store.ts';
import { pause } from '../support/pause.ts';
import type { Sql } from '../ports/sql.ts';
import { WakeUp } from '../support/wake-up.ts';
import { BookmarkWriter } from './bookmark-writer.ts';
import { BookmarkMoved } from './bookmarks.ts';
import type { Generation } from './generation.ts';
import { Pages } from './pages.ts';
import { leastOf } from './partitions.ts';
import { isTransient } from '../processors/transient.ts';
import {
  compareWithLive,
  liveBookmarks,
  NotEqualYet,
  type RebuildProgress,
  type RebuildResult,
} from './rebuild.ts';
import { Walker } from './walker.ts';

const pageSize = 2_000;
/** A log or a database that does not answer is asked again after so long. */
const retryMs = 1_000;
/** Pages that one may be ahead of the last: read models take unlike times for a page, and in turn. */
const mostAhead = 4;
/** The live generation is about to reach the head of the log too. */
const levelMs = 10;
/** Others wait so long for a step that one of them takes: longer than a page takes whose vectors are kept. */
const patienceMs = 5_000;
const neverAborted = new AbortController().signal;
/** So often digests that differ are taken again: more keys may be destroyed meanwhile. */
const furtherComparisons = 3;

/**
 * Fills new generations from the log, beside the live ones. Those that are filled at the same time walk together: the
 * one that is furthest behind goes first, and from then on each page is read and opened once for all. While the database writes
 * the rows of one, those of another are made. One that fails or takes long walks apart until it goes on: what it waits for holds up no other.
 */
export class RebuildWalk {
  readonly #sql: Sql;
  readonly #store: EventStore;
  readonly #signal: AbortSignal;
  readonly #onFailure: (projection: string, error: unknown) => void;
  readonly #walkers = new Set<Walker>();
  #walking = false;
  readonly #advances: BookmarkWriter;
  readonly #pages: Pages;
  /** Of the log, when a page was read last: asked for at each step it would wait each time until the database is free. */
  #head = 0;
  /** What each that takes a step waits for; none of them rejects. */
  readonly #atWork = new Map<Walker, Promise<void>>();
  /** Wakes when a step is over. */
  readonly #steps = new WakeUp();

  /** `signal` ends every fill under way. `onFailure` is told of each error that a fill waits for, once. */
  constructor(
    sql: Sql,
    store: EventStore,
    signal: AbortSignal,
    onFailure: (projection: string, error: unknown) => void = () => {},
  ) {
    this.#sql = sql;
    this.#store = store;
    this.#signal = signal;
    signal.addEventListener('abort', () => {
      // The others end their step first.
      for (const walker of this.#walkers) if (walker.isApart) walker.reject(signal.reason);
    });
    this.#onFailure = onFailure;
    this.#advances = new BookmarkWriter(sql, { lingerMs: 1, restMs: 0 });
    this.#pages = new Pages((after) => this.#read(after));
  }

  /**
   * Fills `generation` until it stands at the same bookmarks as the live one, and compares their digests there. It does
   * not switch: queries read the live one until `switchTo`.
   */
  async fill(
    generation: Generation,
    onProgress: (progress: RebuildProgress) => void = () => {},
  ): Promise<RebuildResult> {
    const onFailure = (error: unknown): void => this.#onFailure(generation.projection.name, error);
    const walker = new Walker(generation, await generation.bookmarkState(), { onProgress, onFailure });
    walker.ended.addEventListener('abort', () => this.#walkers.delete(walker));
    this.#walkers.add(walker);
    this.#begin();
    return walker.result;
  }

  /** Rejects the fill of `generation` with `reason`, where it is under way. A step of it may still come to its end. */
  end(generation: Pick<Generation, 'key'>, reason: Error): void {
    for (const walker of this.#walkers) if (walker.generation.key === generation.key) walker.reject(reason);
  }

  #begin(): void {
    if (!this.#walking) void this.#walk();
  }

  async #read(after: number): Promise<LoadedPage> {
    const [page, head] = await Promise.all([
      this.#store.readAll({ after, limit: pageSize }),
      this.#store.log.head(),
    ]);
    this.#head = Math.max(head, page.scannedTo);
    return page;
  }

  get #together(): readonly Walker[] {
    return [...this.#walkers].filter(({ isApart }) => !isApart);
  }

  async #walk(): Promise<void> {
    this.#walking = true;
    for (let going = this.#together; going.length > 0; going = this.#together) {
      const seen = this.#steps.count;
      try {
        this.#signal.throwIfAborted();
        const group = await this.#next(going);
        if (group.length === 0) {
          await this.#steps.after(seen, levelMs, neverAborted);
          continue;
        }
        const after = group[0]!.state.bookmark;
        const page = await this.#pages.after(after);
        if (page.scannedTo > after) for (const walker of group) this.#send(walker, page);
        else await this.#finish(group, page);
      } catch (error) {
        if (isTransient(error) && !this.#signal.aborted) await this.#pause(going, error);
        else await this.#rejectAll(going, error);
      }
    }
    this.#pages.letGo(Infinity);
    this.#walking = false;
  }

  /** Those of them that go next, and stand at one bookmark. None is far ahead of the last: few pages are held. */
  async #next(going: readonly Walker[]): Promise<readonly Walker[]> {
    const last = Math.min(...going.map(({ state }) => state.bookmark));
    this.#pages.letGo(last);
    const group = await this.#furthestBehind(going.filter((walker) => !this.#atWork.has(walker)));
    let furthest = last;
    for (let n = 0; n < mostAhead; n++) furthest = this.#pages.endOf(furthest) ?? furthest;
    return (group[0]?.state.bookmark ?? last) <= furthest ? group : [];
  }

  /** Lets the walker take its step, beside the others. */
  #send(walker: Walker, page: LoadedPage): void {
    const step = this.#step(walker, page).then(() => {
      this.#atWork.delete(walker);
      this.#steps.wake();
    });
    this.#atWork.set(walker, step);
  }

  /** They end their steps first. */
  async #rejectAll(going: readonly Walker[], error: unknown): Promise<void> {
    await Promise.all(this.#atWork.values());
    for (const walker of going) walker.reject(error);
  }

  /**
   * Those that go next. Where the live generation moves each partition by itself, a new one does not overtake it: it
   * waits until all of them came to where it stands, and is not far from them then.
   */
  async #furthestBehind(walkers: readonly Walker[]): Promise<readonly Walker[]> {
    const going: Walker[] = [];
    for (const walker of walkers) {
      const { generation, state } = walker;
      if (generation.partitions.length > 1) {
        const live = await liveBookmarks(this.#sql, generation);
        walker.live = live ? leastOf(live) : Infinity;
      }
      if (state.bookmark <= walker.live) going.push(walker);
    }
    const after = Math.min(...going.map(({ state }) => state.bookmark));
    return going.filter(({ state }) => state.bookmark === after);
  }

  /** The log or the database is away, for all of them. */
  async #pause(walkers: readonly Walker[], error: unknown): Promise<void> {
    await Promise.all(walkers.map((walker) => walker.failed(this.#sql, error)));
    await sleep(retryMs);
  }

  async #finish(group: readonly Walker[], page: LoadedPage): Promise<void> {
    let finished = 0;
    for (const walker of group) if (await this.#step(walker, page)) finished++;
    if (finished === 0) await sleep(levelMs);
  }

  /** Answers whether the others need not wait for anything. One that fails, or whose step takes long, leaves them. */
  async #step(walker: Walker, page: LoadedPage): Promise<boolean> {
    const step = this.#advance(walker, page);
    const came = await soon(step).catch(() => undefined);
    if (came === undefined)
      this.#leaveAlone(
        walker,
        step.catch((error: unknown) => this.#retry(walker, error)),
      );
    return came ?? true;
  }

  /** Lets the others go on without it until `over` resolves. */
  #leaveAlone(walker: Walker, over: Promise<unknown>): void {
    walker.isApart = true;
    if (this.#signal.aborted) walker.reject(this.#signal.reason);
    void over.then(() => {
      walker.isApart = false;
      this.#begin();
    });
  }

  /**
   * Answers whether the walker came further. A page that goes beyond the live generation is the last one, if both can be
   * brought level by it.
   */
  async #advance(walker: Walker, page: LoadedPage): Promise<boolean> {
    const { generation, state } = walker;
    const isAtEnd = page.scannedTo <= state.bookmark;
    const isLast = isAtEnd || page.scannedTo > walker.live;
    if (isLast && (await this.#compare(walker, page))) return true;
    if (!isAtEnd) {
      walker.state = generation.takesNothing(page, state)
        ? await this.#advances.pass(generation, state, page.scannedTo)
        : await generation.apply(page, state, { rebuild: true });
      walker.tell(this.#head);
    }
    await walker.goesOn(this.#sql);
    return !isAtEnd;
  }

  /** Tries one that failed by itself, at growing intervals, until it goes on. Resolves in any case. */
  async #retry(walker: Walker, failure: unknown): Promise<void> {
    for (let error = failure; !walker.ended.aborted;) {
      if (!isTransient(error) || this.#signal.aborted) return walker.reject(error);
      await walker.failed(this.#sql, error);
      await pause(walker.nextPause(), walker.ended);
      if (walker.ended.aborted) return;
      try {
        await this.#again(walker);
        return;
      } catch (again) {
        error = again;
      }
    }
  }

  async #again(walker: Walker): Promise<void> {
    const before = walker.state.bookmark;
    await this.#standAgain(walker);
    const { bookmark } = walker.state;
    if (bookmark > before) await walker.goesOn(this.#sql);
    await this.#advance(walker, await this.#read(bookmark));
  }

  /** What failed may have been written all the same, or in part. */
  async #standAgain(walker: Walker): Promise<void> {
    try {
      walker.state = await walker.generation.bookmarkState();
    } catch (error) {
      // Its generation is gone: another rebuild took its place, or it was given up.
      if (error instanceof BookmarkMoved) walker.reject(error);
      throw error;
    }
  }

  async #compare(walker: Walker, page: LoadedPage): Promise<boolean> {
    const { generation, compareFrom, differed } = walker;
    const ahead = generation.partitions.length > 1 ? page : undefined;
    const comparison = { ahead, from: compareFrom, final: differed === furtherComparisons };
    try {
      const result = await compareWithLive(this.#sql, generation, comparison);
      if (result) walker.resolve(result);
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
}

/** What `step` answers, or undefined where it has not come to an end within the patience of the others. */
async function soon(step: Promise<boolean>): Promise<boolean | undefined> {
  const over = new AbortController();
  const patience = sleep(patienceMs, undefined, { signal: over.signal }).catch(() => undefined);
  try {
    return await Promise.race([step, patience]);
  } finally {
    over.abort();
  }
}
