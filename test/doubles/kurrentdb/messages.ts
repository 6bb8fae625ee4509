import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { PlacedRecord } from './record.ts';
import type { Database } from './database.ts';
import { shared, streams } from './stubs.ts';

/** Creation times are sent in units of 100 ns. */
const ticksPerMs = 10_000n;

export function uuidMessage(id: string): InstanceType<typeof shared.UUID> {
  return new shared.UUID().setString(id);
}

export function streamIdentifier(stream: string): InstanceType<typeof shared.StreamIdentifier> {
  return new shared.StreamIdentifier().setStreamName(new TextEncoder().encode(stream));
}

export function streamName(identifier: { getStreamName_asU8(): Uint8Array } | undefined): string {
  return new TextDecoder().decode(identifier?.getStreamName_asU8());
}

/** The canonical form of an id; undefined if it is not a UUID. The protocol has two forms of ids. */
export function idOf(uuid: InstanceType<typeof shared.UUID> | undefined): string | undefined {
  const structured = uuid?.getStructured();
  if (structured) {
    const bits = (text: string): string => BigInt.asUintN(64, BigInt(text)).toString(16).padStart(16, '0');
    const hex = bits(structured.getMostSignificantBits()) + bits(structured.getLeastSignificantBits());
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }
  const text = uuid?.getString().toLowerCase() ?? '';
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text) ? text : undefined;
}

function recordedEvent(record: PlacedRecord): ReadResp.ReadEvent.RecordedEvent {
  const message = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(uuidMessage(record.id))
    .setStreamIdentifier(streamIdentifier(record.stream))
    .setStreamRevision(String(record.revision))
    .setPreparePosition(String(record.position))
    .setCommitPosition(String(record.position))
    .setData(record.data)
    .setCustomMetadata(record.metadata);
  message
    .getMetadataMap()
    .set('type', record.type)
    .set('content-type', record.contentType)
    .set('created', String(BigInt(record.created) * ticksPerMs));
  return message;
}

/** With `resolveLinks`, a link (`$>`) comes with the event that it points to, or without one if that event is gone. */
export function eventResponse(record: PlacedRecord, database: Database, resolveLinks: boolean): ReadResp {
  const event = new streams.ReadResp.ReadEvent().setCommitPosition(String(record.position));
  if (resolveLinks && record.type === '$>') {
    const target = new TextDecoder().decode(record.data);
    const at = target.indexOf('@');
    const linked = database.stream(target.slice(at + 1))?.at(BigInt(target.slice(0, at)));
    event.setLink(recordedEvent(record));
    if (linked) event.setEvent(recordedEvent(linked));
  } else event.setEvent(recordedEvent(record));
  return new streams.ReadResp().setEvent(event);
}

export function notFoundResponse(stream: string): ReadResp {
  const notFound = new streams.ReadResp.StreamNotFound().setStreamIdentifier(streamIdentifier(stream));
  return new streams.ReadResp().setStreamNotFound(notFound);
}

export function confirmationResponse(): ReadResp {
  const confirmation = new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(crypto.randomUUID());
  return new streams.ReadResp().setConfirmation(confirmation);
}

export function caughtUpResponse(): ReadResp {
  return new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp());
}

export function checkpointResponse(position: number): ReadResp {
  const checkpoint = new streams.ReadResp.Checkpoint()
    .setCommitPosition(String(position))
    .setPreparePosition(String(position));
  return new streams.ReadResp().setCheckpoint(checkpoint);
}
