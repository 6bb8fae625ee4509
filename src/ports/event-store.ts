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
  /** The actor shown in histories: `user:alice`, `agent:helper`, `key:…`, `system`. */
  readonly actor: string;
  readonly principal: string;
  /** The user that an agent acted for. */
  readonly onBehalfOf?: string;
  readonly cause: Cause;
  readonly correlationId: string;
  readonly causationId?: string;
  /** Identifies the command; the same for its repetitions. */
  readonly commandId?: string;
  /** Hash of the command's canonical body, which distinguishes a repetition from a reused key. */
  readonly bodyHash?: string;
  /** Trace that the events belong to (W3C Trace Context). */
  readonly traceId?: string;
  /** Span of that trace that appended them, where spans are recorded. */
  readonly spanId?: string;
  /** The caller did not say what to do about conflicts of the memory: they are looked for later. */
  readonly seeksConflicts?: true;
}

/** Context of the events of one append. */
export interface EventContext extends EventOrigin {
  /** Free text of the caller; stored encrypted, and only if the events have a key. */
  readonly reason?: string;
  /** The key that encrypts these events; not needed for events without sealed fields. */
  readonly key?: KeyRef;
  /** The key's id was generated for this append, so the vault most likely does not have it. */
  readonly keyIsNew?: boolean;
}

/** Metadata of an event, stored in clear text. */
export interface EventMetadata extends EventOrigin {
  /** Id of the key in the vault. */
  readonly keyId?: string;
  /** Keyed hash of the person that the content is about. */
  readonly subject?: string;
  /** SHA-256 in hex over id, stream, type, version, data and metadata as stored. */
  readonly hash: string;
}

/** An event read from the log, decrypted and upcast to the current version of its type. */
export interface LoadedEvent<Event extends StratalogEvent = StratalogEvent> {
  readonly id: string;
  readonly stream: StreamName;
  readonly revision: number;
  readonly position: number;
  readonly time: Date;
  /** `recordedSize` of the recorded event. */
  readonly size: number;
  /** If `erased`, it has only the routing fields. */
  readonly event: Event;
  readonly metadata: EventMetadata;
  readonly reason?: string;
  /** The key was destroyed, so the sealed fields are lost forever. */
  readonly erased: boolean;
}

/** How events are read. */
export interface Reading {
  /** Only the fields that are stored unencrypted, as of an erased event: no key is needed and nothing is decrypted. */
  readonly routingOnly?: boolean | undefined;
}

/** Events of another stream that an append needs to be written first. They have no sealed fields. */
export interface Claim {
  readonly stream: StreamName;
  readonly expected: ExpectedRevision;
  readonly events: readonly StratalogEvent[];
}

/** Typed events on top of the bytes of an `EventLog` and the keys of a `KeyVault`. */
export interface EventStore {
  readonly log: EventLog;
  /**
   * The claim is appended before the events, and they only if it was: in one transaction if the log takes claims. Otherwise a
   * process that stops in between leaves a claim without them.
   */
  append(
    stream: StreamName,
    expected: ExpectedRevision,
    events: readonly StratalogEvent[],
    context: EventContext,
    claim?: Claim,
  ): Promise<AppendResult>;
  /** The events of a stream in order, optionally from a revision on. The caller specifies the event types of its category. */
  load<Event extends StratalogEvent>(stream: StreamName, from?: number): Promise<LoadedEvent<Event>[]>;
  /** The last events of a stream up to a revision, newest first. */
  loadLast<Event extends StratalogEvent>(
    stream: StreamName,
    limit: number,
    from?: number,
  ): Promise<LoadedEvent<Event>[]>;
  /** The event with this revision; undefined if there is none. */
  loadOne(stream: StreamName, revision: number, reading?: Reading): Promise<LoadedEvent | undefined>;
  readAll(options: ReadAllOptions & Reading): Promise<LoadedPage>;
  subscribe(options: SubscribeOptions & Reading): AsyncIterable<LoadedPage>;
  /** Decrypts events of this log that were received in another way, such as from a topic. */
  open(recorded: readonly RecordedEvent[], reading?: Reading): Promise<OpenedEvents>;
}

export interface OpenedEvents {
  readonly events: readonly LoadedEvent[];
  /** Recorded events that cannot be read, with the reason. Projections park their streams. */
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
