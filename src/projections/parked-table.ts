import type { StreamName } from '../ports/event-log.ts';
import type { SqlExecutor } from '../ports/sql.ts';

/** Position and type of an event. */
export interface EventPlace {
  readonly position: number;
  readonly revision: number;
  readonly type: string;
}

/** A stream that waits because this event of it could not be applied. */
export interface ParkedRow extends EventPlace {
  /** The bookmark of its partition. */
  readonly bookmark: number;
}

/** The parked streams of one generation. */
export class ParkedTable {
  readonly #name: string;
  readonly #generation: number;

  constructor(name: string, generation: number) {
    this.#name = name;
    this.#generation = generation;
  }

  async streams(executor: SqlExecutor): Promise<string[]> {
    const rows = await executor.query<{ stream: string }>(
      'select stream from read.parked where name = $1 and generation = $2',
      [this.#name, this.#generation],
    );
    return rows.map(({ stream }) => stream);
  }

  /** The event at which a stream is parked; undefined if it is not. */
  async at(executor: SqlExecutor, stream: string): Promise<EventPlace | undefined> {
    const [row] = await executor.query<EventPlace & Record<string, unknown>>(
      'select position, revision, type from read.parked where name = $1 and generation = $2 and stream = $3',
      this.#key(stream),
    );
    return row;
  }

  async add(
    tx: SqlExecutor,
    partition: string,
    { stream, position, revision, type }: EventPlace & { readonly stream: StreamName },
    error: string,
  ): Promise<void> {
    await tx.query(
      `insert into read.parked (name, generation, stream, partition, position, revision, type, error)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [...this.#key(stream), partition, position, revision, type, error.slice(0, 500)],
    );
  }

  /** Locks the parked stream and the bookmark of its partition until the transaction ends. Undefined if it is not parked. */
  async lock(tx: SqlExecutor, stream: string): Promise<ParkedRow | undefined> {
    const [row] = await tx.query<ParkedRow & Record<string, unknown>>(
      `select b.bookmark, p.position, p.revision, p.type from read.parked p
       join read.bookmarks b on b.name = p.name and b.generation = p.generation and b.partition = p.partition
       where p.name = $1 and p.generation = $2 and p.stream = $3 for update`,
      this.#key(stream),
    );
    return row;
  }

  /** Parks the stream at another event, or releases it. */
  async moveTo(tx: SqlExecutor, stream: string, place: EventPlace | undefined): Promise<void> {
    const where = 'where name = $1 and generation = $2 and stream = $3';
    await (place
      ? tx.query(`update read.parked set position = $4, revision = $5, type = $6 ${where}`, [
          ...this.#key(stream),
          place.position,
          place.revision,
          place.type,
        ])
      : tx.query(`delete from read.parked ${where}`, this.#key(stream)));
  }

  async note(executor: SqlExecutor, stream: string, error: string): Promise<void> {
    await executor.query(
      'update read.parked set error = $4 where name = $1 and generation = $2 and stream = $3',
      [...this.#key(stream), error.slice(0, 500)],
    );
  }

  #key(stream: string): [string, number, string] {
    return [this.#name, this.#generation, stream];
  }
}
