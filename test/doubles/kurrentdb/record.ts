import { crc32 } from 'node:zlib';

/** An event as stored in the file. */
export interface EventRecord {
  readonly stream: string;
  readonly revision: bigint;
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

/** A record with its position: the offset of its first byte in the file. */
export interface PlacedRecord extends EventRecord {
  readonly position: number;
}

interface Head extends Record<string, unknown> {
  readonly stream: string;
  readonly revision: string;
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly created: number;
  readonly dataLength: number;
  readonly metadataLength: number;
}

/** Bytes before a frame's payload, for its length and its checksum. */
const frameHeader = 8;

/** Encodes the events of one append as one frame, so an incomplete write loses all of them or none. */
export function encodeFrame(
  records: readonly EventRecord[],
  offset: number,
): { bytes: Buffer; placed: PlacedRecord[] } {
  const parts: Uint8Array[] = [];
  const placed: PlacedRecord[] = [];
  let length = 0;
  for (const record of records) {
    placed.push({ ...record, position: offset + frameHeader + length });
    const { stream, revision, id, type, contentType, created, data, metadata } = record;
    const head = Buffer.from(
      JSON.stringify({
        stream,
        revision: String(revision),
        id,
        type,
        contentType,
        created,
        dataLength: data.length,
        metadataLength: metadata.length,
      } satisfies Head),
    );
    const size = Buffer.alloc(4);
    size.writeUInt32BE(head.length);
    parts.push(size, head, data, metadata);
    length += 4 + head.length + data.length + metadata.length;
  }
  const header = Buffer.alloc(frameHeader);
  const payload = Buffer.concat(parts);
  header.writeUInt32BE(payload.length);
  header.writeUInt32BE(crc32(payload), 4);
  return { bytes: Buffer.concat([header, payload]), placed };
}

/** The frame at `offset`; undefined if it is incomplete. */
export function decodeFrame(
  file: Buffer,
  offset: number,
): { records: PlacedRecord[]; end: number } | undefined {
  if (offset + frameHeader > file.length) return undefined;
  const start = offset + frameHeader;
  const end = start + file.readUInt32BE(offset);
  if (end > file.length || crc32(file.subarray(start, end)) !== file.readUInt32BE(offset + 4))
    return undefined;
  const records: PlacedRecord[] = [];
  for (let at = start; at < end;) {
    const position = at;
    const headEnd = at + 4 + file.readUInt32BE(at);
    const { revision, dataLength, metadataLength, ...rest } = JSON.parse(
      file.toString('utf8', at + 4, headEnd),
    ) as Head;
    const dataEnd = headEnd + dataLength;
    at = dataEnd + metadataLength;
    // Copied, because a view would keep the whole file in memory.
    const data = Uint8Array.from(file.subarray(headEnd, dataEnd));
    const metadata = Uint8Array.from(file.subarray(dataEnd, at));
    records.push({ ...rest, revision: BigInt(revision), data, metadata, position });
  }
  return { records, end };
}
