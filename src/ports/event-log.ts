import type { NewKey } from './key-vault.ts';

/** The category names the kind of aggregate and is followed by tenant and id: `memory-acme.0198…`. */
export type StreamName = `${string}-${string}.${string}`;

/** State of the stream that an append expects: without events, with events, any, or with this last revision. */
export type ExpectedRevision = 'noStream' | 'exists' | 'any' | number;

/** An event as it is stored. `data` may contain ciphertext; the log neither interprets nor changes it. */
export interface StoredEvent {
  /** UUID, unique to one event; a retry uses the same id. */
  readonly id: string;
  readonly type: string;
  readonly schemaVersion: number;
  /** JSON text, stored byte for byte. */
  readonly data: string;
  /** JSON text, stored byte for byte. */
  readonly metadata: string;
}

export interface RecordedEvent extends StoredEvent {
  readonly stream: StreamName;
  /** 0 for the first event of its stream, increasing by one. */
  readonly revision: number;
  /** Position in the whole log: increases with every event, in commit order, and is at least 1. */
  readonly position: number;
  /** When the log accepted the event; never earlier than an event at a lower position. */
  readonly time: Date;
}

/** A claim that an append depends on: events of another stream, appended before its own. */
export interface ClaimAppend {
  readonly stream: StreamName;
  readonly expected: ExpectedRevision;
  readonly events: readonly StoredEvent[];
}

export interface AppendResult {
  /** Revision and position of the last event appended. */
  readonly revision: number;
  readonly position: number;
  /** When the log accepted the event. */
  readonly time: Date;
  /** Whether an earlier attempt of the same append had already written all events. */
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
  /** Position up to which the log was scanned, for matching events or not. Pass it as the next `after`. */
  readonly scannedTo: number;
}

export interface SubscribeOptions {
  /** Exclusive: the last position already processed; 0 for all. */
  readonly after: number;
  readonly filter?: LogFilter;
  readonly batchSize?: number;
  /**
   * Minimum time between two reads at the head; events that a busy log gets within it come as one page. 10 by default. A log that is
   * polled may wait for 200 ms after reads that found nothing.
   */
  readonly lingerMs?: number;
  /** Ends the subscription. */
  readonly signal: AbortSignal;
}

/** The append-only log of all events, the source of truth. Every adapter passes `test/contract/event-log.ts`. */
export interface EventLog {
  /** Identifies this log: positions of different logs are not comparable. */
  readonly logId: string;
  /** Whether an append may store a new key in the vault, which requires log and vault in one database. */
  readonly takesKeys: boolean;
  /** Whether an append may carry a claim. */
  readonly takesClaims: boolean;
  /**
   * Appends all events or none. An append with the ids of an earlier one (in the same order, at the same revision)
   * succeeds with the same result. An empty list is an error.
   * Rejects with `WrongExpectedRevision`, or with `LogUnavailable` if it is unknown whether the events were
   * written: then read the stream or repeat the same append. `newKey`, only allowed if the log takes keys, is stored in the
   * vault in the same transaction; rejects with `KeyTaken`, and appends nothing, if the vault has that key already.
   * `claim`, only allowed if the log takes claims, does in the same transaction what an append before this one would do: if it is
   * refused, this rejects with its `WrongExpectedRevision`, which names the stream of the claim, and appends nothing.
   */
  append(
    stream: StreamName,
    expected: ExpectedRevision,
    events: readonly StoredEvent[],
    newKey?: NewKey,
    claim?: ClaimAppend,
  ): Promise<AppendResult>;
  /** Empty for a stream that does not exist. */
  readStream(stream: StreamName, options?: ReadStreamOptions): Promise<RecordedEvent[]>;
  /** A page ends with the event that reaches `maxPageSize`, even before its limit. The same holds for subscriptions. */
  readAll(options: ReadAllOptions): Promise<LogPage>;
  /**
   * The first event with a fault that readers cannot see, such as in a column that only filters use; absent if the adapter cannot
   * tell. `audit verify` asks for it.
   */
  faultyRow?(): Promise<
    { readonly position: number; readonly fault: 'row'; readonly detail: string } | undefined
  >;
  /** Position of the last event, 0 for an empty log. */
  head(): Promise<number>;
  /** Position of the last event accepted at or before `time`, 0 if none. */
  positionAt(time: Date): Promise<number>;
  /**
   * Reads all events after `after`, then waits for new ones. Pages come in order, without gaps or duplicates. A page may have no
   * events while `scannedTo` increases. Retries while the log is unavailable, until `signal` aborts.
   */
  subscribe(options: SubscribeOptions): AsyncIterable<LogPage>;
  close(): Promise<void>;
}

export class WrongExpectedRevision extends Error {
  override readonly name = 'WrongExpectedRevision';
  readonly stream: string;
  readonly expected: ExpectedRevision;
  /** The stream's last revision; undefined if it has no events. */
  readonly actual: number | undefined;

  constructor(stream: string, expected: ExpectedRevision, actual: number | undefined) {
    super(`${stream} was expected at ${expected} and is at ${actual ?? 'no event'}`);
    this.stream = stream;
    this.expected = expected;
    this.actual = actual;
  }
}

/** The log cannot be reached; an append in progress may or may not have been written. */
export class LogUnavailable extends Error {
  override readonly name = 'LogUnavailable';
}
