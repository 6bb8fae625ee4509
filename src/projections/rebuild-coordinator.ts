import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStore, LoadedPage } from '../ports/event-store.ts';
import type { Sql } from '../ports/sql.ts';
import { isTransient } from '../follow/transient.ts';
import { abandonAfter } from '../support/resilience/time-limit.ts';
import { WakeUp } from '../support/wake-up.ts';
import { CheckpointWriter } from '../follow/checkpoint-writer.ts';
import { CheckpointMoved } from '../follow/processor.ts';
import type { Generation } from './generation.ts';
import { GenerationFill } from './generation-fill.ts';
import { Pages } from './pages.ts';
import { leastOf } from '../follow/partitions.ts';
import {
  compareWithLive,
  liveCheckpoints,
  NotEqualYet,
  type RebuildProgress,
  type RebuildResult,
} from './rebuild.ts';

const pageSize = 2_000;
/** Pause after the log or the database was unavailable. */
const retryMs = 1_000;
/** How many pages one fill may be ahead of the last: read models take different times for different pages. */
const maxPagesAhead = 4;
/** Pause while the live generation is about to reach the head of the log too. */
const levelMs = 10;
/** How long the other fills wait for a step of one fill. A page that needs no new vectors takes less. */
const patienceMs = 5_000;
const neverAborted = new AbortController().signal;
/** How often digests that differ are compared again. Keys that are destroyed meanwhile can make them differ. */
const maxRepeatedComparisons = 3;

/**
 * Fills new generations from the log, beside the live ones. Generations that are filled at the same time share the pages of the log:
 * the one that is furthest behind goes first, and from then on each page is read and opened once for all. While the database writes the
 * rows of one generation, the rows of another are computed. A fill that fails or takes long is detached until it succeeds again, so the
 * others do not wait for it.
 */
export class RebuildCoordinator {
  readonly #sql: Sql;
  readonly #store: EventStore;
  readonly #signal: AbortSignal;
  readonly #onFailure: (projection: string, error: unknown) => void;
  readonly #fills = new Set<GenerationFill>();
  #running = false;
  readonly #checkpointWriter: CheckpointWriter;
  readonly #pages: Pages;
  /** Head of the log when the last page was read. Reading it at each step would wait each time until the database is free. */
  #head = 0;
  /** The running step of each fill; none of them rejects. */
  readonly #steps = new Map<GenerationFill, Promise<void>>();
  /** Wakes when a step has ended. */
  readonly #stepEnded = new WakeUp();

  /** `signal` ends all fills. `onFailure` is called once for each error that stalls a fill. */
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
      // `#run` rejects the attached ones when their steps have ended.
      for (const fill of this.#fills) if (fill.isDetached) fill.reject(signal.reason);
    });
    this.#onFailure = onFailure;
    this.#checkpointWriter = new CheckpointWriter(sql, { lingerMs: 1, restMs: 0 });
    this.#pages = new Pages((after) => this.#read(after));
  }

  /**
   * Fills `generation` until it has the same checkpoints as the live one, and compares their digests there. It does not switch: queries
   * read the live one until `switchTo`.
   */
  async fill(
    generation: Generation,
    onProgress: (progress: RebuildProgress) => void = () => {},
  ): Promise<RebuildResult> {
    const onFailure = (error: unknown): void => this.#onFailure(generation.projection.name, error);
    const state = await generation.checkpoint();
    const fill = new GenerationFill(generation, state, { onProgress, onFailure });
    fill.ended.addEventListener('abort', () => this.#fills.delete(fill));
    this.#fills.add(fill);
    this.#begin();
    return fill.result;
  }

  /** Rejects the fill of `generation` with `reason`, if it is running. A step of it may still end. */
  end(generation: Pick<Generation, 'key'>, reason: Error): void {
    for (const fill of this.#fills) if (fill.generation.key === generation.key) fill.reject(reason);
  }

  #begin(): void {
    if (!this.#running) void this.#run();
  }

  async #read(after: number): Promise<LoadedPage> {
    const [page, head] = await Promise.all([
      this.#store.readAll({ after, limit: pageSize }),
      this.#store.log.head(),
    ]);
    this.#head = Math.max(head, page.scannedTo);
    return page;
  }

  get #attached(): readonly GenerationFill[] {
    return [...this.#fills].filter(({ isDetached }) => !isDetached);
  }

  async #run(): Promise<void> {
    this.#running = true;
    for (let fills = this.#attached; fills.length > 0; fills = this.#attached) {
      const seen = this.#stepEnded.count;
      try {
        this.#signal.throwIfAborted();
        const group = await this.#next(fills);
        if (group.length === 0) {
          await this.#stepEnded.after(seen, levelMs, neverAborted);
          continue;
        }
        const after = group[0]!.state.position;
        const page = await this.#pages.after(after);
        if (page.scannedTo > after) for (const fill of group) this.#startStep(fill, page);
        else await this.#finish(group, page);
      } catch (error) {
        if (isTransient(error) && !this.#signal.aborted) await this.#pause(fills, error);
        else await this.#rejectAll(fills, error);
      }
    }
    this.#pages.dropBefore(Infinity);
    this.#running = false;
  }

  /** The fills that take the next step, all at one checkpoint. None gets far ahead of the last one, so few pages are kept. */
  async #next(fills: readonly GenerationFill[]): Promise<readonly GenerationFill[]> {
    const last = Math.min(...fills.map(({ state }) => state.position));
    this.#pages.dropBefore(last);
    const group = await this.#furthestBehind(fills.filter((fill) => !this.#steps.has(fill)));
    let limit = last;
    for (let n = 0; n < maxPagesAhead; n++) limit = this.#pages.endOf(limit) ?? limit;
    return (group[0]?.state.position ?? last) <= limit ? group : [];
  }

  /** Steps of several fills run concurrently. */
  #startStep(fill: GenerationFill, page: LoadedPage): void {
    const step = this.#step(fill, page).then(() => {
      this.#steps.delete(fill);
      this.#stepEnded.wake();
    });
    this.#steps.set(fill, step);
  }

  /** Rejects fills after all running steps have ended. */
  async #rejectAll(fills: readonly GenerationFill[], error: unknown): Promise<void> {
    await Promise.all(this.#steps.values());
    for (const fill of fills) fill.reject(error);
  }

  /**
   * Returns the fills with the lowest checkpoint. With several partitions, the checkpoints of the live generation move one by one. There a
   * fill does not overtake the live generation: it waits until every partition of the latter has reached its checkpoint.
   */
  async #furthestBehind(fills: readonly GenerationFill[]): Promise<readonly GenerationFill[]> {
    const ready: GenerationFill[] = [];
    for (const fill of fills) {
      const { generation, state } = fill;
      if (generation.partitions.length > 1) {
        const live = await liveCheckpoints(this.#sql, generation);
        fill.live = live ? leastOf(live) : Infinity;
      }
      if (state.position <= fill.live) ready.push(fill);
    }
    const after = Math.min(...ready.map(({ state }) => state.position));
    return ready.filter(({ state }) => state.position === after);
  }

  /** The log or the database is unavailable, which stalls all fills. */
  async #pause(fills: readonly GenerationFill[], error: unknown): Promise<void> {
    await Promise.all(fills.map((fill) => fill.failed(this.#sql, error)));
    await sleep(retryMs);
  }

  async #finish(group: readonly GenerationFill[], page: LoadedPage): Promise<void> {
    let finished = 0;
    for (const fill of group) if (await this.#step(fill, page)) finished++;
    if (finished === 0) await sleep(levelMs);
  }

  /** Returns false if the others should pause before the next step. A fill that fails, or takes long, is detached. */
  async #step(fill: GenerationFill, page: LoadedPage): Promise<boolean> {
    const step = this.#advance(fill, page);
    const hasAdvanced = await abandonAfter(patienceMs, () => step).catch(() => undefined);
    if (hasAdvanced === undefined)
      this.#detach(
        fill,
        step.catch((error: unknown) => this.#retry(fill, error)),
      );
    return hasAdvanced ?? true;
  }

  /** Lets the others continue without this fill until `over` resolves. */
  #detach(fill: GenerationFill, over: Promise<unknown>): void {
    fill.isDetached = true;
    if (this.#signal.aborted) fill.reject(this.#signal.reason);
    void over.then(() => {
      fill.isDetached = false;
      this.#begin();
    });
  }

  /** Returns whether the fill has advanced. A page that ends beyond the live generation is the last one if both generations are equal after it. */
  async #advance(fill: GenerationFill, page: LoadedPage): Promise<boolean> {
    const { generation, state } = fill;
    const isAtEnd = page.scannedTo <= state.position;
    const isLast = isAtEnd || page.scannedTo > fill.live;
    if (isLast && (await this.#compare(fill, page))) return true;
    if (!isAtEnd) {
      fill.state = generation.takesNothing(page, state)
        ? await this.#checkpointWriter.pass(generation, state, page.scannedTo)
        : await generation.apply(page, state, { rebuild: true });
      fill.reportProgress(this.#head);
    }
    await fill.succeeded(this.#sql);
    return !isAtEnd;
  }

  /** Retries a detached fill with growing pauses until it advances. Never rejects. */
  async #retry(fill: GenerationFill, failure: unknown): Promise<void> {
    for (let error = failure; !fill.ended.aborted;) {
      if (!isTransient(error) || this.#signal.aborted) return fill.reject(error);
      await fill.failed(this.#sql, error);
      await fill.pause();
      if (fill.ended.aborted) return;
      try {
        await this.#retryOnce(fill);
        return;
      } catch (again) {
        error = again;
      }
    }
  }

  async #retryOnce(fill: GenerationFill): Promise<void> {
    const before = fill.state.position;
    await this.#readState(fill);
    const { position } = fill.state;
    if (position > before) await fill.succeeded(this.#sql);
    await this.#advance(fill, await this.#read(position));
  }

  /** Reads the checkpoint again, because a failed step may still have been written, wholly or in part. */
  async #readState(fill: GenerationFill): Promise<void> {
    try {
      fill.state = await fill.generation.checkpoint();
    } catch (error) {
      // The generation was dropped: another rebuild has replaced it, or the rebuild was ended.
      if (error instanceof CheckpointMoved) fill.reject(error);
      throw error;
    }
  }

  async #compare(fill: GenerationFill, page: LoadedPage): Promise<boolean> {
    const { generation, compareFrom, differed } = fill;
    const ahead = generation.partitions.length > 1 ? page : undefined;
    const comparison = { ahead, from: compareFrom, final: differed === maxRepeatedComparisons };
    try {
      const result = await compareWithLive(this.#sql, generation, comparison);
      if (result) fill.resolve(result);
      return result !== undefined;
    } catch (error) {
      if (!(error instanceof NotEqualYet)) throw error;
      // A key is destroyed after the event of the erasure. Of two generations before that event, one may have read the memory before the
      // key was destroyed. The event that makes them equal is in the log by now.
      fill.compareFrom = await this.#store.log.head();
      fill.differed++;
      return false;
    }
  }
}
