import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { LogFilter, RecordedEvent, StoredEvent, StreamName } from '../../ports/event-log.ts';

/** Holds the event that names the log. Its category is no other's, and no read of the port shows it. */
export const identityStream: StreamName = 'log-system.identity';

/** The server counts times in units of 100 ns. */
const ticksPerMs = 10_000;

/** An event as the server sent it, not yet decoded. */
export interface Received {
  readonly position: number;
  readonly stream: string;
  /** As the server has it: with the schema version. */
  readonly type: string;
  /** Decodes it. */
  event(): RecordedEvent;
}

/**
 * The server keeps a type, data and metadata with an event, and nothing more. Data and metadata are the port's bytes,
 * so the schema version goes with the type: `MemoryStored.v3`.
 */
export function serverType({ type, schemaVersion }: Pick<StoredEvent, 'type' | 'schemaVersion'>): string {
  return `${type}.v${schemaVersion}`;
}

/** undefined for an answer that holds no event, such as a confirmation. */
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

/** The place a subscription has looked through to, undefined for any other answer. */
export function checkpointOf(response: ReadResp): number | undefined {
  const checkpoint = response.getCheckpoint();
  return checkpoint && safeNumber(checkpoint.getCommitPosition());
}

/** Whether it is one of the log's own events: no system event, and not the one that names the log. */
export function isShown({ stream, type }: Received): boolean {
  return !stream.startsWith('$') && !type.startsWith('$') && stream !== identityStream;
}

export function matcherOf({ categories, types }: LogFilter = {}): (received: Received) => boolean {
  const wantedCategories = categories && new Set(categories);
  const wantedTypes = types && new Set(types);
  return ({ stream, type }) =>
    (!wantedCategories || wantedCategories.has(stream.slice(0, Math.max(0, stream.indexOf('-'))))) &&
    (!wantedTypes || wantedTypes.has(typeAndVersion(type).type));
}

/**
 * Positions are offsets in the server's files. A JavaScript number counts to 2^53 - 1, which is a log of 9,007 TB;
 * throws a RangeError beyond, where positions would no longer differ.
 */
function safeNumber(decimal: string): number {
  const number = Number(decimal);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${decimal} is more than a log position can be`);
  return number;
}

function typeAndVersion(type: string): { type: string; schemaVersion: number } {
  const at = type.lastIndexOf('.v');
  const version = Number(type.slice(at + 2));
  // Written by another program: nobody has changed its schema.
  if (at < 0 || !Number.isInteger(version)) return { type, schemaVersion: 1 };
  return { type: type.slice(0, at), schemaVersion: version };
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

function textOf(bytes: Uint8Array | undefined): string {
  return utf8.decode(bytes);
}
