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
import { applyIn, tablesOf, type Beside, type Projection, type Tables } from './projection.ts';

/** Events of a live generation that one transaction takes at most: searches wait for what is in them. */
const mostEvents = 1_000;
/** Transactions of one generation: the other read models have the rest of the connections. */
const besideAtOnce = 3;

/** A step of some of the partitions, with the events that it applies. */
interface Step extends Move {
  readonly events: readonly LoadedEvent[];
}

/** A generation cannot be brought level with another one now. */
export class NotLevel extends Error {
  override readonly name = 'NotLevel';
}

/**
 * One generation of one projection: its tables, and the bookmark and the parked streams of each partition. Every page
 * is applied in one transaction with the bookmark, guarded by the bookmark that was read.
 */
export class Generation {
  readonly projection: Projection;
  readonly number: number;
  readonly tables: Tables;
  readonly partitions: readonly string[];
  readonly bookmarks: BookmarkTable;
  readonly parked: ParkedTable;
  readonly #sql: Sql;
  #turn: Promise<unknown> = Promise.resolve();
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
      // The share of a transaction that it fills.
      sizeOf: ({ events }) => Math.max(events.length / this.#liveBatchSize, totalSize(events) / maxPageSize),
      prepare: (steps) => this.#prepare(steps),
      write: (steps, prepared) => this.#write(steps, prepared),
    });
  }

  /** Names it among all generations of all projections. */
  get key(): string {
    return `${this.projection.name}/${this.number}`;
  }

  /** Of partitions that stand at the same bookmark, or rejects with `BookmarkMoved`; of all, where none is named. */
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
   * Applies what a page that begins after `state` holds of its partitions, and answers the new state. An event
   * that cannot be applied parks its stream; a database or an embedder that does not answer rejects, and the page is to
   * be given again.
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
          now = await this.#take({ events, to, state: now }, { alone: false });
        return now;
      } catch (error) {
        if (isTransient(error) && !isOutOfMemory(error)) throw error;
      }
    }
    return this.#writeOneByOne(this.#mine(mine, now), poison, page.scannedTo, now);
  }

  /**
   * Brings each partition that is behind where another generation stands up to there, inside `tx`, which holds the locks
   * on both. `page` begins at or before the least of `from`. Rejects with `NotLevel`, and `tx` is to be rolled back,
   * where the other one is beyond the page, or an event cannot be applied: one by one they find what parks.
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
      throw new NotLevel('not to be brought level with the live one now', { cause: error });
    }
  }

  /**
   * Whether nothing of a page is to be applied or parked, so that a bookmark alone goes on. Not told of several, which move
   * together, nor where a stream is parked: what the page holds of it may be due by the time that it is written.
   */
  takesNothing({ events, unreadable }: LoadedPage, state: BookmarkState): boolean {
    return (
      state.partitions.length === 1 &&
      state.parked.size === 0 &&
      !events.some((event) => this.#isDue(event, event.event.type, state)) &&
      !unreadable.some((event) => this.#isDue(event, event.type, state))
    );
  }

  /** Whether an event of this stream and type belongs in the partition, and the projection handles it. */
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

  /** The work of the projection that must not hold a transaction: what `apply` is given with these events. */
  async prepare(
    events: readonly LoadedEvent[],
    sql: SqlExecutor = this.#sql,
    beside?: Beside,
  ): Promise<unknown> {
    if (events.length === 0 || !this.projection.prepare) return undefined;
    return this.projection.prepare(events, { sql, tables: this.tables, generation: this.number, beside });
  }

  /**
   * A transaction that writes to its tables, one at a time in all processes: partitions write to what they have in common, such as a
   * tenant's sums, and would wait for each other in circles; and one that waits for a bookmark would count the parked
   * streams as they were before it waited.
   */
  transaction<Result>(
    body: (tx: SqlExecutor) => Promise<Result>,
    options: TransactionOptions = {},
  ): Promise<Result> {
    if (this.#sql.connections === 1) return this.#sql.transaction(body, options);
    const own = this.#turn.then(() =>
      this.#sql.transaction(async (tx) => {
        await tx.query('select pg_advisory_xact_lock(727003, hashtext($1))', [this.key]);
        return body(tx);
      }, options),
    );
    this.#turn = own.catch(() => undefined);
    return own;
  }

  /** Alone, or in one transaction with what other partitions have to write at the same time. */
  async #take(step: Step, { alone }: { alone: boolean }): Promise<BookmarkState> {
    const { state, to } = step;
    const isOneOfMany = state.partitions.length < this.partitions.length;
    if (isOneOfMany && !alone) await this.#committer.add(step);
    else await this.#write([step], await this.#prepare([step]));
    return { ...state, bookmark: to };
  }

  #prepare(steps: readonly Step[]): Promise<unknown> {
    const events = eventsOf(steps);
    const { batchSize = Infinity } = this.projection;
    const lanes = this.#sql.connections > 1 ? besideAtOnce : 1;
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
    const isWorthWhile = lanes > 1 || events.length > batchSize;
    return this.prepare(events, this.#sql, isWorthWhile ? { lanes, transaction } : undefined);
  }

  async #write(steps: readonly Step[], prepared: unknown): Promise<void> {
    const events = eventsOf(steps);
    const write =
      events.length === 0 ? nothing : await this.projection.plan(events, this.#sql, this.tables, prepared);
    await this.transaction((tx) => allDone([this.bookmarks.move(tx, steps), write(tx)]), { durable: false });
  }

  /** The slow path, taken when a page failed: finds the poison and lets everything else through. */
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
        now = await this.#take({ events: [step], to: step.position, state: now }, { alone: true });
      } catch (error) {
        if (isTransient(error)) throw error;
        now = await this.#park({ ...step, type: step.event.type }, error, now);
      }
    }
    return this.#take({ events: [], to, state: now }, { alone: true });
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

/**
 * The digests of generations, all of the same moment: a further one may be moving what they share, such as the kept
 * vectors.
 */
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

/** Those of each partition in their order. */
function eventsOf(steps: readonly Step[]): readonly LoadedEvent[] {
  return steps.length === 1 ? steps[0]!.events : steps.flatMap(({ events }) => events);
}

/** Cuts a page into transactions, by number and by size; the last one takes the bookmark to the end of the page. */
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
