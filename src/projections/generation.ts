import type { LoadedEvent, LoadedPage, UnreadableEvent } from '../ports/event-store.ts';
import { maxPageSize, totalSize } from '../support/recorded-size.ts';
import type { Sql, SqlExecutor, TransactionOptions } from '../ports/sql.ts';
import { allDone } from './all-done.ts';
import { BookmarkTable, type Move, type BookmarkState } from './bookmarks.ts';
import { PipelinedCommitter } from './pipelined-committer.ts';
import { ParkedTable } from './parked-table.ts';
import { isTransient, isOutOfMemory } from '../processors/transient.ts';
import { undivided, type Bookmarks, type Partitioning } from './partitions.ts';
import { nothing } from './write.ts';
import { applyIn, tablesOf, type EarlyWrites, type Projection, type Tables } from './projection.ts';

/** Maximum number of events in one transaction of a live generation: searches wait for its end. */
const mostEvents = 1_000;
/** Concurrent transactions of one generation: the other read models use the remaining connections. */
const maxEarlyTransactions = 3;

/** A move of some partitions with the events that it applies. */
interface Step extends Move {
  readonly events: readonly LoadedEvent[];
}

/** A generation cannot be brought to the bookmarks of another one now. */
export class NotLevel extends Error {
  override readonly name = 'NotLevel';
}

/**
 * One generation of one projection: its tables, and the bookmark and the parked streams of each partition. Every batch is applied in
 * the transaction that moves the bookmark, guarded by the bookmark that was read.
 */
export class Generation {
  readonly projection: Projection;
  readonly number: number;
  readonly tables: Tables;
  readonly partitions: readonly string[];
  readonly bookmarks: BookmarkTable;
  readonly parked: ParkedTable;
  readonly #sql: Sql;
  #lastTransaction: Promise<unknown> = Promise.resolve();
  readonly #partitioning: Partitioning;
  readonly #handled: ReadonlySet<string>;
  readonly #committer: PipelinedCommitter<Step, unknown>;

  constructor(sql: Sql, projection: Projection, number: number, partitioning: Partitioning = undivided) {
    this.#sql = sql;
    this.#partitioning = partitioning;
    this.projection = projection;
    this.#handled = new Set(projection.handles);
    this.number = number;
    this.tables = tablesOf(number);
    this.bookmarks = new BookmarkTable(sql, projection.name, number);
    this.parked = new ParkedTable(projection.name, number);
    this.partitions = partitioning.partitionsOf(projection);
    this.#committer = new PipelinedCommitter<Step, unknown>({
      maxSize: 1,
      // As a share of the largest transaction.
      sizeOf: ({ events }) => Math.max(events.length / this.#liveBatchSize, totalSize(events) / maxPageSize),
      prepare: (steps) => this.#prepare(steps),
      write: (steps, prepared) => this.#write(steps, prepared),
    });
  }

  /** Unique among the generations of all projections. */
  get key(): string {
    return `${this.projection.name}/${this.number}`;
  }

  /** The state of partitions, by default of all. Rejects with `BookmarkMoved` if they have different bookmarks. */
  async bookmarkState(partitions: readonly string[] = this.partitions): Promise<BookmarkState> {
    const [first, ...others] = await this.bookmarks.states(partitions);
    const { bookmark } = first!;
    if (others.some((other) => other.bookmark !== bookmark)) throw this.bookmarks.moved();
    return {
      partitions,
      bookmark,
      parked: new Set([first!, ...others].flatMap(({ parked }) => [...parked])),
    };
  }

  /**
   * Applies the events of a page that begins after `state` and belong to its partitions. Returns the new state. An event that cannot be
   * applied parks its stream. Rejects if the database or an embedder is unavailable; the page must then be applied again.
   */
  async apply(
    page: LoadedPage,
    state: BookmarkState,
    { rebuild = false }: { rebuild?: boolean } = {},
  ): Promise<BookmarkState> {
    const size = rebuild ? Infinity : this.#liveBatchSize;
    const mine = this.#mine(page.events, state);
    const poison = page.unreadable.filter((event) => this.#isDue(event, event.type, state));
    let now = state;
    if (poison.length === 0) {
      try {
        for (const { events, to } of slices(mine, size, page.scannedTo))
          now = await this.#writeStep({ events, to, state: now }, { alone: false });
        return now;
      } catch (error) {
        if (isTransient(error) && !isOutOfMemory(error)) throw error;
      }
    }
    return this.#writeOneByOne(this.#mine(mine, now), poison, page.scannedTo, now);
  }

  /**
   * Brings each partition from its bookmark in `from` to the one in `to`, those of another generation, inside `tx`, which holds the
   * locks on both. `page` begins at or before the lowest bookmark of `from`. Rejects with `NotLevel` if the other generation is beyond
   * the page, or an event cannot be applied; `tx` must then be rolled back. The regular processing finds the event that fails.
   */
  async level(tx: SqlExecutor, from: Bookmarks, to: Bookmarks, page: LoadedPage): Promise<void> {
    const parked = new Set(await this.parked.streams(tx));
    const isDue = ({ stream, position }: Pick<LoadedEvent, 'stream' | 'position'>, type: string): boolean => {
      const partition = this.#partitioning.partitionOf(stream);
      const isBetween = position > (from.get(partition) ?? Infinity) && position <= (to.get(partition) ?? 0);
      return isBetween && this.#handled.has(type) && !parked.has(stream);
    };
    const behind = [...to].filter(([partition, position]) => position > (from.get(partition) ?? position));
    const isOutside = behind.some(([, position]) => position > page.scannedTo);
    if (isOutside || page.unreadable.some((event) => isDue(event, event.type)))
      throw new NotLevel('too far behind the live one');
    const events = page.events.filter((event) => isDue(event, event.event.type));
    await tx.query(
      `update read.bookmarks b set bookmark = a.reached from unnest($3::text[], $4::bigint[]) as a(partition, reached)
       where b.name = $1 and b.generation = $2 and b.partition = a.partition`,
      [
        this.projection.name,
        this.number,
        behind.map(([partition]) => partition),
        behind.map(([, position]) => position),
      ],
    );
    if (events.length === 0) return;
    try {
      await applyIn(tx, this.projection, this.tables, events, await this.prepare(events, tx));
    } catch (error) {
      if (isTransient(error)) throw error;
      throw new NotLevel('cannot be brought level with the live one now', { cause: error });
    }
  }

  /**
   * Whether no event of a page is to be applied or parked, so that only the bookmark moves. False for several partitions that move
   * together, and if a stream is parked: it may be released before the bookmark is written, and its events are then due.
   */
  takesNothing({ events, unreadable }: LoadedPage, state: BookmarkState): boolean {
    return (
      state.partitions.length === 1 &&
      state.parked.size === 0 &&
      !events.some((event) => this.#isDue(event, event.event.type, state)) &&
      !unreadable.some((event) => this.#isDue(event, event.type, state))
    );
  }

  /** Whether an event of this stream and type belongs to the partition and is handled by the projection. */
  takes(partition: string, stream: string, type: string): boolean {
    return this.#handled.has(type) && this.#partitioning.partitionOf(stream) === partition;
  }

  async digest(executor: SqlExecutor = this.#sql): Promise<string> {
    const [digest] = await digestsOf([this], executor);
    return digest!;
  }

  #mine(events: readonly LoadedEvent[], state: BookmarkState): LoadedEvent[] {
    return events.filter((event) => this.#isDue(event, event.event.type, state));
  }

  #isDue(
    { stream, position }: Pick<LoadedEvent, 'stream' | 'position'>,
    type: string,
    { partitions, bookmark, parked }: BookmarkState,
  ): boolean {
    return (
      position > bookmark &&
      this.#handled.has(type) &&
      !parked.has(stream) &&
      (partitions.length === this.partitions.length ||
        partitions.includes(this.#partitioning.partitionOf(stream)))
    );
  }

  get #liveBatchSize(): number {
    const { batchSize = Infinity, largeBatchSize = mostEvents } = this.projection;
    return this.#sql.connections > 1 ? largeBatchSize : batchSize;
  }

  /** Runs `prepare` of the projection, if it has one. */
  async prepare(
    events: readonly LoadedEvent[],
    sql: SqlExecutor = this.#sql,
    early?: EarlyWrites,
  ): Promise<unknown> {
    if (events.length === 0 || !this.projection.prepare) return undefined;
    return this.projection.prepare(events, { sql, tables: this.tables, generation: this.number, early });
  }

  /**
   * A transaction that writes to the tables of the generation, one at a time in all processes. Partitions write to common rows, such as
   * the sums of a tenant, and could deadlock. Also, a transaction that waits for a bookmark would count the parked streams as they were
   * before it waited.
   */
  transaction<Result>(
    body: (tx: SqlExecutor) => Promise<Result>,
    options: TransactionOptions = {},
  ): Promise<Result> {
    if (this.#sql.connections === 1) return this.#sql.transaction(body, options);
    const own = this.#lastTransaction.then(() =>
      this.#sql.transaction(async (tx) => {
        await tx.query('select pg_advisory_xact_lock(727003, hashtext($1))', [this.key]);
        return body(tx);
      }, options),
    );
    this.#lastTransaction = own.catch(() => undefined);
    return own;
  }

  /** Writes a step, alone or in one transaction with the steps of other partitions. */
  async #writeStep(step: Step, { alone }: { alone: boolean }): Promise<BookmarkState> {
    const { state, to } = step;
    const isOneOfMany = state.partitions.length < this.partitions.length;
    if (isOneOfMany && !alone) await this.#committer.add(step);
    else await this.#write([step], await this.#prepare([step]));
    return { ...state, bookmark: to };
  }

  #prepare(steps: readonly Step[]): Promise<unknown> {
    const events = eventsOf(steps);
    const { batchSize = Infinity } = this.projection;
    const lanes = this.#sql.connections > 1 ? maxEarlyTransactions : 1;
    const transaction = (body: (tx: SqlExecutor) => Promise<void>): Promise<void> =>
      this.#sql.transaction(
        async (tx) => {
          await this.bookmarks.hold(
            tx,
            steps.map(({ state }) => state),
          );
          await body(tx);
        },
        { durable: false },
      );
    const paysOff = lanes > 1 || events.length > batchSize;
    return this.prepare(events, this.#sql, paysOff ? { lanes, transaction } : undefined);
  }

  async #write(steps: readonly Step[], prepared: unknown): Promise<void> {
    const events = eventsOf(steps);
    const write =
      events.length === 0 ? nothing : await this.projection.plan(events, this.#sql, this.tables, prepared);
    await this.transaction((tx) => allDone([this.bookmarks.move(tx, steps), write(tx)]), { durable: false });
  }

  /** The slow path after a page has failed: finds the events that fail and applies all others. */
  async #writeOneByOne(
    events: readonly LoadedEvent[],
    poison: readonly UnreadableEvent[],
    to: number,
    state: BookmarkState,
  ): Promise<BookmarkState> {
    let now = state;
    const steps = [...events, ...poison].sort((left, right) => left.position - right.position);
    for (const step of steps) {
      if (now.parked.has(step.stream)) continue;
      if ('error' in step) {
        now = await this.#park(step, step.error, now);
        continue;
      }
      try {
        now = await this.#writeStep({ events: [step], to: step.position, state: now }, { alone: true });
      } catch (error) {
        if (isTransient(error)) throw error;
        now = await this.#park({ ...step, type: step.event.type }, error, now);
      }
    }
    return this.#writeStep({ events: [], to, state: now }, { alone: true });
  }

  async #park(
    event: Pick<UnreadableEvent, 'stream' | 'revision' | 'position' | 'type'>,
    error: unknown,
    state: BookmarkState,
  ): Promise<BookmarkState> {
    const message = error instanceof Error ? error.message : String(error);
    await this.transaction(async (tx) => {
      await this.bookmarks.move(tx, [{ state, to: event.position }]);
      await this.parked.add(tx, this.#partitioning.partitionOf(event.stream), event, message);
    });
    const { partitions, parked } = state;
    return { partitions, bookmark: event.position, parked: new Set([...parked, event.stream]) };
  }
}

/** The digests of generations, all read at once: another generation may be changing what they share, such as the kept vectors. */
export async function digestsOf(
  generations: readonly Generation[],
  executor: SqlExecutor,
): Promise<string[]> {
  const queries = generations.map(({ projection, tables }) => `(${projection.digest(tables)})`);
  const [row] = await executor.query<{ digests: string[] }>(`select array[${queries.join(', ')}] as digests`);
  return Promise.all(
    generations.map(async ({ projection, number, tables }, index) => {
      const own = row!.digests[index]!;
      return projection.external
        ? `${own} ${await projection.external.digest(number, executor, tables)}`
        : own;
    }),
  );
}

/** The events of the steps, in order within each partition. */
function eventsOf(steps: readonly Step[]): readonly LoadedEvent[] {
  return steps.length === 1 ? steps[0]!.events : steps.flatMap(({ events }) => events);
}

/** Splits a page into transactions, by number and size of events. The last one moves the bookmark to the end of the page. */
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
