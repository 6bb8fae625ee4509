import { kindOfStream, topicName } from './topics.ts';

/** An event of the log, in the shape of its port. */
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

/** Where an event is in the log, without what it says. */
export type EventHeader = Omit<ContractEvent, 'data' | 'metadata'>;

/** A record as any transport carries it. */
export interface ContractRecord {
  readonly key: string | null;
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A record with the topic it goes to, in the shape of the transport's port. */
export interface ContractMessage extends ContractRecord {
  readonly topic: string;
}

/** Which log the records tell of, and where they go. */
export interface ContractSource {
  readonly logId: string;
  readonly prefix: string;
}

/** What a record of one of our topics says. A position of another log than one's own means nothing. */
export type TopicRecord =
  | { readonly kind: 'event'; readonly logId: string; readonly event: ContractEvent }
  /** An event that is too large for the transport: it stands in the log alone. */
  | { readonly kind: 'withheld'; readonly logId: string; readonly place: EventHeader }
  /** Every event up to `position` that belongs in this partition was written before this record. */
  | { readonly kind: 'watermark'; readonly logId: string; readonly position: number }
  | { readonly kind: 'foreign'; readonly reason: string };

export const watermarkType = 'stratalog.watermark';
const jsonType = 'application/json';
const specVersion = '1.0';

/** Names the schema of the data of a type and version, as `asyncapi.json` holds it. */
export function dataSchemaOf(type: string, schemaVersion: number): string {
  return `urn:stratalog:data:${type}:v${schemaVersion}`;
}

/**
 * The event as a CloudEvent 1.0 in Kafka's binary mode: the value is its data, byte for byte as stored, so that the hash
 * in its metadata can be checked. Inverse of `fromRecord`.
 */
export function toRecord(event: ContractEvent, source: ContractSource): ContractMessage {
  return {
    topic: topicName(source.prefix, kindOfStream(event.stream)),
    key: event.stream,
    value: event.data,
    headers: { ...attributesOf(event, source.logId), ce_metadata: event.metadata, 'content-type': jsonType },
  };
}

/**
 * What goes out in place of an event that the transport cannot take: its key and attributes with `ce_dataref` (the
 * CloudEvents extension of that name), without data and metadata. Who needs those reads them from the log.
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

/** Says in a partition how far the log was published. */
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

/** Reads a record of one of our topics; one that is not ours is `foreign` and never an error. */
export function fromRecord({ key, value, headers }: ContractRecord): TopicRecord {
  if (headers['ce_specversion'] !== specVersion) return foreign('it is no CloudEvent 1.0');
  const logId = headers['ce_source'];
  if (!logId) return foreign('it names no log in ce_source');
  const position = wholeNumber(headers['ce_position']);
  if (position === undefined) return foreign('ce_position is no position');
  if (key === null)
    return headers['ce_type'] === watermarkType
      ? { kind: 'watermark', logId, position }
      : foreign('it has no key and is no watermark');
  const place = placeOf(key, position, headers);
  if (typeof place === 'string') return foreign(place);
  if (headers['ce_dataref'] !== undefined) return { kind: 'withheld', logId, place };
  const metadata = headers['ce_metadata'];
  if (metadata === undefined) return foreign('ce_metadata is missing');
  return { kind: 'event', logId, event: { ...place, data: value, metadata } };
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

/** The place that key and headers name, or what is wrong with them. */
function placeOf(key: string, position: number, headers: ContractRecord['headers']): EventHeader | string {
  const id = headers['ce_id'];
  const type = headers['ce_type'];
  const revision = wholeNumber(headers['ce_revision']);
  const schemaVersion = wholeNumber(headers['ce_schemaversion']);
  const time = new Date(headers['ce_time'] ?? '');
  if (headers['ce_subject'] !== key) return 'its key is not the stream in ce_subject';
  if (!id) return 'ce_id is missing';
  if (!type) return 'ce_type is missing';
  if (revision === undefined) return 'ce_revision is no revision';
  if (schemaVersion === undefined) return 'ce_schemaversion is no version';
  if (Number.isNaN(time.getTime())) return 'ce_time is no time';
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
