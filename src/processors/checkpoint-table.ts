import type { EventStore, UnreadableEvent } from '../ports/event-store.ts';
import type { Sql, SqlExecutor } from '../ports/sql.ts';
import type { StreamName } from '../ports/event-log.ts';
import { CheckpointMoved } from './processor.ts';

/** The checkpoint of a process manager and the streams parked at it, as they were read. */
export interface Checkpoint {
  readonly position: number;
  readonly parked: ReadonlySet<string>;
}

/** A stream that waits because its event at `position` could not be handled. */
export interface ParkedStream {
  readonly stream: StreamName;
  readonly position: number;
  readonly revision: number;
}

/**
 * The checkpoint of one process manager in one log. Each write is guarded by the checkpoint that was read, so of two
 * processes that handle the same events one writes nothing.
 */
export class CheckpointTable {
  readonly #sql: Sql;
  readonly #key: readonly [processor: string, logId: string];

  constructor(sql: Sql, processor: string, { log }: EventStore) {
    this.#sql = sql;
    this.#key = [processor, log.logId];
  }

  /** Position 0 in a log of which nothing was handled. */
  async read(): Promise<Checkpoint> {
    await this.#sql.query(
      'insert into control.processor_checkpoints (processor, log_id) values ($1, $2) on conflict do nothing',
      [...this.#key],
    );
    const [row] = await this.#sql.query<{ position: number; streams: string[] }>(
      `select c.position, array(
         select p.stream from control.processor_parked p where p.processor = c.processor and p.log_id = c.log_id
       ) as streams
       from control.processor_checkpoints c where c.processor = $1 and c.log_id = $2`,
      [...this.#key],
    );
    return { position: row!.position, parked: new Set(row!.streams) };
  }

  /** Rejects with `CheckpointMoved` if the checkpoint or the parked streams have changed since `from` was read. */
  async move(tx: SqlExecutor, from: Checkpoint, to: number): Promise<void> {
    await this.#lock(tx, from);
    await tx.query(
      'update control.processor_checkpoints set position = $3 where processor = $1 and log_id = $2',
      [...this.#key, to],
    );
  }

  async park(tx: SqlExecutor, event: Omit<UnreadableEvent, 'error'>, error: unknown): Promise<void> {
    const { stream, position, revision, type } = event;
    await tx.query(
      `insert into control.processor_parked (processor, log_id, stream, position, revision, type, error)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [...this.#key, stream, position, revision, type, messageOf(error)],
    );
  }

  /** The parked streams, those that have waited longest first. */
  parked(): Promise<ParkedStream[]> {
    return this.#sql.query(
      `select stream, position, revision from control.processor_parked
       where processor = $1 and log_id = $2 order by position`,
      [...this.#key],
    );
  }

  /**
   * Makes a parked stream wait at a later event, or releases it if there is none. Rejects with `CheckpointMoved` if the checkpoint or
   * the parked streams have changed since `from` was read.
   */
  async release(
    tx: SqlExecutor,
    from: Checkpoint,
    stream: string,
    next: Omit<ParkedStream, 'stream'> | undefined,
  ): Promise<void> {
    await this.#lock(tx, from);
    const where = 'where processor = $1 and log_id = $2 and stream = $3';
    await (next
      ? tx.query(`update control.processor_parked set position = $4, revision = $5 ${where}`, [
          ...this.#key,
          stream,
          next.position,
          next.revision,
        ])
      : tx.query(`delete from control.processor_parked ${where}`, [...this.#key, stream]));
  }

  async note(stream: string, error: unknown): Promise<void> {
    await this.#sql.query(
      'update control.processor_parked set error = $4 where processor = $1 and log_id = $2 and stream = $3',
      [...this.#key, stream, messageOf(error)],
    );
  }

  /** The second statement sees what was committed while the first one waited for the lock. */
  async #lock(tx: SqlExecutor, from: Checkpoint): Promise<void> {
    const [row] = await tx.query<{ position: number }>(
      'select position from control.processor_checkpoints where processor = $1 and log_id = $2 for update',
      [...this.#key],
    );
    const [parked] = await tx.query<{ count: number }>(
      'select count(*) as count from control.processor_parked where processor = $1 and log_id = $2',
      [...this.#key],
    );
    if (row?.position !== from.position || parked!.count !== from.parked.size)
      throw new CheckpointMoved(`another process has moved the checkpoint of ${this.#key[0]}`);
  }
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 500);
}
