import { kindOfStream, topicName } from './topics.ts';

/** An event of the log; same shape as in the event log port. */
export interface ContractEvent {
  readonly id: string;
  readonly type: string;
  readonly schemaVersion: number;
  readonly data: string;
  readonly metadata: string;
  readonly stream: `${string}-${string}.${string}`;
  readonly revision: number;
  readonly position: number;
  readonly time: Date;
}

/** An event without its data and metadata. */
export type EventHeader = Omit<ContractEvent, 'data' | 'metadata'>;

/** A record in the form that every transport supports. */
export interface ContractRecord {
  readonly key: string | null;
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A record and its topic; same shape as in the transport port. */
export interface ContractMessage extends ContractRecord {
  readonly topic: string;
}

/** The log that records come from, and the prefix of the topics they go to. */
export interface ContractSource {
  readonly logId: string;
  readonly prefix: string;
}

/** A parsed record of one of our topics. Check `logId`: positions of another log cannot be compared. */
export type TopicRecord =
  | { readonly kind: 'event'; readonly logId: string; readonly event: ContractEvent }
  /** An event that is too large for the transport and can only be read from the log. */
  | { readonly kind: 'withheld'; readonly logId: string; readonly place: EventHeader }
  /** Every event up to `position` that belongs in this partition was written before this record. */
  | { readonly kind: 'watermark'; readonly logId: string; readonly position: number }
  | { readonly kind: 'foreign'; readonly reason: string };

export const watermarkType = 'stratalog.watermark';
const jsonType = 'application/json';
const specVersion = '1.0';

/** URN of the data schema of an event type and version, as listed in `asyncapi.json`. */
export function dataSchemaOf(type: string, schemaVersion: number): string {
  return `urn:stratalog:data:${type}:v${schemaVersion}`;
}

/**
 * Converts an event to a CloudEvent 1.0 in Kafka's binary content mode. The value is the event's data, byte for byte as
 * stored, so that consumers can verify the hash in the metadata. Inverse of `fromRecord`.
 */
export function toRecord(event: ContractEvent, source: ContractSource): ContractMessage {
  return {
    topic: topicName(source.prefix, kindOfStream(event.stream)),
    key: event.stream,
    value: event.data,
    headers: {
      ...attributesOf(event, source.logId),
      ...traceOf(event),
      ce_metadata: event.metadata,
      'content-type': jsonType,
    },
  };
}

/**
 * The record that replaces an event too large for the transport: key and attributes with `ce_dataref` (a CloudEvents
 * extension), without data and metadata. Consumers that need those read them from the log.
 */
export function toWithheldRecord(event: EventHeader, source: ContractSource): ContractMessage {
  const dataref = `urn:stratalog:log:${source.logId}:${event.position}`;
  return {
    topic: topicName(source.prefix, kindOfStream(event.stream)),
    key: event.stream,
    value: '',
    headers: { ...attributesOf(event, source.logId), ce_dataref: dataref },
  };
}

/** A watermark: tells the readers of a partition up to which position the log was published. */
export function toWatermark(position: number, logId: string): ContractRecord {
  return {
    key: null,
    value: '',
    headers: {
      ce_specversion: specVersion,
      ce_id: `${position}`,
      ce_source: logId,
      ce_type: watermarkType,
      ce_position: `${position}`,
    },
  };
}

/** Parses a record of one of our topics. Records written by others are returned as `foreign`, never as an error. */
export function fromRecord({ key, value, headers }: ContractRecord): TopicRecord {
  if (headers['ce_specversion'] !== specVersion) return foreign('it is not a CloudEvent 1.0');
  const logId = headers['ce_source'];
  if (!logId) return foreign('ce_source does not name a log');
  const position = wholeNumber(headers['ce_position']);
  if (position === undefined) return foreign('ce_position is not a position');
  if (key === null)
    return headers['ce_type'] === watermarkType
      ? { kind: 'watermark', logId, position }
      : foreign('it has no key and is not a watermark');
  const header = parseHeader(key, position, headers);
  if (typeof header === 'string') return foreign(header);
  if (headers['ce_dataref'] !== undefined) return { kind: 'withheld', logId, place: header };
  const metadata = headers['ce_metadata'];
  if (metadata === undefined) return foreign('ce_metadata is missing');
  return { kind: 'event', logId, event: { ...header, data: value, metadata } };
}

function attributesOf(event: EventHeader, logId: string): Record<string, string> {
  const { id, type, schemaVersion, stream, revision, position, time } = event;
  return {
    ce_specversion: specVersion,
    ce_id: id,
    ce_source: logId,
    ce_type: type,
    ce_subject: stream,
    ce_time: time.toISOString(),
    ce_dataschema: dataSchemaOf(type, schemaVersion),
    ce_position: `${position}`,
    ce_revision: `${revision}`,
    ce_schemaversion: `${schemaVersion}`,
  };
}

/** The CloudEvents extension of distributed tracing, if the event was appended within a recorded span. */
function traceOf({ metadata }: ContractEvent): { ce_traceparent?: string } {
  // Most events have none, and need not be parsed.
  if (!metadata.includes('"spanId"')) return {};
  const { traceId, spanId } = JSON.parse(metadata) as { traceId?: string; spanId?: string };
  return traceId !== undefined && spanId !== undefined
    ? { ce_traceparent: `00-${traceId}-${spanId}-01` }
    : {};
}

/** The event header in key and record headers, or a message saying what is wrong with them. */
function parseHeader(
  key: string,
  position: number,
  headers: ContractRecord['headers'],
): EventHeader | string {
  const id = headers['ce_id'];
  const type = headers['ce_type'];
  const revision = wholeNumber(headers['ce_revision']);
  const schemaVersion = wholeNumber(headers['ce_schemaversion']);
  const time = new Date(headers['ce_time'] ?? '');
  if (headers['ce_subject'] !== key) return 'its key is not the stream in ce_subject';
  if (!id) return 'ce_id is missing';
  if (!type) return 'ce_type is missing';
  if (revision === undefined) return 'ce_revision is not a revision';
  if (schemaVersion === undefined) return 'ce_schemaversion is not a version';
  if (Number.isNaN(time.getTime())) return 'ce_time is not a time';
  return { id, type, schemaVersion, stream: key as ContractEvent['stream'], revision, position, time };
}

function wholeNumber(text: string | undefined): number | undefined {
  if (text === undefined || !/^(0|[1-9]\d*)$/.test(text)) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : undefined;
}

function foreign(reason: string): TopicRecord {
  return { kind: 'foreign', reason };
}
