import { hash } from 'node:crypto';
import type { FilterScalar } from '../filter.ts';

/** Under what a memory is filed, as a signed 64-bit integer in decimal. */
export type PostingKey = string;

/** All keys from the first to the last of them. */
export interface KeyRange {
  readonly from: PostingKey;
  readonly to: PostingKey;
}

/** Keys of which a memory must have one. */
export interface AnyOf {
  readonly keys: readonly PostingKey[];
  readonly ranges: readonly KeyRange[];
}

/** The key of a value at a field: the first eight bytes of a SHA-256. */
export function keyOf(field: string, path: readonly string[], value: FilterScalar): PostingKey {
  return digestOf([field, path, value]).readBigInt64BE(0).toString();
}

/** A memory whose metadata make too many keys is filed under this one, which every look into metadata takes along. */
export const muchMetadata = keyOf('much metadata', [], null);

/** A number in a path may be a place in a list, whose members are filed under the list. */
export function mayLeadIntoList(path: readonly string[]): boolean {
  return path.some((key) => /^\s*[-+]?\d/.test(key));
}

/**
 * The key of a number at a field, in the order of the numbers there: four bytes name the field, four more are the beginning of
 * the number as IEEE 754 double, with the bits of negative ones turned round, as which it sorts. Numbers that differ by less than a
 * millionth of themselves may have one key.
 */
export function orderedKeyOf(field: string, path: readonly string[], value: number): PostingKey {
  return placed(field, path, sortable(value));
}

/** From one number to another, both included; infinite where an end is missing. */
export interface Ends {
  readonly from: number;
  readonly to: number;
}

/** The keys of all numbers at a field between two ends. */
export function rangeOf(field: string, path: readonly string[], { from, to }: Ends): KeyRange {
  return { from: placed(field, path, sortable(from)), to: placed(field, path, sortable(to)) };
}

function placed(field: string, path: readonly string[], place: number): PostingKey {
  const name = digestOf(['order', field, path]).readInt32BE(0);
  return ((BigInt(name) << 32n) | BigInt(place)).toString();
}

function sortable(value: number): number {
  const bytes = Buffer.allocUnsafe(8);
  // There is one zero.
  bytes.writeDoubleBE(value === 0 ? 0 : value);
  const bits = bytes.readUInt32BE(0);
  return (bits & 0x80000000) === 0 ? (bits | 0x80000000) >>> 0 : ~bits >>> 0;
}

function digestOf(name: unknown): Buffer {
  return hash('sha256', JSON.stringify(name), 'buffer');
}
