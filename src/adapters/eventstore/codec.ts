import { hash as digest } from 'node:crypto';
import { compress, decompress } from '../../domain/compression.ts';
import { upcast, type AnyEventDefinition } from '../../domain/events/define.ts';
import { eventDefinitions, type StratalogEvent } from '../../domain/events/registry.ts';
import { inOwnWords } from '../../domain/input/issue-words.ts';
import { maxEventBytes } from '../../domain/memory/content.ts';
import { contentTooLarge } from '../../domain/memory/size.ts';
import type { RecordedEvent, StoredEvent, StreamName } from '../../ports/event-log.ts';
import type { EventMetadata, LoadedEvent } from '../../ports/event-store.ts';
import { recordedSize } from '../../support/recorded-size.ts';
import type { DataKey } from '../../ports/key-vault.ts';
import { open, seal } from '../vault/wrap.ts';

/** Form of `data` in the log: the routing fields in clear text, the rest as ciphertext in base64. */
interface StoredData {
  readonly routing: Record<string, unknown>;
  readonly sealed?: string;
  /** Compression of the plain text before its encryption; none if absent. */
  readonly encoding?: 'deflate-raw';
}

interface SealedPart {
  readonly data: Record<string, unknown>;
  readonly reason?: string;
}

export interface Sealing {
  readonly key?: DataKey;
  readonly reason?: string;
}

/** Validates `event` against its schema and encodes it for the log. */
export function encode(
  id: string,
  stream: StreamName,
  event: StratalogEvent,
  metadata: Omit<EventMetadata, 'hash'>,
  { key, reason }: Sealing,
): StoredEvent {
  const definition = eventDefinitions.get(event.type)!;
  const routing = definition.routing.parse(event.data, { error: inOwnWords });
  const secret: SealedPart = {
    data: definition.sealed.parse(event.data, { error: inOwnWords }),
    ...(key && reason && { reason }),
  };
  const hasSecret = Object.keys(secret.data).length > 0 || secret.reason !== undefined;
  if (hasSecret && !key) throw new Error(`${event.type} has sealed fields and needs a key`);
  const plain = hasSecret ? compress(JSON.stringify(secret)) : undefined;
  const sealed = plain && seal(key!, plain.bytes, contextOf(stream, event.type));
  const data = JSON.stringify({
    routing,
    ...(sealed && { sealed: sealed.toString('base64') }),
    ...(plain?.encoding && { encoding: plain.encoding }),
  } satisfies StoredData);
  const hash = hashOf({ id, stream, type: event.type, schemaVersion: definition.version, data }, metadata);
  const stored = {
    id,
    type: event.type,
    schemaVersion: definition.version,
    data,
    metadata: JSON.stringify({ ...metadata, hash }),
  };
  const bytes = Buffer.byteLength(stored.data) + Buffer.byteLength(stored.metadata);
  if (bytes > maxEventBytes) throw contentTooLarge(bytes, 'content');
  return stored;
}

/** SHA-256 in hex over all stored fields of the event, except those assigned by the log. */
export function hashOf(
  { id, stream, type, schemaVersion, data }: Omit<StoredEvent, 'metadata'> & { readonly stream: StreamName },
  metadata: Omit<EventMetadata, 'hash'>,
): string {
  const parts = [id, stream, type, schemaVersion, data, JSON.stringify(metadata)];
  return digest('sha256', parts.join('\n'));
}

/** Throws if the metadata were not written by this program. */
export function metadataOf(recorded: RecordedEvent): EventMetadata {
  const metadata = JSON.parse(recorded.metadata) as EventMetadata | null;
  if (typeof metadata?.tenant !== 'string') throw new Error('the metadata have no tenant');
  return metadata;
}

/** Decrypts a recorded event, unless its sealed part is to stay `unread`, and upcasts it to the current version. Throws if it cannot be read. */
export function decode(
  recorded: RecordedEvent,
  metadata: EventMetadata,
  key: DataKey | 'destroyed' | 'unread' | undefined,
): LoadedEvent {
  const definition = eventDefinitions.get(recorded.type);
  if (!definition) throw new Error(`unknown event type ${recorded.type}: it was written by a newer program`);
  const { routing, sealed, encoding } = JSON.parse(recorded.data) as StoredData;
  const erased = sealed !== undefined && key === 'destroyed';
  let secret: SealedPart = { data: {} };
  if (sealed !== undefined && !erased && key !== 'unread') {
    if (key !== undefined && key !== 'destroyed') {
      const bytes = open(key, Buffer.from(sealed, 'base64'), contextOf(recorded.stream, recorded.type));
      secret = JSON.parse(decompress({ bytes, ...(encoding && { encoding }) })) as SealedPart;
    } else if (hasSealedFields(definition)) throw new Error(`the vault has no key ${metadata.keyId}`);
  }
  const data = { ...routing, ...secret.data };
  const { id, stream, revision, position, time } = recorded;
  return {
    id,
    stream,
    revision,
    position,
    time,
    size: recordedSize(recorded),
    event: { type: recorded.type, data: upcast(definition, recorded.schemaVersion, data) } as StratalogEvent,
    metadata,
    erased,
    ...(secret.reason !== undefined && { reason: secret.reason }),
  };
}

/** Whether events of this type have sealed fields. Otherwise only the reason may be sealed, and the event is readable without its key. */
function hasSealedFields({ sealed }: AnyEventDefinition): boolean {
  return Object.keys(sealed.shape).length > 0;
}

/** The authenticated context, which keeps ciphertext from being moved to another stream or type. */
function contextOf(stream: StreamName, type: string): string {
  return `${stream}\n${type}`;
}
