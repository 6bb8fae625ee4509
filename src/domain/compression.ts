import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** Shorter texts gain less than the marker costs. */
const leastBytes = 1_024;
/** Limit for decompressed texts, above the largest memory with its metadata. Guards against data that expands without bounds. */
const maxOutputLength = 64 * 1024 * 1024;

export interface Compressed {
  readonly bytes: Buffer;
  /** Undefined if the bytes are the UTF-8 of the text itself. */
  readonly encoding?: 'deflate-raw';
}

/** The UTF-8 of `text`, compressed (RFC 1951) where that makes it shorter. */
export function compress(text: string): Compressed {
  const plain = Buffer.from(text);
  if (plain.length < leastBytes) return { bytes: plain };
  const bytes = deflateRawSync(plain);
  return bytes.length < plain.length ? { bytes, encoding: 'deflate-raw' } : { bytes: plain };
}

/** Inverse of `compress`. Throws on bytes that it did not write. */
export function decompress({ bytes, encoding }: Compressed): string {
  return (encoding === undefined ? bytes : inflateRawSync(bytes, { maxOutputLength })).toString('utf8');
}
