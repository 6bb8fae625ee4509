import type { Expected } from './append-decision.ts';
import type { ProposedEvent } from './database.ts';
import { idOf } from './messages.ts';
import type { shared } from './stubs.ts';

interface ExpectedOptions {
  hasNoStream(): boolean;
  hasAny(): boolean;
  hasStreamExists(): boolean;
}

/** `revision` returns the expected revision; it is only called if no other expectation is set. */
export function expectedOf(options: ExpectedOptions, revision: () => string): Expected {
  if (options.hasNoStream()) return 'no_stream';
  if (options.hasAny()) return 'any';
  return options.hasStreamExists() ? 'stream_exists' : BigInt(revision());
}

/** The number that represents an expectation in error trailers. */
export function expectedNumber(expected: Expected): bigint {
  if (typeof expected === 'bigint') return expected;
  return { any: -2n, no_stream: -1n, stream_exists: -4n }[expected];
}

interface ProposedMessage {
  getId(): InstanceType<typeof shared.UUID> | undefined;
  getMetadataMap(): { get(key: string): string | undefined };
  getData_asU8(): Uint8Array;
  getCustomMetadata_asU8(): Uint8Array;
}

/** Undefined if the id is not a UUID. */
export function proposedEvent(message: ProposedMessage): ProposedEvent | undefined {
  const id = idOf(message.getId());
  if (id === undefined) return undefined;
  const header = message.getMetadataMap();
  return {
    id,
    type: header.get('type') ?? '',
    contentType: header.get('content-type') ?? 'application/octet-stream',
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}

/** Size of an append as the server counts it for its limit. */
export function appendBytes(events: readonly ProposedEvent[]): number {
  return events.reduce(
    (sum, { data, metadata, type }) => sum + data.length + metadata.length + 2 * type.length,
    0,
  );
}
