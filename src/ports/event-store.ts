import type { Cause } from '../domain/access/context.ts';
import type { StratalogEvent } from '../domain/events/registry.ts';
import type {
  AppendResult,
  EventLog,
  ExpectedRevision,
  LogPage,
  ReadAllOptions,
  RecordedEvent,
  StreamName,
  SubscribeOptions,
} from './event-log.ts';
import type { KeyRef } from './key-vault.ts';

/** Who caused an event, and by which command. */
export interface EventOrigin {
  readonly tenant: string;
  /** As history shows it: `user:alice`, `key:…`, `system`. */
  readonly actor: string;
  readonly principal: string;
  readonly cause: Cause;
  readonly correlationId: string;
  readonly causationId?: string;
  /** Names the command across its repetitions. */
  readonly commandId?: string;
  /** Of the command's canonical body: tells a repetition from a reused key. */
  readonly bodyHash?: string;
  readonly traceId?: string;
}

/** What the events of one append come with. */
export interface EventContext extends EventOrigin {
  /** Free text of the caller: stored sealed, and only where the events have a key. */
  readonly reason?: string;
  /** The key that seals these events; events without sealed fields need none. */
  readonly key?: KeyRef;
  /** The key was named for this append: most likely it is in no vault yet. */
  readonly keyIsNew?: boolean;
}

/** As it stands beside an event in the log, in clear. */
export interface EventMetadata extends EventOrigin {
  /** Names the key in the vault. */
  readonly keyId?: string;
  /** Whom the content is about, as a keyed hash. */
  readonly subject?: string;
  /** SHA-256 over stream, type, version, data and metadata as they are stored. */
  readonly hash: string;
}

/** An event read from the log, opened and lifted to the current version of its type. */
export interface LoadedEvent<Event extends StratalogEvent = StratalogEvent> {
  readonly id: string;
  readonly stream: StreamName;
  readonly revision: number;
  readonly position: number;
  readonly time: Date;
  /** As `recordedSize` says of what was recorded. */
  readonly size: number;
  /** Where `erased`, only the routing fields are there. */
  readonly event: Event;
  readonly metadata: EventMetadata;
  readonly reason?: string;
  /** The key was destroyed: what was sealed is gone for ever. */
  readonly erased: boolean;
}

/** Events as the program knows them, over the bytes of an `EventLog` and the keys of a `KeyVault`. */
export interface EventStore {
  readonly log: EventLog;
  append(
    stream: StreamName,
    expected: ExpectedRevision,
    events: readonly StratalogEvent[],
    context: EventContext,
  ): Promise<AppendResult>;
  /** A stream, first to last, or what it holds from a revision on. The caller names the events its category holds. */
  load<Event extends StratalogEvent>(stream: StreamName, from?: number): Promise<LoadedEvent<Event>[]>;
  /** One event by its place, undefined where there is none. */
  loadOne(stream: StreamName, revision: number): Promise<LoadedEvent | undefined>;
  readAll(options: ReadAllOptions): Promise<LoadedPage>;
  subscribe(options: SubscribeOptions): AsyncIterable<LoadedPage>;
  /** Opens events of this log that came by another way, such as a topic. */
  open(recorded: readonly RecordedEvent[]): Promise<OpenedEvents>;
}

export interface OpenedEvents {
  readonly events: readonly LoadedEvent[];
  /** Recorded events that this program cannot read, with the reason: a projection parks their streams. */
  readonly unreadable: readonly UnreadableEvent[];
}

export interface LoadedPage extends OpenedEvents {
  readonly scannedTo: LogPage['scannedTo'];
}

export interface UnreadableEvent {
  readonly stream: StreamName;
  readonly revision: number;
  readonly position: number;
  readonly type: string;
  readonly error: Error;
}
