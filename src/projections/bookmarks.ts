import type { Sql, SqlExecutor, SqlValue } from '../ports/sql.ts';
import { CheckpointMoved } from '../processors/processor.ts';

/** Another process has moved the bookmark, or dropped the generation, since the bookmark was read. */
export class BookmarkMoved extends CheckpointMoved {
  override readonly name = 'BookmarkMoved';
}

/** The bookmark and the parked streams of partitions, as they were read. Writes are guarded by it. */
export interface BookmarkState {
  /** Partitions that move together. */
  readonly partitions: readonly string[];
  readonly bookmark: number;
  readonly parked: ReadonlySet<string>;
}

/** A move of partitions from the bookmark that was read. */
export interface Move {
  readonly state: BookmarkState;
  readonly to: number;
}

/** A move of one partition's bookmark past events that change no row. */
export interface Advance {
  readonly of: BookmarkTable;
  readonly partition: string;
  readonly from: number;
  readonly to: number;
}

/** The bookmarks of one generation, one for each partition. Each write is guarded by the bookmark that was read. */
export class BookmarkTable {
  readonly #sql: Sql;
  readonly name: string;
  readonly generation: number;

  constructor(sql: Sql, name: string, generation: number) {
    this.#sql = sql;
    this.name = name;
    this.generation = generation;
  }

  /** One state for each partition. Rejects with `BookmarkMoved` if the generation was dropped. */
  async states(partitions: readonly string[]): Promise<BookmarkState[]> {
    const rows = await this.#sql.query<{ partition: string; bookmark: number; parked: string[] }>(
      `select b.partition, b.bookmark, array(
         select p.stream from read.parked p
         where p.name = b.name and p.generation = b.generation and p.partition = b.partition) as parked
       from read.bookmarks b where b.name = $1 and b.generation = $2 and b.partition = any ($3)`,
      [this.name, this.generation, partitions],
    );
    if (rows.length < partitions.length) throw this.moved();
    return rows.map(({ partition, bookmark, parked }) => ({
      partitions: [partition],
      bookmark,
      parked: new Set(parked),
    }));
  }

  /** Rejects with `BookmarkMoved`, and writes nothing, if one of the partitions has moved since it was read. */
  async move(tx: SqlExecutor, moves: readonly Move[]): Promise<void> {
    const places = moves.flatMap(({ state, to }) =>
      state.partitions.map((partition) => ({ partition, from: state.bookmark, to })),
    );
    const parked = moves.reduce((sum, { state }) => sum + state.parked.size, 0);
    const rows = await tx.query<{ parked: number }>(
      `with held as (${this.#lock('update')})
       update read.bookmarks b set bookmark = a.reached
       from held join unnest($3::text[], $4::bigint[], $5::bigint[]) as a(partition, start, reached) using (partition)
       where b.name = $1 and b.generation = $2 and b.partition = a.partition and b.bookmark = a.start
       returning (select count(*) from read.parked where name = $1 and generation = $2 and partition = any ($3)) as parked`,
      this.#parameters(places),
      { onePlan: true },
    );
    if (rows.length < places.length || rows[0]!.parked !== parked) throw this.moved();
  }

  /** Locks the bookmarks until `tx` ends. Rejects with `BookmarkMoved` if one of them has moved since it was read. */
  async hold(tx: SqlExecutor, states: readonly BookmarkState[]): Promise<void> {
    const places = states.flatMap(({ partitions, bookmark }) =>
      partitions.map((partition) => ({ partition, from: bookmark })),
    );
    const rows = await tx.query<{ partition: string; bookmark: number }>(this.#lock('share'), [
      this.name,
      this.generation,
      places.map(({ partition }) => partition),
    ]);
    const held = new Map(rows.map(({ partition, bookmark }) => [partition, bookmark]));
    if (places.some(({ partition, from }) => held.get(partition) !== from)) throw this.moved();
  }

  /** In a fixed order, so that two of these statements cannot deadlock. */
  #lock(strength: 'update' | 'share'): string {
    return `select partition, bookmark from read.bookmarks
      where name = $1 and generation = $2 and partition = any ($3) order by partition for ${strength}`;
  }

  #parameters(places: readonly { partition: string; from: number; to: number }[]): SqlValue[] {
    return [
      this.name,
      this.generation,
      places.map(({ partition }) => partition),
      places.map(({ from }) => from),
      places.map(({ to }) => to),
    ];
  }

  moved(): BookmarkMoved {
    return new BookmarkMoved(`${this.name} generation ${this.generation} moved on or is gone`);
  }
}

/**
 * Writes moves of any generations in one statement. Returns those that were not written: their bookmarks have another position by now
 * or, without `wait`, are locked.
 */
export async function advance(
  sql: Sql,
  advances: readonly Advance[],
  { wait }: { wait: boolean },
): Promise<readonly Advance[]> {
  const rows = await sql.transaction(
    (tx) =>
      tx.query<{ ordinal: number }>(
        `with asked as (
           select * from unnest($1::text[], $2::integer[], $3::text[], $4::bigint[], $5::bigint[])
             with ordinality as a(name, generation, partition, start, reached, ordinal)),
         held as (
           select b.name, b.generation, b.partition from read.bookmarks b join asked using (name, generation, partition)
           order by b.name, b.generation, b.partition for update of b ${wait ? '' : 'skip locked'})
         update read.bookmarks b set bookmark = a.reached from held join asked a using (name, generation, partition)
         where b.name = a.name and b.generation = a.generation and b.partition = a.partition and b.bookmark = a.start
         returning a.ordinal`,
        [
          advances.map(({ of }) => of.name),
          advances.map(({ of }) => of.generation),
          advances.map(({ partition }) => partition),
          advances.map(({ from }) => from),
          advances.map(({ to }) => to),
        ],
      ),
    { durable: false },
  );
  const moved = new Set(rows.map(({ ordinal }) => ordinal));
  return advances.filter((_, index) => !moved.has(index + 1));
}
