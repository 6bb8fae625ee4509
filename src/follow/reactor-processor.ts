import type { EventStore, LoadedPage } from '../ports/event-store.ts';
import type { Sql } from '../ports/sql.ts';
import { KeyedMutex } from '../support/keyed-mutex.ts';
import { pause } from '../support/pause.ts';
import type { Checkpoint } from './checkpoints.ts';
import { followLog } from './follow-log.ts';
import { Follower } from './follower.ts';
import { nothing, type Handler, type Write } from './handler.ts';
import { askedOf, done, type Asked } from './reactor-operations.ts';
import { retryParked, skipParked } from './parked-streams.ts';
import { onePartition } from './partitions.ts';
import { CheckpointMoved, type EventProcessor, type Term } from './processor.ts';
import type { Reactor } from './reactor.ts';
import { isTransient } from './transient.ts';

const pageSize = 500;
/** Shortest time between two writes of a checkpoint that moved only past events of other processors. */
const idleWriteMs = 10_000;
/** How soon a request of an operator is seen. */
const askedMs = 500;
/** The cause of a failure is often outside, such as a language model: parked streams are tried again by themselves. */
const parkedRetryMs = 30_000;
const neverAborted = new AbortController().signal;

export interface ReactorOptions {
  readonly sql: Sql;
  readonly store: EventStore;
  /** Receives the error of each event whose stream is parked. */
  readonly onParked: (error: unknown) => void;
}

function followerOf(reactor: Reactor, { sql, store }: ReactorOptions, signal: AbortSignal): Follower {
  const handler: Handler<Write> = {
    handles: reactor.handles,
    routingOnly: reactor.routingOnly,
    prepare: async (events) => (await reactor.handle(events, { signal })) ?? nothing,
    plan: (_events, _executor, effects) => Promise.resolve(effects),
  };
  return new Follower(sql, { name: reactor.name, number: 0 }, handler, onePartition(store.log.logId));
}

/** Runs a reactor: reads the events that it handles from the log. */
export class ReactorProcessor implements EventProcessor {
  readonly sharing = 'lease';
  readonly #reactor: Reactor;
  readonly #options: ReactorOptions;
  #writtenAt = -Infinity;

  constructor(reactor: Reactor, options: ReactorOptions) {
    this.#reactor = reactor;
    this.#options = options;
  }

  get name(): string {
    return this.#reactor.name;
  }

  async run(term: Term): Promise<void> {
    const { handles, lingerMs, routingOnly } = this.#reactor;
    const { signal } = term;
    const follower = followerOf(this.#reactor, this.#options, signal);
    let [state] = (await follower.checkpoints.begin(follower.partitions)) as [Checkpoint];
    // Pages and retries of parked streams must not overlap: both change what is parked.
    const mutex = new KeyedMutex();
    const tending = this.#tendParked(
      signal,
      () => state.parked.size > 0,
      (asked) =>
        mutex.run(this.name, async () => {
          await this.#retryParked(follower, asked);
          state = await follower.checkpoint();
        }),
    ).catch((error: unknown) => term.fail(error));
    const pages = this.#options.store.subscribe({
      after: state.position,
      filter: { types: handles },
      routingOnly,
      ...(lingerMs !== undefined && { lingerMs }),
      signal,
    });
    await followLog(term, state.position, pages, (page) =>
      mutex.run(this.name, async () => {
        state = await this.#take(follower, page, state);
        term.reached(page.scannedTo);
      }),
    );
    await tending;
  }

  /**
   * Handles everything that the log holds by now, without a lease: for work that must be complete before the process serves
   * requests. Other processes may do the same at once. Rejects with the first error of the reactor, and parks nothing but
   * events that cannot be read.
   */
  async catchUp(): Promise<void> {
    for (;;) {
      try {
        return await this.#catchUp();
      } catch (error) {
        if (!(error instanceof CheckpointMoved)) throw error;
      }
    }
  }

  async #catchUp(): Promise<void> {
    const { store, onParked } = this.#options;
    const follower = followerOf(this.#reactor, this.#options, neverAborted);
    await follower.checkpoints.begin(follower.partitions);
    await this.#retryParked(follower, undefined, { strict: true });
    let state = await follower.checkpoint();
    for (;;) {
      const page = await store.readAll({
        after: state.position,
        limit: pageSize,
        filter: { types: this.#reactor.handles },
        routingOnly: this.#reactor.routingOnly,
      });
      if (page.scannedTo <= state.position) return;
      state = await follower.apply(page, state, { strict: true, onParked });
    }
  }

  /** A checkpoint that moves only past other events is written now and then, to shorten the next start. */
  async #take(follower: Follower, page: LoadedPage, state: Checkpoint): Promise<Checkpoint> {
    const isEmpty = page.events.length === 0 && page.unreadable.length === 0;
    if (isEmpty && performance.now() < this.#writtenAt + idleWriteMs) return state;
    const next = await follower.apply(page, state, { onParked: this.#options.onParked });
    this.#writtenAt = performance.now();
    return next;
  }

  /** Gives the waiting events of parked streams to the reactor again: of all streams, or of those for which an operator asked. */
  async #retryParked(
    follower: Follower,
    asked: readonly Asked[] | undefined,
    { strict = false }: { strict?: boolean } = {},
  ): Promise<void> {
    const { sql, store, onParked } = this.#options;
    for (const { stream, act, revision } of asked ?? (await this.#allParked(follower))) {
      try {
        if (act === 'skip') await skipParked(follower, store, stream, revision);
        else while (!(await retryParked(follower, { sql, store }, stream))) continue;
      } catch (error) {
        if (strict || isTransient(error)) throw error;
        onParked(error);
      }
      if (act) await done(sql, this.name, stream);
    }
  }

  async #allParked(follower: Follower): Promise<readonly Asked[]> {
    const streams = await follower.parked.streams(this.#options.sql);
    return streams.map((stream) => ({ stream }));
  }

  /** Tries parked streams now and then, and does soon what operators ask for. */
  async #tendParked(
    signal: AbortSignal,
    hasParked: () => boolean,
    retry: (asked: readonly Asked[] | undefined) => Promise<void>,
  ): Promise<void> {
    for (let nextRetry = 0; !signal.aborted; await pause(askedMs, signal)) {
      if (!hasParked()) continue;
      if (performance.now() >= nextRetry) {
        nextRetry = performance.now() + parkedRetryMs;
        await retry(undefined);
      }
      const asked = await askedOf(this.#options.sql, this.name);
      if (asked.length > 0) await retry(asked);
    }
  }
}
