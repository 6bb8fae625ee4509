import { SpanKind } from '@opentelemetry/api';
import type { LoadedEvent, LoadedPage, UnreadableEvent } from '../ports/event-store.ts';
import type { Sql, SqlExecutor, TransactionOptions } from '../ports/sql.ts';
import { allDone } from '../support/all-done.ts';
import { maxPageSize, totalSize } from '../support/recorded-size.ts';
import { continuing, inSpan, isTracing } from '../support/tracing.ts';
import { CheckpointTable, type Checkpoint, type Move } from './checkpoints.ts';
import { nothing, type EarlyWrites, type Handler } from './handler.ts';
import { ParkedTable } from './parked-table.ts';
import type { Partitioning } from './partitions.ts';
import { PipelinedCommitter } from './pipelined-committer.ts';
import { isOutOfMemory, isTransient } from './transient.ts';

/** Maximum number of events in one transaction of a follower: searches wait for its end. */
const maxEvents = 1_000;
/** Concurrent transactions of one follower: the others use the remaining connections. */
const maxEarlyTransactions = 3;

/** A move of some partitions with the events that it applies. */
interface Step extends Move {
  readonly events: readonly LoadedEvent[];
}

export interface ApplyOptions {
  /** Whole pages in one transaction: nothing else waits for it. */
  readonly rebuild?: boolean;
  /** Rejects with the error of an event that cannot be handled, instead of parking its stream. */
  readonly strict?: boolean;
  /** Receives the error of each event whose stream is parked. */
  readonly onParked?: (error: unknown) => void;
}

/**
 * What follows the log: a generation of a read model, or a reactor. It has a checkpoint and parked streams in each partition. Every batch
 * is applied in the transaction that moves the checkpoint, guarded by the checkpoint that was read, so an outdated process writes
 * nothing and no event takes effect twice.
 */
export class Follower {
  readonly name: string;
  /** 0 for a reactor. */
  readonly number: number;
  readonly handler: Handler;
  readonly partitions: readonly string[];
  readonly checkpoints: CheckpointTable;
  readonly parked: ParkedTable;
  protected readonly sql: Sql;
  protected readonly partitioning: Partitioning;
  readonly #handled: ReadonlySet<string>;
  readonly #committer: PipelinedCommitter<Step, unknown>;
  #lastTransaction: Promise<unknown> = Promise.resolve();

  constructor(
    sql: Sql,
    { name, number }: { readonly name: string; readonly number: number },
    handler: Handler,
    partitioning: Partitioning,
  ) {
    this.sql = sql;
    this.name = name;
    this.number = number;
    this.handler = handler;
    this.partitioning = partitioning;
    this.partitions = partitioning.partitionsOf(handler);
    this.checkpoints = new CheckpointTable(sql, name, number);
    this.parked = new ParkedTable(name, number);
    this.#handled = new Set(handler.handles);
    this.#committer = new PipelinedCommitter<Step, unknown>({
      maxSize: 1,
      // As a share of the largest transaction.
      sizeOf: ({ events }) => Math.max(events.length / this.#batchSize, totalSize(events) / maxPageSize),
      prepare: (steps) => this.#prepare(steps),
      write: (steps, prepared) => this.#write(steps, prepared),
    });
  }

  /** Unique among all followers. */
  get key(): string {
    return `${this.name}/${this.number}`;
  }

  /** The state of partitions, by default of all. Rejects with `CheckpointMoved` if their checkpoints differ. */
  async checkpoint(partitions: readonly string[] = this.partitions): Promise<Checkpoint> {
    const [first, ...others] = await this.checkpoints.states(partitions);
    const { position } = first!;
    if (others.some((other) => other.position !== position)) throw this.checkpoints.moved();
    return {
      partitions,
      position,
      parked: new Set([first!, ...others].flatMap(({ parked }) => [...parked])),
    };
  }

  /**
   * Applies the events of a page that begins after `state` and belong to its partitions. Returns the new state. An event that cannot be
   * applied parks its stream. Rejects if the database, the log or a model is unavailable; the page must then be applied again.
   */
  async apply(page: LoadedPage, state: Checkpoint, options: ApplyOptions = {}): Promise<Checkpoint> {
    const due = this.#due(page.events, state);
    // A rebuild applies everything that ever happened: its spans would say nothing.
    const isTraced = isTracing() && !options.rebuild;
    const place = isTraced ? continuing(due.map(({ metadata }) => metadata)) : undefined;
    if (!place) return this.#apply(page, due, state, options);
    const what = {
      name: `apply ${this.name}`,
      kind: SpanKind.CONSUMER,
      attributes: { 'stratalog.follower': this.name, 'stratalog.log.events': due.length },
      ...place,
    };
    return inSpan(what, () => this.#apply(page, due, state, options));
  }

  async #apply(
    page: LoadedPage,
    due: readonly LoadedEvent[],
    state: Checkpoint,
    options: ApplyOptions,
  ): Promise<Checkpoint> {
    const size = options.rebuild ? Infinity : this.#batchSize;
    const unreadable = page.unreadable.filter((event) => this.#isDue(event, event.type, state));
    let now = state;
    if (unreadable.length === 0) {
      try {
        for (const { events, to } of slices(due, size, page.scannedTo))
          now = await this.#writeStep({ events, to, state: now }, { alone: false });
        return now;
      } catch (error) {
        if (options.strict || (isTransient(error) && !isOutOfMemory(error))) throw error;
      }
    }
    return this.#applyOneByOne([...this.#due(due, now), ...unreadable], page.scannedTo, now, options);
  }

  /**
   * Whether no event of a page is to be applied or parked, so that only the checkpoint moves. False for several partitions that move
   * together, and if a stream is parked: it may be released before the checkpoint is written, and its events are then due.
   */
  takesNothing({ events, unreadable }: LoadedPage, state: Checkpoint): boolean {
    return (
      state.partitions.length === 1 &&
      state.parked.size === 0 &&
      !events.some((event) => this.isDue(event, state)) &&
      !unreadable.some((event) => this.#isDue(event, event.type, state))
    );
  }

  /** Whether an event of this stream and type belongs to the partition and is handled. */
  takes(partition: string, stream: string, type: string): boolean {
    return this.#handled.has(type) && this.partitioning.partitionOf(stream) === partition;
  }

  /** Does the work of the handler that needs no transaction. */
  async prepare(
    events: readonly LoadedEvent[],
    sql: SqlExecutor = this.sql,
    early?: EarlyWrites,
  ): Promise<unknown> {
    return events.length === 0 ? undefined : this.handler.prepare(events, { sql, early });
  }

  /** Plans and writes the effect of `events` inside `tx`. */
  async applyIn(tx: SqlExecutor, events: readonly LoadedEvent[], prepared: unknown): Promise<void> {
    const write = await this.handler.plan(events, tx, prepared);
    await write(tx);
  }

  /**
   * A transaction of the follower, one at a time in all processes. Partitions write to common rows, such as the sums of a tenant, and
   * could deadlock. Also, a transaction that waits for a checkpoint would count the parked streams as they were before it waited.
   */
  transaction<Result>(
    body: (tx: SqlExecutor) => Promise<Result>,
    options: TransactionOptions = {},
  ): Promise<Result> {
    if (this.sql.connections === 1) return this.sql.transaction(body, options);
    const own = this.#lastTransaction.then(() =>
      this.sql.transaction(async (tx) => {
        await tx.query('select pg_advisory_xact_lock(727003, hashtext($1))', [this.key]);
        return body(tx);
      }, options),
    );
    this.#lastTransaction = own.catch(() => undefined);
    return own;
  }

  protected isDue(event: LoadedEvent, state: Checkpoint): boolean {
    return this.#isDue(event, event.event.type, state);
  }

  protected isHandled(type: string): boolean {
    return this.#handled.has(type);
  }

  #due(events: readonly LoadedEvent[], state: Checkpoint): LoadedEvent[] {
    return events.filter((event) => this.isDue(event, state));
  }

  #isDue(
    event: Pick<LoadedEvent, 'stream' | 'position'>,
    type: string,
    { partitions, position, parked }: Checkpoint,
  ): boolean {
    return (
      event.position > position &&
      this.#handled.has(type) &&
      !parked.has(event.stream) &&
      (partitions.length === this.partitions.length ||
        partitions.includes(this.partitioning.partitionOf(event.stream)))
    );
  }

  get #batchSize(): number {
    const { batchSize = Infinity, largeBatchSize = maxEvents } = this.handler;
    return this.sql.connections > 1 ? largeBatchSize : batchSize;
  }

  /** Writes a step, alone or in one transaction with the steps of other partitions. */
  async #writeStep(step: Step, { alone }: { alone: boolean }): Promise<Checkpoint> {
    const { state, to } = step;
    const isOneOfMany = state.partitions.length < this.partitions.length;
    if (isOneOfMany && !alone) await this.#committer.add(step);
    else await this.#write([step], await this.#prepare([step]));
    return { ...state, position: to };
  }

  #prepare(steps: readonly Step[]): Promise<unknown> {
    const events = eventsOf(steps);
    const { batchSize = Infinity } = this.handler;
    const lanes = this.sql.connections > 1 ? maxEarlyTransactions : 1;
    const transaction = (body: (tx: SqlExecutor) => Promise<void>): Promise<void> =>
      this.sql.transaction(
        async (tx) => {
          await this.checkpoints.hold(
            tx,
            steps.map(({ state }) => state),
          );
          await body(tx);
        },
        { durable: false },
      );
    const savesTime = lanes > 1 || events.length > batchSize;
    return this.prepare(events, this.sql, savesTime ? { lanes, transaction } : undefined);
  }

  async #write(steps: readonly Step[], prepared: unknown): Promise<void> {
    const events = eventsOf(steps);
    const write = events.length === 0 ? nothing : await this.handler.plan(events, this.sql, prepared);
    await this.transaction((tx) => allDone([this.checkpoints.move(tx, steps), write(tx)]), {
      durable: false,
    });
  }

  /** The slow path after a page has failed: finds the events that fail, parks their streams, and applies all others. */
  async #applyOneByOne(
    events: readonly (LoadedEvent | UnreadableEvent)[],
    to: number,
    state: Checkpoint,
    { strict = false, onParked }: ApplyOptions,
  ): Promise<Checkpoint> {
    let now = state;
    const park = async (event: Parkable, error: unknown): Promise<void> => {
      now = await this.#park(event, error, now);
      onParked?.(error);
    };
    for (const event of events.toSorted((left, right) => left.position - right.position)) {
      if (now.parked.has(event.stream)) continue;
      if ('error' in event) {
        await park(event, event.error);
        continue;
      }
      try {
        now = await this.#writeStep({ events: [event], to: event.position, state: now }, { alone: true });
      } catch (error) {
        if (strict || isTransient(error)) throw error;
        await park({ ...event, type: event.event.type }, error);
      }
    }
    return this.#writeStep({ events: [], to, state: now }, { alone: true });
  }

  async #park(event: Parkable, error: unknown, state: Checkpoint): Promise<Checkpoint> {
    await this.transaction(async (tx) => {
      await this.checkpoints.move(tx, [{ state, to: event.position }]);
      await this.parked.add(tx, this.partitioning.partitionOf(event.stream), event, error);
    });
    const { partitions, parked } = state;
    return { partitions, position: event.position, parked: new Set([...parked, event.stream]) };
  }
}

type Parkable = Pick<UnreadableEvent, 'stream' | 'revision' | 'position' | 'type'>;

/** The events of the steps, in order within each partition. */
function eventsOf(steps: readonly Step[]): readonly LoadedEvent[] {
  return steps.length === 1 ? steps[0]!.events : steps.flatMap(({ events }) => events);
}

/** Splits a page into transactions, by number and size of events. The last one moves the checkpoint to the end of the page. */
function* slices(
  events: readonly LoadedEvent[],
  most: number,
  end: number,
): Generator<{ events: readonly LoadedEvent[]; to: number }> {
  let from = 0;
  let size = 0;
  for (const [n, event] of events.slice(0, -1).entries()) {
    size += event.size;
    if (n + 1 - from < most && size < maxPageSize) continue;
    yield { events: events.slice(from, n + 1), to: event.position };
    from = n + 1;
    size = 0;
  }
  yield { events: events.slice(from), to: end };
}
