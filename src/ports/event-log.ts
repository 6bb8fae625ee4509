import type { NewKey } from './key-vault.ts';

/** Category names the kind of aggregate; the tenant and the id follow: `memory-acme.0198…`. */
export type StreamName = `${string}-${string}.${string}`;

/** What an append expects of its stream: that it has no event yet, has one, anything, or that this is its last revision. */
export type ExpectedRevision = 'noStream' | 'exists' | 'any' | number;

/** An event as its bytes are stored. `data` may be ciphertext in part: the log neither reads nor changes it. */
export interface StoredEvent {
  /** UUID; an id names one event only and a retry repeats it. */
  readonly id: string;
  readonly type: string;
  readonly schemaVersion: number;
  /** JSON text, kept byte for byte. */
  readonly data: string;
  /** JSON text, kept byte for byte. */
  readonly metadata: string;
}

export interface RecordedEvent extends StoredEvent {
  readonly stream: StreamName;
  /** 0 for the first event of its stream, growing by one. */
  readonly revision: number;
  /** Place in the whole log: grows with every event, in commit order, first at least 1. */
  readonly position: number;
  /** When the log accepted it; never before the event at the position below. */
  readonly time: Date;
}

export interface AppendResult {
  /** Revision and position of the last event appended. */
  readonly revision: number;
  readonly position: number;
  /** When the log accepted it. */
  readonly time: Date;
  /** True where all the events were there already, from an earlier try of the same append. */
  readonly repeated: boolean;
}

export interface ReadStreamOptions {
  /** Inclusive; default: the first event, or the last one when reading backwards. */
  readonly from?: number;
  readonly direction?: 'forwards' | 'backwards';
  readonly limit?: number;
}

export interface LogFilter {
  readonly categories?: readonly string[];
  readonly types?: readonly string[];
}

export interface ReadAllOptions {
  /** Exclusive: forwards, events after it; backwards, events before it. Default: the respective end of the log. */
  readonly after?: number;
  readonly direction?: 'forwards' | 'backwards';
  readonly limit: number;
  readonly filter?: LogFilter;
}

export interface LogPage {
  readonly events: RecordedEvent[];
  /** How far the log was looked through, matching events or not: pass it as the next `after`. */
  readonly scannedTo: number;
}

export interface SubscribeOptions {
  /** Exclusive: the last position already processed; 0 for all. */
  readonly after: number;
  readonly filter?: LogFilter;
  readonly batchSize?: number;
  /** The shortest time between two reads at the head: what a busy log gets meanwhile comes as one page. 10 by default. */
  readonly lingerMs?: number;
  /** Ends the subscription. */
  readonly signal: AbortSignal;
}

/** The append-only truth. Every adapter passes `test/contract/event-log.ts`. */
export interface EventLog {
  /** Identifies this log: a position of another log means nothing here. */
  readonly logId: string;
  /** Whether an append may bring a new key into the vault: where log and vault are one database. */
  readonly takesKeys: boolean;
  /**
   * Appends all events or none. An append that repeats the ids of an earlier one (same order, at the same place)
   * succeeds and answers as the first did. An empty list is an error.
   * Rejects with `WrongExpectedRevision`, or with `LogUnavailable` when it is not known whether the events were
   * written: read the stream, or repeat the same append, before deciding. `newKey`, which only a log that takes keys is
   * given, comes into the vault in the same transaction; rejects with `KeyTaken`, and appends nothing, where one is there.
   */
  append(
    stream: StreamName,
    expected: ExpectedRevision,
    events: readonly StoredEvent[],
    newKey?: NewKey,
  ): Promise<AppendResult>;
  /** Empty for a stream that does not exist. */
  readStream(stream: StreamName, options?: ReadStreamOptions): Promise<RecordedEvent[]>;
  /** A page ends with the event that reaches `maxPageSize`, also before its limit; so do those of a subscription. */
  readAll(options: ReadAllOptions): Promise<LogPage>;
  /** Position of the last event, 0 for an empty log. */
  head(): Promise<number>;
  /** Position of the last event accepted at or before `time`, 0 if none. */
  positionAt(time: Date): Promise<number>;
  /**
   * Catches up from `after`, then waits for new events; pages come in order, without gap or double, and may be empty
   * of events while `scannedTo` moves. Survives an unavailable log: it retries until `signal` aborts.
   */
  subscribe(options: SubscribeOptions): AsyncIterable<LogPage>;
  close(): Promise<void>;
}

export class WrongExpectedRevision extends Error {
  override readonly name = 'WrongExpectedRevision';
  readonly stream: string;
  readonly expected: ExpectedRevision;
  /** The stream's last revision, undefined where it has no event. */
  readonly actual: number | undefined;

  constructor(stream: string, expected: ExpectedRevision, actual: number | undefined) {
    super(`${stream} was expected at ${expected} and is at ${actual ?? 'no event'}`);
    this.stream = stream;
    this.expected = expected;
    this.actual = actual;
  }
}

/** The log cannot be reached; an append under way may or may not have been written. */
export class LogUnavailable extends Error {
  override readonly name = 'LogUnavailable';
}
