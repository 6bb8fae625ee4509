import { hash } from 'node:crypto';
import type { FilterScalar } from '../filter.ts';

/** A key that memories are filed under: a signed 64-bit integer in decimal. */
export type PostingKey = string;

/** A range of keys, both ends included. */
export interface KeyRange {
  readonly from: PostingKey;
  readonly to: PostingKey;
}

/** A memory matches if it is filed under one of these keys. */
export interface AnyOf {
  readonly keys: readonly PostingKey[];
  readonly ranges: readonly KeyRange[];
}

/** The key of a value of a field: the first eight bytes of a SHA-256. */
export function keyOf(field: string, path: readonly string[], value: FilterScalar): PostingKey {
  return digestOf([field, path, value]).readBigInt64BE(0).toString();
}

/** A memory whose metadata have too many keys is filed under this one instead. Every lookup of metadata includes it. */
export const muchMetadata = keyOf('much metadata', [], null);

/** Whether a path may index into a list: list members are filed under the path of the list. */
export function mayLeadIntoList(path: readonly string[]): boolean {
  return path.some((key) => /^\s*[-+]?\d/.test(key));
}

/**
 * An order-preserving key of a number in a field. Four bytes name the field; four more are the start of the number as an IEEE 754
 * double, with the bits of negative numbers inverted so that they sort correctly. Numbers that differ by less than a millionth of
 * their value may share a key.
 */
export function orderedKeyOf(field: string, path: readonly string[], value: number): PostingKey {
  return placed(field, path, sortable(value));
}

/** The ends of a range of numbers, both included; infinite if an end is missing. */
export interface Ends {
  readonly from: number;
  readonly to: number;
}

/** The keys of all numbers of a field between two ends. */
export function rangeOf(field: string, path: readonly string[], { from, to }: Ends): KeyRange {
  return { from: placed(field, path, sortable(from)), to: placed(field, path, sortable(to)) };
}

function placed(field: string, path: readonly string[], place: number): PostingKey {
  const name = digestOf(['order', field, path]).readInt32BE(0);
  return ((BigInt(name) << 32n) | BigInt(place)).toString();
}

function sortable(value: number): number {
  const bytes = Buffer.allocUnsafe(8);
  // Negative zero equals zero.
  bytes.writeDoubleBE(value === 0 ? 0 : value);
  const bits = bytes.readUInt32BE(0);
  return (bits & 0x80000000) === 0 ? (bits | 0x80000000) >>> 0 : ~bits >>> 0;
}

function digestOf(name: unknown): Buffer {
  return hash('sha256', JSON.stringify(name), 'buffer');
}
