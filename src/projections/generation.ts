import type { LoadedEvent, LoadedPage, UnreadableEvent } from '../ports/event-store.ts';
import { SqlUnavailable, sqlState, type Sql, type SqlExecutor } from '../ports/sql.ts';
import { EmbedderUnavailable } from '../ports/embedder.ts';
import { tablesOf, type Projection, type Tables } from './projection.ts';

/** Another process moved the bookmark: what was read before no longer counts. */
export class BookmarkMoved extends Error {
  override readonly name = 'BookmarkMoved';
}

/** Where a generation stands, as its guard read it. */
interface Standing {
  readonly bookmark: number;
  readonly parked: ReadonlySet<string>;
}

/**
 * One generation of one projection: its tables, its bookmark and its parked streams. Every page is applied in one
 * transaction with the bookmark, guarded by the bookmark that was read.
 */
export class Generation {
  readonly projection: Projection;
  readonly number: number;
  readonly tables: Tables;
  readonly #sql: Sql;

  constructor(sql: Sql, projection: Projection, number: number) {
    this.#sql = sql;
    this.projection = projection;
    this.number = number;
    this.tables = tablesOf(number);
  }

  async standing(): Promise<Standing> {
    const [row] = await this.#sql.query<{ bookmark: number; parked: string[] }>(
      `select bookmark, array(select stream from read.parked p where p.name = g.name and p.generation = g.generation) as parked
       from read.generations g where name = $1 and generation = $2`,
      [this.projection.name, this.number],
    );
    if (!row) throw new BookmarkMoved(`${this.projection.name} generation ${this.number} is gone`);
    return { bookmark: row.bookmark, parked: new Set(row.parked) };
  }

  /**
   * Applies a page that begins after `standing` and answers the new standing. An event that cannot be applied parks
   * its stream; a database or an embedder that does not answer rejects, and the page is to be given again.
   */
  async apply(page: LoadedPage, standing: Standing): Promise<Standing> {
    const mine = this.#mine(page.events, standing);
    const poison = page.unreadable.filter(
      ({ type, stream, position }) =>
        position > standing.bookmark && this.#handles(type) && !standing.parked.has(stream),
    );
    let now = standing;
    if (poison.length === 0) {
      try {
        for (const { events, to } of slices(mine, this.projection.batchSize ?? Infinity, page.scannedTo))
          now = await this.#write(events, to, now);
        return now;
      } catch (error) {
        if (isPassing(error)) throw error;
      }
    }
    return this.#writeOneByOne(this.#mine(mine, now), poison, page.scannedTo, now);
  }

  /**
   * Applies what a parked stream waits with, up to the bookmark, and takes the stream out of the parked ones. `events`
   * are all that the stream has up to `covered`; false, and nothing done, where the bookmark is beyond it by now.
   */
  async retry(stream: string, events: readonly LoadedEvent[], covered: number): Promise<boolean> {
    const prepared = await this.#prepare(events);
    return this.#sql.transaction(async (tx) => {
      const [row] = await tx.query<{ bookmark: number; position: number }>(
        `select g.bookmark, p.position from read.generations g
         join read.parked p on p.name = g.name and p.generation = g.generation and p.stream = $3
         where g.name = $1 and g.generation = $2 for update`,
        [this.projection.name, this.number, stream],
      );
      if (!row) return true;
      if (row.bookmark > covered) return false;
      const waiting = events.filter(({ position }) => position >= row.position && position <= row.bookmark);
      if (waiting.length > 0) await this.projection.apply(waiting, tx, this.tables, prepared);
      await tx.query('delete from read.parked where name = $1 and generation = $2 and stream = $3', [
        this.projection.name,
        this.number,
        stream,
      ]);
      return true;
    });
  }

  async digest(executor: SqlExecutor = this.#sql): Promise<string> {
    const [row] = await executor.query<{ digest: string }>(this.projection.digest(this.tables));
    return row!.digest;
  }

  #handles(type: string): boolean {
    return (this.projection.handles as readonly string[]).includes(type);
  }

  #mine(events: readonly LoadedEvent[], { bookmark, parked }: Standing): LoadedEvent[] {
    return events.filter(
      ({ event, position, stream }) =>
        position > bookmark && this.#handles(event.type) && !parked.has(stream),
    );
  }

  async #prepare(events: readonly LoadedEvent[]): Promise<unknown> {
    if (events.length === 0 || !this.projection.prepare) return undefined;
    return this.projection.prepare(events, { sql: this.#sql, tables: this.tables });
  }

  async #write(events: readonly LoadedEvent[], to: number, standing: Standing): Promise<Standing> {
    const prepared = await this.#prepare(events);
    await this.#sql.transaction(
      async (tx) => {
        await this.#moveBookmark(tx, standing, to);
        if (events.length > 0) await this.projection.apply(events, tx, this.tables, prepared);
      },
      { durable: false },
    );
    return { ...standing, bookmark: to };
  }

  /** The slow path, taken when a page failed: finds the poison and lets everything else through. */
  async #writeOneByOne(
    events: readonly LoadedEvent[],
    poison: readonly UnreadableEvent[],
    to: number,
    standing: Standing,
  ): Promise<Standing> {
    let now = standing;
    const steps = [...events, ...poison].sort((left, right) => left.position - right.position);
    for (const step of steps) {
      if (now.parked.has(step.stream)) continue;
      if ('error' in step) {
        now = await this.#park(step, step.error, now);
        continue;
      }
      try {
        now = await this.#write([step], step.position, now);
      } catch (error) {
        if (isPassing(error)) throw error;
        now = await this.#park({ ...step, type: step.event.type }, error, now);
      }
    }
    return this.#write([], to, now);
  }

  async #park(
    event: Pick<UnreadableEvent, 'stream' | 'revision' | 'position' | 'type'>,
    error: unknown,
    standing: Standing,
  ): Promise<Standing> {
    const message = error instanceof Error ? error.message : String(error);
    await this.#sql.transaction(async (tx) => {
      await this.#moveBookmark(tx, standing, event.position);
      await tx.query(
        `insert into read.parked (name, generation, stream, position, revision, type, error) values ($1, $2, $3, $4, $5, $6, $7)`,
        [
          this.projection.name,
          this.number,
          event.stream,
          event.position,
          event.revision,
          event.type,
          message.slice(0, 500),
        ],
      );
    });
    return { bookmark: event.position, parked: new Set([...standing.parked, event.stream]) };
  }

  /** Moves the bookmark from where it was read; a zombie finds it elsewhere and writes nothing. */
  async #moveBookmark(tx: SqlExecutor, standing: Standing, to: number): Promise<void> {
    const [row] = await tx.query<{ parked: number }>(
      `update read.generations g set bookmark = $3 where name = $1 and generation = $2 and bookmark = $4
       returning (select count(*)::integer from read.parked p where p.name = g.name and p.generation = g.generation) as parked`,
      [this.projection.name, this.number, to, standing.bookmark],
    );
    if (!row || row.parked !== standing.parked.size) {
      throw new BookmarkMoved(`${this.projection.name} generation ${this.number} moved on`);
    }
  }
}

/** Cuts a page into transactions; the last one takes the bookmark to the end of the page. */
function* slices(
  events: readonly LoadedEvent[],
  size: number,
  end: number,
): Generator<{ events: readonly LoadedEvent[]; to: number }> {
  let rest = events;
  for (; rest.length > size; rest = rest.slice(size))
    yield { events: rest.slice(0, size), to: rest[size - 1]!.position };
  yield { events: rest, to: end };
}

/** A lost race between transactions, too few resources (a full disk), a system error: SQLSTATE classes 40, 53 and 58. */
const passingStates = /^(40|53|58)/;

/** Nothing is wrong with the event: the same page will go through later. */
export function isPassing(error: unknown): boolean {
  return (
    error instanceof SqlUnavailable ||
    error instanceof EmbedderUnavailable ||
    error instanceof BookmarkMoved ||
    passingStates.test(sqlState(error) ?? '')
  );
}
