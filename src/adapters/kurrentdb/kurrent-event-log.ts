import type {
  AppendResult,
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
import { AllReader } from './all-reader.ts';
import { Appender } from './appender.ts';
import { Connection } from './connection.ts';
import { identify } from './identity.ts';
import { identityStream } from './records.ts';
import { readStream } from './stream-reader.ts';
import { subscribe } from './subscription.ts';
import { TimeIndex } from './time-index.ts';

const defaultDeadlineMs = 5_000;

export interface KurrentOptions {
  /** `esdb://user:password@host:2113?tls=true&tlsCAFile=…`, or `esdb+discover://` for a cluster. */
  readonly connectionString: string;
  /** Longest silence of the server before a call rejects with `LogUnavailable`; 5,000 by default. */
  readonly deadlineMs?: number;
}

/**
 * Opens the log on an EventStoreDB or KurrentDB server, which should hold nothing else, and assigns its id at first use.
 * Positions are the server's commit positions: they increase with every event and have gaps. The size of an append is limited by
 * the server's `--max-append-size`, 1 MiB by default; a larger one rejects with `RangeError` and writes nothing.
 * Rejects with `LogUnavailable` if the server does not answer, and with `ServerRefusal` if it denies access.
 */
export async function openKurrentEventLog({
  connectionString,
  deadlineMs = defaultDeadlineMs,
}: KurrentOptions): Promise<EventLog> {
  const connection = new Connection(connectionString, deadlineMs);
  try {
    const logId = await identify(connection);
    const log = new KurrentEventLog(connection, logId);
    // Warms up the channel and the server's caches, so that no user's request pays for it.
    await log.head();
    return log;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

class KurrentEventLog implements EventLog {
  readonly logId: string;
  readonly takesKeys = false;
  readonly takesClaims = false;
  readonly #connection: Connection;
  readonly #appender: Appender;
  readonly #reader: AllReader;
  readonly #times: TimeIndex;
  readonly #appended = new Set<() => void>();
  readonly #closing = new AbortController();

  constructor(connection: Connection, logId: string) {
    this.#connection = connection;
    this.logId = logId;
    this.#appender = new Appender(connection);
    this.#reader = new AllReader(connection);
    this.#times = new TimeIndex(this.#reader);
  }

  async append(
    stream: StreamName,
    expected: ExpectedRevision,
    events: readonly StoredEvent[],
  ): Promise<AppendResult> {
    if (events.length === 0) throw new RangeError('an append needs at least one event');
    refuseUnwritable(stream, events);
    const result = await this.#appender.append(stream, expected, events);
    for (const wake of this.#appended) wake();
    return result;
  }

  async readStream(stream: StreamName, options: ReadStreamOptions = {}): Promise<RecordedEvent[]> {
    const { from, direction = 'forwards', limit = Infinity } = options;
    const backwards = direction === 'backwards';
    if (limit <= 0 || stream === identityStream) return [];
    const events = await readStream(this.#connection, stream, { from, backwards, limit });
    if (!backwards && (from ?? 0) <= 0) this.#appender.seen(stream, events);
    return events;
  }

  readAll({ after, direction = 'forwards', limit, filter }: ReadAllOptions): Promise<LogPage> {
    if (limit <= 0) return Promise.resolve({ events: [], scannedTo: after ?? 0 });
    return direction === 'forwards'
      ? this.#reader.forwards(after ?? 0, limit, filter)
      : this.#reader.backwards(after, limit, filter);
  }

  head(): Promise<number> {
    return this.#reader.head();
  }

  positionAt(time: Date): Promise<number> {
    return this.#times.positionAt(time);
  }

  subscribe(options: SubscribeOptions): AsyncIterable<LogPage> {
    const source = { connection: this.#connection, reader: this.#reader, appended: this.#appended };
    const signal = AbortSignal.any([options.signal, this.#closing.signal]);
    return subscribe(source, { ...options, signal });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#connection.close();
  }
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Rejects names that the server reserves or answers with a meaningless error. */
function refuseUnwritable(stream: string, events: readonly StoredEvent[]): void {
  if (stream.startsWith('$') || stream === identityStream)
    throw new RangeError(`${stream} is a reserved stream`);
  for (const { id, type } of events) {
    if (!uuid.test(id)) throw new RangeError(`${id} is not a UUID`);
    if (type.startsWith('$')) throw new RangeError(`${type} is a reserved type`);
  }
}
