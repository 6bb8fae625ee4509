import type { Sql, SqlExecutor } from '../ports/sql.ts';

/** Another process moved the bookmark: what was read before no longer counts. */
export class BookmarkMoved extends Error {
  override readonly name = 'BookmarkMoved';
}

/** Where a generation stands, as its guard read it. */
export interface Standing {
  /** Those that move together. */
  readonly partitions: readonly string[];
  readonly bookmark: number;
  readonly parked: ReadonlySet<string>;
}

/** A partition that nothing happened in that matters: its bookmark alone goes on. */
export interface Advance {
  readonly partition: string;
  readonly from: number;
  readonly to: number;
}

/** The bookmarks of one generation, one a partition. Each write is guarded by the bookmark that was read. */
export class BookmarkTable {
  readonly #sql: Sql;
  readonly #name: string;
  readonly #generation: number;

  constructor(sql: Sql, name: string, generation: number) {
    this.#sql = sql;
    this.#name = name;
    this.#generation = generation;
  }

  /** Of each partition by itself. Rejects with `BookmarkMoved` where the generation is gone. */
  async standings(partitions: readonly string[]): Promise<Standing[]> {
    const rows = await this.#sql.query<{ partition: string; bookmark: number; parked: string[] }>(
      `select b.partition, b.bookmark, array(
         select p.stream from read.parked p
         where p.name = b.name and p.generation = b.generation and p.partition = b.partition) as parked
       from read.bookmarks b where b.name = $1 and b.generation = $2 and b.partition = any ($3)`,
      [this.#name, this.#generation, partitions],
    );
    if (rows.length < partitions.length) throw this.moved();
    return rows.map(({ partition, bookmark, parked }) => ({
      partitions: [partition],
      bookmark,
      parked: new Set(parked),
    }));
  }

  /** Moves partitions from where they were read; a zombie finds one of them elsewhere and writes nothing. */
  async move(tx: SqlExecutor, { partitions, bookmark, parked }: Standing, to: number): Promise<void> {
    const rows = await tx.query<{ parked: number }>(
      `update read.bookmarks set bookmark = $4 where name = $1 and generation = $2 and partition = any ($3) and bookmark = $5
       returning (select count(*) from read.parked where name = $1 and generation = $2 and partition = any ($3)) as parked`,
      [this.#name, this.#generation, partitions, to, bookmark],
    );
    if (rows.length < partitions.length || rows[0]!.parked !== parked.size) throw this.moved();
  }

  /** Moves each by one statement for all, and answers those that were not moved: they stand elsewhere by now. */
  async advance(advances: readonly Advance[]): Promise<ReadonlySet<string>> {
    const partitions = advances.map(({ partition }) => partition);
    // Locked in one order, so that two of these never wait for each other in a circle.
    const rows = await this.#sql.transaction(
      (tx) =>
        tx.query<{ partition: string }>(
          `with held as (
             select partition from read.bookmarks
             where name = $1 and generation = $2 and partition = any ($3) order by partition for update)
           update read.bookmarks b set bookmark = a.reached
           from held join unnest($3::text[], $4::bigint[], $5::bigint[]) as a(partition, start, reached) using (partition)
           where b.name = $1 and b.generation = $2 and b.partition = a.partition and b.bookmark = a.start
           returning b.partition`,
          [
            this.#name,
            this.#generation,
            partitions,
            advances.map(({ from }) => from),
            advances.map(({ to }) => to),
          ],
        ),
      { durable: false },
    );
    const missed = new Set(partitions);
    for (const { partition } of rows) missed.delete(partition);
    return missed;
  }

  moved(): BookmarkMoved {
    return new BookmarkMoved(`${this.#name} generation ${this.#generation} moved on or is gone`);
  }
}
