import type { RecordedEvent, StoredEvent, StreamName } from '../../ports/event-log.ts';
import type { Sql, SqlExecutor } from '../../ports/sql.ts';
import { migrate } from '../migrate.ts';
import { logSchema } from './schema.ts';

/** An event that follows the restored ones, before the log is opened for others. */
export interface FollowingEvent extends StoredEvent {
  readonly stream: StreamName;
}

/**
 * Number of events of the log in this database; `unfinished` if a restore into it was interrupted. Creates its tables if they are missing.
 */
export async function eventsIn(sql: Sql): Promise<number | 'unfinished'> {
  await migrate(sql, 'log', logSchema);
  const [head] = await sql.query<{ position: number }>('select position from log.head');
  return head?.position ?? 'unfinished';
}

/**
 * Appends an event to a log that exists and gives it a new id with it: from here on, its positions are those of another log.
 */
export async function continueUnderNewId(sql: Sql, logId: string, event: FollowingEvent): Promise<void> {
  await sql.transaction(async (tx) => {
    const [head] = await tx.query<{ position: number; time: Date }>(
      'select position, time from log.head for update',
    );
    const last = await addBehind(tx, head!.position, head!.time, event);
    await tx.query('update log.head set log_id = $1, position = $2, time = $3', [
      logId,
      last.position,
      last.time,
    ]);
  });
}

/**
 * Makes a log that begins with given events, as they were recorded elsewhere. Until `finish`, the log has no head, so that nobody can
 * open it.
 */
export class RestoredLog {
  readonly #sql: Sql;
  #position = 0;
  #time = new Date(0);

  private constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Empties the log: the caller has made sure that nothing of it is needed. */
  static async begin(sql: Sql): Promise<RestoredLog> {
    await sql.transaction(async (tx) => {
      await tx.query('delete from log.head');
      await tx.query('truncate log.events');
    });
    return new RestoredLog(sql);
  }

  async add(events: readonly RecordedEvent[]): Promise<void> {
    await this.#sql.transaction((tx) => tx.query(insertEvents, [JSON.stringify(events.map(rowOf))]), {
      durable: false,
    });
    this.#position = events.at(-1)!.position;
    this.#time = events.at(-1)!.time;
  }

  /** Appends an event of the restore itself and opens the log under a new id. */
  async finish(logId: string, event: FollowingEvent): Promise<void> {
    await this.#sql.transaction(async (tx) => {
      const { position, time } = await addBehind(tx, this.#position, this.#time, event);
      await tx.query('insert into log.head (log_id, position, time) values ($1, $2, $3)', [
        logId,
        position,
        time,
      ]);
    });
  }
}

/** Adds an event behind the last one of the log, which has this position and time. */
async function addBehind(
  tx: SqlExecutor,
  position: number,
  time: Date,
  { stream, ...event }: FollowingEvent,
): Promise<{ readonly position: number; readonly time: Date }> {
  const [last] = await tx.query<{ revision: number | null; now: Date }>(
    `select max(revision) as revision, date_trunc('milliseconds', now()) as now from log.events where stream = $1`,
    [stream],
  );
  const added = {
    ...event,
    stream,
    revision: (last!.revision ?? -1) + 1,
    position: position + 1,
    // The time of an empty log is not a date.
    time: time > last!.now ? time : last!.now,
  };
  await tx.query(insertEvents, [JSON.stringify([rowOf(added)])]);
  return added;
}

const insertEvents = `
  insert into log.events (position, stream, revision, id, category, type, schema_version, time, data, metadata)
  select position, stream, revision, id, split_part(stream, '-', 1), type, schema_version, time, data, metadata
  from json_to_recordset($1::text::json) as e(position bigint, stream text, revision integer, id uuid, type text,
    schema_version smallint, time timestamptz, data text, metadata text)`;

function rowOf({ schemaVersion, ...event }: RecordedEvent): object {
  return { ...event, schema_version: schemaVersion };
}
