import { hash } from 'node:crypto';
/** An event as the log has it, see `RecordedEvent`. */
export interface Logged {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  readonly time: Date;
  readonly type: string;
  readonly schemaVersion: number;
  readonly data: string;
  readonly metadata: string;
}

/**
 * The leaf of an event: a record in canonical JSON (RFC 8785), with the hash of what is stored in `data` and `metadata`. An erasure
 * destroys keys and changes no stored byte, so the leaf stays the same.
 */
export function leafOf(recorded: Logged): Buffer {
  const { id, position, revision, schemaVersion, stream, time, type } = recorded;
  // In the order of RFC 8785. These texts and numbers have the same form there as in JavaScript.
  return Buffer.from(
    JSON.stringify({
      hash: storedHash(recorded),
      id,
      position,
      revision,
      schemaVersion,
      stream,
      time: time.toISOString(),
      type,
    }),
  );
}

/** SHA-256 in hex over the data, a line break and the metadata, byte for byte as stored. */
export function storedHash({ data, metadata }: Pick<Logged, 'data' | 'metadata'>): string {
  return hash('sha256', `${data}\n${metadata}`);
}
