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
  /** The position that the follower has reached in its partition. */
  readonly checkpoint: number;
}

/** The parked streams of one follower. */
export class ParkedTable {
  readonly #name: string;
  readonly #generation: number;

  constructor(name: string, generation: number) {
    this.#name = name;
    this.#generation = generation;
  }

  async streams(executor: SqlExecutor): Promise<string[]> {
    const rows = await executor.query<{ stream: string }>(
      'select stream from follow.parked where name = $1 and generation = $2',
      [this.#name, this.#generation],
    );
    return rows.map(({ stream }) => stream);
  }

  /** The event at which a stream is parked; undefined if it is not. */
  async at(executor: SqlExecutor, stream: string): Promise<EventPlace | undefined> {
    const [row] = await executor.query<EventPlace & Record<string, unknown>>(
      'select position, revision, type from follow.parked where name = $1 and generation = $2 and stream = $3',
      this.#key(stream),
    );
    return row;
  }

  async add(
    tx: SqlExecutor,
    partition: string,
    { stream, position, revision, type }: EventPlace & { readonly stream: StreamName },
    error: unknown,
  ): Promise<void> {
    await tx.query(
      `insert into follow.parked (name, generation, stream, partition, position, revision, type, error)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [...this.#key(stream), partition, position, revision, type, messageOf(error)],
    );
  }

  /** Locks the parked stream and the checkpoint of its partition until the transaction ends. Undefined if it is not parked. */
  async lock(tx: SqlExecutor, stream: string): Promise<ParkedRow | undefined> {
    const [row] = await tx.query<ParkedRow & Record<string, unknown>>(
      `select c.position as checkpoint, p.position, p.revision, p.type from follow.parked p
       join follow.checkpoints c on c.name = p.name and c.generation = p.generation and c.partition = p.partition
       where p.name = $1 and p.generation = $2 and p.stream = $3 for update`,
      this.#key(stream),
    );
    return row;
  }

  /** Parks the stream at another event, or releases it. */
  async moveTo(tx: SqlExecutor, stream: string, place: EventPlace | undefined): Promise<void> {
    const where = 'where name = $1 and generation = $2 and stream = $3';
    await (place
      ? tx.query(`update follow.parked set position = $4, revision = $5, type = $6 ${where}`, [
          ...this.#key(stream),
          place.position,
          place.revision,
          place.type,
        ])
      : tx.query(`delete from follow.parked ${where}`, this.#key(stream)));
  }

  async note(executor: SqlExecutor, stream: string, error: unknown): Promise<void> {
    await executor.query(
      'update follow.parked set error = $4 where name = $1 and generation = $2 and stream = $3',
      [...this.#key(stream), messageOf(error)],
    );
  }

  #key(stream: string): [string, number, string] {
    return [this.#name, this.#generation, stream];
  }
}

export interface ParkedCount {
  /** Of the read model or reactor. */
  readonly name: string;
  readonly count: number;
}

/** How many streams are parked by name, of those with any. None in a database of an earlier version. */
export async function countParked(executor: SqlExecutor): Promise<readonly ParkedCount[]> {
  const [table] = await executor.query<{ found: boolean }>(
    `select to_regclass('follow.parked') is not null as found`,
  );
  if (!table!.found) return [];
  return executor.query<ParkedCount & Record<string, unknown>>(
    'select name, count(distinct stream)::integer as count from follow.parked group by name order by name',
  );
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 500);
}
