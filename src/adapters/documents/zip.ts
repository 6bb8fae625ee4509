import { crc32, inflateRawSync } from 'node:zlib';
import { Problem } from '../../domain/problems.ts';

/** Limits of what an archive may unpack to. The figures of the archive are checked first, and the actual output as well. */
export interface ZipLimits {
  readonly maxEntries: number;
  /** Bytes of all entries together. */
  readonly maxUnpacked: number;
  /** Unpacked bytes for each packed byte of an entry that unpacks to more than `freeUnpacked` bytes. */
  readonly maxRatio: number;
  readonly freeUnpacked: number;
}

export const zipLimits: ZipLimits = {
  maxEntries: 10_000,
  maxUnpacked: 512 * 1024 * 1024,
  maxRatio: 200,
  freeUnpacked: 10 * 1024 * 1024,
};

/** An archive whose entries are unpacked when they are read. */
export interface ZipArchive {
  readonly names: readonly string[];
  has(name: string): boolean;
  /** Undefined if there is no such entry. Throws `document-unreadable` if the entry is damaged. */
  bytes(name: string): Uint8Array | undefined;
  /** An entry as text, in UTF-8 or UTF-16 by its byte order mark. */
  text(name: string): string | undefined;
}

interface Entry {
  readonly name: string;
  readonly isEncrypted: boolean;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly unpacked: number;
  readonly offset: number;
}

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const localSignature = 0x04034b50;
const endSize = 22;
const maxCommentSize = 0xffff;
/** A size or offset that is only in a ZIP64 record. */
const in64 = 0xffffffff;

/** Reads the directory of a ZIP archive. Throws `document-unreadable` if it is damaged and `document-too-large` beyond the limits. */
export function openZip(bytes: Uint8Array, limits: ZipLimits = zipLimits): ZipArchive {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries = readDirectory(view, limits);
  checkLimits(entries, limits);
  // Names are compared without case, as Office does: some programs write `xl/sharedStrings.xml`, others `xl/SharedStrings.xml`.
  const byName = new Map(entries.map((entry) => [keyOf(entry.name), entry]));
  let left = limits.maxUnpacked;
  const read = (name: string): Uint8Array | undefined => {
    const entry = byName.get(keyOf(name));
    if (!entry) return undefined;
    if (entry.unpacked > left) throw tooLarge(`it unpacks to more than ${megabytes(limits.maxUnpacked)} MB`);
    const content = unpack(view, entry);
    left -= content.length;
    return content;
  };
  return {
    names: entries.map(({ name }) => name),
    has: (name) => byName.has(keyOf(name)),
    bytes: read,
    text: (name) => {
      const content = read(name);
      return content && decode(content);
    },
  };
}

function readDirectory(view: DataView, limits: ZipLimits): Entry[] {
  const end = findEnd(view);
  const count = view.getUint16(end + 10, true);
  const start = view.getUint32(end + 16, true);
  if (count > limits.maxEntries) throw tooLarge(`it has more than ${limits.maxEntries} files`);
  if (count === 0xffff || start === in64) throw tooLarge('it is a ZIP64 archive');
  const entries: Entry[] = [];
  let at = start;
  for (let index = 0; index < count; index++) {
    if (at + 46 > view.byteLength || view.getUint32(at, true) !== entrySignature) {
      throw damaged('the directory of its ZIP archive is damaged');
    }
    const nameLength = view.getUint16(at + 28, true);
    const flags = view.getUint16(at + 8, true);
    const name = new Uint8Array(view.buffer, view.byteOffset + at + 46, nameLength);
    entries.push({
      name: new TextDecoder(flags & 0x800 ? 'utf-8' : 'latin1').decode(name).replaceAll('\\', '/'),
      isEncrypted: (flags & 1) !== 0,
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      packed: view.getUint32(at + 20, true),
      unpacked: view.getUint32(at + 24, true),
      offset: view.getUint32(at + 42, true),
    });
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries;
}

/** The end record is the last thing in the file, before a comment. A file that was cut has none. */
function findEnd(view: DataView): number {
  const first = Math.max(0, view.byteLength - endSize - maxCommentSize);
  for (let at = view.byteLength - endSize; at >= first; at--) {
    if (view.getUint32(at, true) === endSignature) return at;
  }
  throw damaged('it is cut off or no ZIP archive: the end of the archive is missing');
}

function checkLimits(entries: readonly Entry[], limits: ZipLimits): void {
  let total = 0;
  for (const { unpacked, packed } of entries) {
    if (unpacked === in64) throw tooLarge('it is a ZIP64 archive');
    total += unpacked;
    if (total > limits.maxUnpacked)
      throw tooLarge(`it unpacks to more than ${megabytes(limits.maxUnpacked)} MB`);
    if (unpacked > limits.freeUnpacked && unpacked > packed * limits.maxRatio) {
      throw tooLarge(`a file in it unpacks to more than ${limits.maxRatio} times its size`);
    }
  }
}

/** The output is bounded by the declared size, so an archive that lies about it stops before memory fills. */
function unpack(view: DataView, entry: Entry): Uint8Array {
  if (entry.isEncrypted) throw damaged(`it is encrypted: ${entry.name} needs a password`);
  if (entry.offset + 30 > view.byteLength || view.getUint32(entry.offset, true) !== localSignature) {
    throw damaged(`${entry.name} is missing from its ZIP archive`);
  }
  const start =
    entry.offset + 30 + view.getUint16(entry.offset + 26, true) + view.getUint16(entry.offset + 28, true);
  if (start + entry.packed > view.byteLength) throw damaged(`${entry.name} is cut off`);
  const packed = new Uint8Array(view.buffer, view.byteOffset + start, entry.packed);
  const content = entry.method === 0 ? packed : inflate(packed, entry);
  if (content.length !== entry.unpacked || crc32(content) !== entry.crc) {
    throw damaged(`${entry.name} is damaged: its checksum differs`);
  }
  return content;
}

function inflate(packed: Uint8Array, entry: Entry): Uint8Array {
  if (entry.method !== 8) throw damaged(`${entry.name} is packed with an unknown method`);
  if (entry.unpacked === 0) return new Uint8Array();
  try {
    return inflateRawSync(packed, { maxOutputLength: entry.unpacked });
  } catch (cause) {
    if (cause instanceof RangeError) throw tooLarge(`${entry.name} unpacks to more than it declares`);
    throw damaged(`${entry.name} is damaged and cannot be unpacked`, cause);
  }
}

function decode(content: Uint8Array): string {
  const encoding =
    content[0] === 0xff && content[1] === 0xfe
      ? 'utf-16le'
      : content[0] === 0xfe && content[1] === 0xff
        ? 'utf-16be'
        : 'utf-8';
  return new TextDecoder(encoding).decode(content);
}

function keyOf(name: string): string {
  return name.replace(/^\/+/, '').toLowerCase();
}

function megabytes(bytes: number): number {
  return Math.floor(bytes / 1024 / 1024);
}

function damaged(detail: string, cause?: unknown): Problem {
  return new Problem('document-unreadable', detail, { cause });
}

function tooLarge(detail: string): Problem {
  return new Problem('document-too-large', detail);
}
