import type {
  AppendResult,
  ClaimAppend,
  EventLog,
  ExpectedRevision,
  LogPage,
  ReadAllOptions,
  ReadStreamOptions,
  RecordedEvent,
  StoredEvent,
  StreamName,
  SubscribeOptions,
} from '../../ports/event-log.ts';
import { LogUnavailable } from '../../ports/event-log.ts';
import type { NewKey } from '../../ports/key-vault.ts';
import { pause } from '../../support/pause.ts';
import { eventOverhead, maxPageSize } from '../../support/recorded-size.ts';
import { SqlUnavailable, type Sql, type SqlValue, type StatementOptions } from '../../ports/sql.ts';
import { migrate } from '../migrate.ts';
import { appendQueue } from './append-queue.ts';
import { LogTail, type TailPage } from './log-tail.ts';
import { logSchema } from './schema.ts';
import { WakeUp } from '../../support/wake-up.ts';

const defaultBatchSize = 500;
const defaultLingerMs = 10;
/** A subscription pauses up to this long between two reads that find nothing: on a busy log, its filter skips most events. */
const longestLingerMs = 200;
/** Interval of polls, because a notification of another process may be missed. */
const defaultPollMs = 1_000;
const retryMs = 500;

interface EventRow extends Record<string, unknown> {
  position: number;
  stream: StreamName;
  revision: number;
  id: string;
  type: string;
  schema_version: number;
  time: Date;
  data: string;
  metadata: string;
}

const columns = 'position, stream, revision, id, type, schema_version, time, data, metadata';
/** Size in bytes, which is close to the number of characters. octet_length does not load values stored out of line. */
const size = `(${eventOverhead} + octet_length(data) + octet_length(metadata))`;

export interface SqlEventLogOptions {
  /** Interval at which an idle subscription looks for events that it was not notified of, in milliseconds. 1,000 by default. */
  readonly pollMs?: number;
}

/** A restore into this database was interrupted. */
export class LogIncomplete extends Error {
  override readonly name = 'LogIncomplete';

  constructor() {
    super('a restore into this database did not finish: run `stratalog restore` again with the same target');
  }
}

/** Opens the log in this database and creates its tables at first use. The caller closes the database. */
export async function openSqlEventLog(sql: Sql, options: SqlEventLogOptions = {}): Promise<EventLog> {
  await migrate(sql, 'log', logSchema);
  const [head] = await sql.query<{ log_id: string }>('select log_id from log.head');
  if (!head) throw new LogIncomplete();
  const log = new SqlEventLog(sql, head.log_id, options.pollMs ?? defaultPollMs);
  await log.listen();
  return log;
}

class SqlEventLog implements EventLog {
  readonly logId: string;
  readonly takesKeys = true;
  readonly takesClaims = true;
  readonly #sql: Sql;
  readonly #pollMs: number;
  readonly #queue: ReturnType<typeof appendQueue>;
  readonly #wakeUp = new WakeUp();
  readonly #tail: LogTail;
  #unlisten: (() => Promise<void>) | undefined;

  constructor(sql: Sql, logId: string, pollMs: number) {
    this.#sql = sql;
    this.#pollMs = pollMs;
    this.logId = logId;
    this.#queue = appendQueue(sql);
    this.#tail = new LogTail(
      (after, types) => this.#page({ after, limit: defaultBatchSize, ...(types && { filter: { types } }) }),
      this.#wakeUp,
      pollMs / 2,
    );
  }

  async listen(): Promise<void> {
    this.#unlisten = await this.#sql.listen('stratalog_log', () => this.#wakeUp.wake());
  }

  async append(
    stream: StreamName,
    expected: ExpectedRevision,
    events: readonly StoredEvent[],
    newKey?: NewKey,
    claim?: ClaimAppend,
  ): Promise<AppendResult> {
    if (events.length === 0) throw new RangeError('an append needs at least one event');
    const append = { stream, expected, events, ...(newKey && { newKey }), ...(claim && { claim }) };
    const result = await this.#queue.add(append);
    this.#wakeUp.wake();
    return result;
  }

  async readStream(stream: StreamName, options: ReadStreamOptions = {}): Promise<RecordedEvent[]> {
    const { from, direction = 'forwards', limit } = options;
    const backwards = direction === 'backwards';
    const rows = await this.#read<EventRow>(
      `select ${columns} from log.events
       where stream = $1 ${from === undefined ? '' : `and revision ${backwards ? '<=' : '>='} $3`}
       order by revision ${backwards ? 'desc' : 'asc'} limit $2`,
      [stream, limit ?? null, ...(from === undefined ? [] : [from])],
      { onePlan: true },
    );
    return rows.map(recorded);
  }

  async readAll(options: ReadAllOptions): Promise<LogPage> {
    const { events, scannedTo } = await this.#page(options);
    return { events, scannedTo };
  }

  async #page({ after, direction = 'forwards', limit, filter = {} }: ReadAllOptions): Promise<TailPage> {
    const backwards = direction === 'backwards';
    const order = `order by position ${backwards ? 'desc' : 'asc'}`;
    // Sums up only sizes first: with the events included, a page would take half as long again.
    const rows = await this.#read<EventRow & { head: number; reached: number }>(
      `with page as materialized (
         select position, size, sum(size) over (${order} rows unbounded preceding) as reached from (
           select position, ${size} as size from log.events
           where ($1::bigint is null or position ${backwards ? '<' : '>'} $1)
             and ($2::text[] is null or category = any ($2)) and ($3::text[] is null or type = any ($3))
           ${order} limit $4
         ) sized)
       select h.position as head, p.reached, e.* from log.head h
       left join page p on p.reached - p.size < ${maxPageSize}
       left join lateral (select ${columns} from log.events where position = p.position) e on true
       order by p.position ${backwards ? 'desc' : 'asc'}`,
      [after ?? null, filter.categories ?? null, filter.types ?? null, limit],
    );
    const events = rows.filter((row) => row.position !== null).map(recorded);
    const isFull = events.length > 0 && (events.length === limit || rows.at(-1)!.reached >= maxPageSize);
    if (isFull) return { events, scannedTo: events.at(-1)!.position, isFull };
    const end = backwards ? 0 : Math.max(rows[0]!.head, after ?? 0);
    return { events, scannedTo: end, isFull };
  }

  async head(): Promise<number> {
    const rows = await this.#read<{ position: number }>('select position from log.head');
    return rows[0]!.position;
  }

  /** Columns that follow from others must agree with them: queries use them as filters. */
  async faultyRow() {
    const [row] = await this.#read<{ position: number }>(
      `select position from log.events
       where category <> split_part(stream, '-', 1) or time <> date_trunc('milliseconds', time) order by position limit 1`,
    );
    return (
      row && {
        position: row.position,
        fault: 'row' as const,
        detail: 'its category or time is not as it was written',
      }
    );
  }

  async positionAt(time: Date): Promise<number> {
    const rows = await this.#read<{ position: number }>('select log.position_at($1) as position', [time]);
    return rows[0]!.position;
  }

  async *subscribe({
    after,
    filter,
    batchSize = defaultBatchSize,
    lingerMs = defaultLingerMs,
    signal,
  }: SubscribeOptions): AsyncGenerator<LogPage> {
    let position = after;
    let pauseMs = lingerMs;
    // The tail knows no categories.
    const reader = filter?.categories ? undefined : this.#tail.join(filter?.types);
    const read = async (): Promise<TailPage> => {
      const shared = reader && (await this.#tail.page(reader, position, batchSize));
      if (shared) return shared;
      const page = await this.#page({ after: position, limit: batchSize, ...(filter && { filter }) });
      if (!page.isFull) this.#tail.reached(page.scannedTo);
      return page;
    };
    try {
      while (!signal.aborted) {
        const seen = this.#wakeUp.count;
        const readAt = performance.now();
        let page: TailPage;
        try {
          page = await read();
        } catch (error) {
          if (!(error instanceof LogUnavailable)) throw error;
          await this.#wakeUp.after(seen, retryMs, signal);
          continue;
        }
        pauseMs =
          page.events.length > 0 ? lingerMs : Math.max(lingerMs, Math.min(2 * pauseMs, longestLingerMs));
        if (page.scannedTo > position) {
          position = page.scannedTo;
          yield { events: page.events, scannedTo: position };
          if (page.isFull) continue;
        }
        await this.#wakeUp.after(page.seen ?? seen, this.#pollMs, signal);
        const early = readAt + pauseMs - performance.now();
        if (early > 0) await pause(early, signal);
      }
    } finally {
      if (reader) this.#tail.leave(reader);
    }
  }

  async close(): Promise<void> {
    await this.#unlisten?.();
  }

  async #read<T extends Record<string, unknown>>(
    text: string,
    params: readonly SqlValue[] = [],
    options: StatementOptions = {},
  ): Promise<T[]> {
    try {
      return await this.#sql.query<T>(text, params, options);
    } catch (error) {
      if (error instanceof SqlUnavailable) throw new LogUnavailable(error.message, { cause: error });
      throw error;
    }
  }
}

function recorded(row: EventRow): RecordedEvent {
  const { position, stream, revision, id, type, schema_version: schemaVersion, time, data, metadata } = row;
  return { position, stream, revision, id, type, schemaVersion, time, data, metadata };
}
