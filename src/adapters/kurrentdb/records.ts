import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { LogFilter, RecordedEvent, StoredEvent, StreamName } from '../../ports/event-log.ts';

/** Holds the event whose id is the log's id. Its category is used by no other stream, and no read of the port returns it. */
export const identityStream: StreamName = 'log-system.identity';

/** The server's times are in units of 100 ns. */
const ticksPerMs = 10_000;

/** A received event whose data is not decoded yet. */
export interface Received {
  readonly position: number;
  readonly stream: string;
  /** The server's event type, which includes the schema version. */
  readonly type: string;
  /** Decodes the event. */
  event(): RecordedEvent;
}

/**
 * The server stores only type, data and metadata of an event. Data and metadata must keep their bytes, so the schema version
 * becomes a part of the type: `MemoryStored.v3`.
 */
export function serverType({ type, schemaVersion }: Pick<StoredEvent, 'type' | 'schemaVersion'>): string {
  return `${type}.v${schemaVersion}`;
}

/** Undefined for a response without an event, such as a confirmation. */
export function receivedEvent(response: ReadResp): Received | undefined {
  const record = response.getEvent()?.getEvent();
  if (!record) return undefined;
  const header = record.getMetadataMap();
  const stream = textOf(record.getStreamIdentifier()?.getStreamName_asU8());
  const type = header.get('type') ?? '';
  const position = safeNumber(record.getCommitPosition());
  return {
    position,
    stream,
    type,
    event: () => ({
      id: record.getId()!.getString(),
      ...typeAndVersion(type),
      stream: stream as StreamName,
      revision: safeNumber(record.getStreamRevision()),
      position,
      time: new Date(Math.floor(Number(header.get('created')) / ticksPerMs)),
      data: textOf(record.getData_asU8()),
      metadata: textOf(record.getCustomMetadata_asU8()),
    }),
  };
}

/** The position up to which a subscription has scanned; undefined for other responses. */
export function checkpointOf(response: ReadResp): number | undefined {
  const checkpoint = response.getCheckpoint();
  return checkpoint && safeNumber(checkpoint.getCommitPosition());
}

/** Whether the event belongs to the log: neither a system event nor the event that holds the log's id. */
export function isShown({ stream, type }: Received): boolean {
  return !stream.startsWith('$') && !type.startsWith('$') && stream !== identityStream;
}

export function matcherOf({ categories, types }: LogFilter = {}): (received: Received) => boolean {
  const categorySet = categories && new Set(categories);
  const typeSet = types && new Set(types);
  return ({ stream, type }) =>
    (!categorySet || categorySet.has(stream.slice(0, Math.max(0, stream.indexOf('-'))))) &&
    (!typeSet || typeSet.has(typeAndVersion(type).type));
}

/**
 * Positions are offsets in the server's files. A JavaScript number is exact up to 2^53 - 1, enough for a log of 9,007 TB.
 * Throws a RangeError above, where different positions could no longer be distinguished.
 */
function safeNumber(decimal: string): number {
  const number = Number(decimal);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${decimal} exceeds the largest log position`);
  return number;
}

function typeAndVersion(type: string): { type: string; schemaVersion: number } {
  const at = type.lastIndexOf('.v');
  const version = Number(type.slice(at + 2));
  // Without a version the event was written by another program.
  if (at < 0 || !Number.isInteger(version)) return { type, schemaVersion: 1 };
  return { type: type.slice(0, at), schemaVersion: version };
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

function textOf(bytes: Uint8Array | undefined): string {
  return utf8.decode(bytes);
}
