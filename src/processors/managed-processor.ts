import type { EventStore, LoadedEvent, LoadedPage, UnreadableEvent } from '../ports/event-store.ts';
import type { Sql } from '../ports/sql.ts';
import { KeyedMutex } from '../support/keyed-mutex.ts';
import { pause } from '../support/pause.ts';
import { CheckpointTable, type Checkpoint, type ParkedStream } from './checkpoint-table.ts';
import { followLog } from './follow-log.ts';
import type { Effects, ManagerContext, ProcessManager } from './process-manager.ts';
import { CheckpointMoved, type EventProcessor, type Term } from './processor.ts';
import { isTransient } from './transient.ts';

const pageSize = 500;
/** Shortest time between two writes of a checkpoint that moved only past events of other processors. */
const idleWriteMs = 10_000;
const parkedRetryMs = 30_000;
const neverAborted = new AbortController().signal;

export interface ManagedProcessorOptions {
  readonly sql: Sql;
  readonly store: EventStore;
  /** Receives the error of each event whose stream is parked. */
  readonly onParked: (error: unknown) => void;
}

type Parkable = Omit<UnreadableEvent, 'error'>;

/** Runs a process manager: reads the events that it handles from the log, and keeps its checkpoint and parked streams. */
export class ManagedProcessor implements EventProcessor {
  readonly sharing = 'lease';
  readonly #manager: ProcessManager;
  readonly #options: ManagedProcessorOptions;
  readonly #table: CheckpointTable;
  #writtenAt = -Infinity;

  constructor(manager: ProcessManager, options: ManagedProcessorOptions) {
    this.#manager = manager;
    this.#options = options;
    this.#table = new CheckpointTable(options.sql, manager.name, options.store);
  }

  get name(): string {
    return this.#manager.name;
  }

  async run(term: Term): Promise<void> {
    const { handles, lingerMs, routingOnly } = this.#manager;
    const { signal } = term;
    let checkpoint = await this.#table.read();
    // Pages and retries of parked streams must not overlap: both move the checkpoint.
    const mutex = new KeyedMutex();
    const retrying = this.#regularly(signal, () =>
      mutex.run(this.name, async () => {
        checkpoint = await this.#retryParked(checkpoint, { signal });
      }),
    ).catch((error: unknown) => term.fail(error));
    const pages = this.#options.store.subscribe({
      after: checkpoint.position,
      filter: { types: handles },
      routingOnly,
      ...(lingerMs !== undefined && { lingerMs }),
      signal,
    });
    await followLog(term, checkpoint.position, pages, (page) =>
      mutex.run(this.name, async () => {
        checkpoint = await this.#take(page, checkpoint, { signal });
        term.reached(page.scannedTo);
      }),
    );
    await retrying;
  }

  /**
   * Handles everything that the log holds by now, without a lease: for work that must be complete before the process serves
   * requests. Other processes may do the same at once. Rejects with the first error of the manager, and parks nothing but
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
    const context = { signal: neverAborted };
    let checkpoint = await this.#retryParked(await this.#table.read(), context, { strict: true });
    for (let after = checkpoint.position; ; after = checkpoint.position) {
      const page = await this.#options.store.readAll({
        after,
        limit: pageSize,
        filter: { types: this.#manager.handles },
        routingOnly: this.#manager.routingOnly,
      });
      if (page.scannedTo <= after) return;
      checkpoint = await this.#take(page, checkpoint, context, { strict: true });
    }
  }

  /** Returns the checkpoint after the page. */
  async #take(
    page: LoadedPage,
    from: Checkpoint,
    context: ManagerContext,
    { strict = false }: { strict?: boolean } = {},
  ): Promise<Checkpoint> {
    const { events, unreadable, scannedTo } = page;
    if (events.length === 0 && unreadable.length === 0 && !strict) return this.#pass(from, scannedTo);
    const due = events.filter(({ stream }) => !from.parked.has(stream));
    if (due.length === 0 && unreadable.length === 0) return this.#move(from, scannedTo);
    if (unreadable.length === 0) {
      try {
        return await this.#handle(due, from, scannedTo, context);
      } catch (error) {
        if (strict || isTransient(error)) throw error;
      }
    }
    return this.#takeOneByOne(page, from, context, strict);
  }

  /** Finds the events that fail, parks their streams, and handles the others. */
  async #takeOneByOne(
    { events, unreadable, scannedTo }: LoadedPage,
    from: Checkpoint,
    context: ManagerContext,
    strict: boolean,
  ): Promise<Checkpoint> {
    let now = from;
    const steps = [...events, ...unreadable].sort((left, right) => left.position - right.position);
    for (const step of steps) {
      if (now.parked.has(step.stream)) continue;
      if ('error' in step) {
        now = await this.#park(step, step.error, now);
        continue;
      }
      try {
        now = await this.#handle([step], now, step.position, context);
      } catch (error) {
        if (strict || isTransient(error)) throw error;
        now = await this.#park({ ...step, type: step.event.type }, error, now);
      }
    }
    return this.#move(now, scannedTo);
  }

  async #handle(
    events: readonly LoadedEvent[],
    from: Checkpoint,
    to: number,
    context: ManagerContext,
  ): Promise<Checkpoint> {
    const effects = await this.#manager.handle(events, context);
    return this.#move(from, to, effects ?? undefined);
  }

  /**
   * Moves the checkpoint past a part of the log without events for the manager. It is written now and then, to shorten the next start.
   */
  async #pass(from: Checkpoint, to: number): Promise<Checkpoint> {
    return performance.now() < this.#writtenAt + idleWriteMs ? from : this.#move(from, to);
  }

  async #move(from: Checkpoint, to: number, effects?: Effects): Promise<Checkpoint> {
    await this.#options.sql.transaction(async (tx) => {
      await this.#table.move(tx, from, to);
      await effects?.(tx);
    });
    this.#writtenAt = performance.now();
    return { ...from, position: to };
  }

  async #park(event: Parkable, error: unknown, from: Checkpoint): Promise<Checkpoint> {
    await this.#options.sql.transaction(async (tx) => {
      await this.#table.move(tx, from, event.position);
      await this.#table.park(tx, event, error);
    });
    this.#options.onParked(error);
    return { position: event.position, parked: new Set([...from.parked, event.stream]) };
  }

  /** Hands the waiting events of parked streams to the manager again. */
  async #retryParked(
    from: Checkpoint,
    context: ManagerContext,
    { strict = false }: { strict?: boolean } = {},
  ): Promise<Checkpoint> {
    if (from.parked.size === 0) return from;
    let now = from;
    for (const waiting of await this.#table.parked()) {
      try {
        now = await this.#retry(waiting, now, context);
      } catch (error) {
        if (strict || isTransient(error)) throw error;
        this.#options.onParked(error);
        await this.#table.note(waiting.stream, error);
      }
    }
    return now;
  }

  /** Event by event, so that a later failure repeats none of them. */
  async #retry(waiting: ParkedStream, from: Checkpoint, context: ManagerContext): Promise<Checkpoint> {
    const { store, sql } = this.#options;
    const { stream, revision } = waiting;
    const handled: readonly string[] = this.#manager.handles;
    const recorded = (await store.log.readStream(stream, { from: revision })).filter(
      ({ type, position }) => handled.includes(type) && position <= from.position,
    );
    for (const [index, event] of recorded.entries()) {
      const { events, unreadable } = await store.open([event], { routingOnly: this.#manager.routingOnly });
      if (unreadable[0]) {
        await this.#table.note(stream, unreadable[0].error);
        return from;
      }
      const effects = await this.#manager.handle(events, context);
      await sql.transaction(async (tx) => {
        await this.#table.release(tx, from, stream, recorded[index + 1]);
        await effects?.(tx);
      });
    }
    return { ...from, parked: new Set([...from.parked].filter((other) => other !== stream)) };
  }

  async #regularly(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      await work();
      await pause(parkedRetryMs, signal);
    }
  }
}
