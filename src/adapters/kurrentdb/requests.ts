import type { AppendReq, ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { LogFilter, StoredEvent } from '../../ports/event-log.ts';
import { serverType } from './records.ts';

/** Where a read of the whole log begins: at one of its ends or at the position of an event. */
export type ReadFrom = 'start' | 'end' | number;

export interface StreamRead {
  readonly stream: string;
  /** Inclusive revision. */
  readonly from: 'end' | number;
  readonly backwards: boolean;
  readonly count: number;
}

export interface AllRead {
  /** Inclusive forwards, exclusive backwards. */
  readonly from: ReadFrom;
  readonly backwards: boolean;
  readonly count: number;
}

/** Events scanned between two checkpoints of a subscription, in units of 32. */
const checkpointInterval = 1;

export function streamReadRequest({ stream, from, backwards, count }: StreamRead): ReadReq {
  const place = new streams.ReadReq.Options.StreamOptions().setStreamIdentifier(streamIdentifier(stream));
  if (from === 'end') place.setEnd(new shared.Empty());
  else place.setRevision(String(from));
  return request(options(backwards).setStream(place).setCount(String(count)).setNoFilter(new shared.Empty()));
}

export function allReadRequest({ from, backwards, count }: AllRead): ReadReq {
  return request(
    options(backwards).setAll(allOptions(from)).setCount(String(count)).setNoFilter(new shared.Empty()),
  );
}

/** A subscription to the whole log after `from`. The server applies a part of the filter, the reader must apply the rest. */
export function subscriptionRequest(from: ReadFrom, filter: LogFilter | undefined): ReadReq {
  return request(
    options(false)
      .setAll(allOptions(from))
      .setSubscription(new streams.ReadReq.Options.SubscriptionOptions())
      .setFilter(serverFilter(filter)),
  );
}

/** The messages of one append, which the server writes atomically. `expected` is -1 for a stream without events. */
export function appendRequests(
  stream: string,
  expected: number,
  events: readonly StoredEvent[],
): AppendReq[] {
  const header = new streams.AppendReq.Options().setStreamIdentifier(streamIdentifier(stream));
  if (expected < 0) header.setNoStream(new shared.Empty());
  else header.setRevision(String(expected));
  return [new streams.AppendReq().setOptions(header), ...events.map(proposal)];
}

function proposal(event: StoredEvent): AppendReq {
  const message = new streams.AppendReq.ProposedMessage()
    .setId(new shared.UUID().setString(event.id))
    .setData(bytesOf(event.data))
    .setCustomMetadata(bytesOf(event.metadata));
  message.getMetadataMap().set('type', serverType(event)).set('content-type', 'application/json');
  return new streams.AppendReq().setProposedMessage(message);
}

/** The server supports one filter at a time: by stream if there are categories, else by type, else everything but system events. */
function serverFilter({ categories = [], types = [] }: LogFilter = {}): ReadReq.Options.FilterOptions {
  const expression = new streams.ReadReq.Options.FilterOptions.Expression();
  const filter = new streams.ReadReq.Options.FilterOptions()
    .setCount(new shared.Empty())
    .setCheckpointintervalmultiplier(checkpointInterval);
  if (categories.length > 0)
    return filter.setStreamIdentifier(expression.setPrefixList(categories.map((category) => `${category}-`)));
  if (types.length > 0)
    return filter.setEventType(expression.setPrefixList(types.map((type) => `${type}.v`)));
  return filter.setEventType(expression.setRegex('^[^$].*'));
}

function options(backwards: boolean): ReadReq.Options {
  const { FORWARDS, BACKWARDS } = streams.ReadReq.Options.ReadDirection;
  return new streams.ReadReq.Options()
    .setReadDirection(backwards ? BACKWARDS : FORWARDS)
    .setUuidOption(new streams.ReadReq.Options.UUIDOption().setString(new shared.Empty()));
}

function allOptions(from: ReadFrom): ReadReq.Options.AllOptions {
  const place = new streams.ReadReq.Options.AllOptions();
  if (from === 'start') return place.setStart(new shared.Empty());
  if (from === 'end') return place.setEnd(new shared.Empty());
  const position = new streams.ReadReq.Options.Position()
    .setCommitPosition(String(from))
    .setPreparePosition(String(from));
  return place.setPosition(position);
}

function request(options: ReadReq.Options): ReadReq {
  return new streams.ReadReq().setOptions(options);
}

function streamIdentifier(stream: string): InstanceType<typeof shared.StreamIdentifier> {
  return new shared.StreamIdentifier().setStreamName(bytesOf(stream));
}

/** A plain Uint8Array, because the messages do not accept a Buffer. */
function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
