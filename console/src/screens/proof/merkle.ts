/**
 * The Merkle tree of the log. It is written apart from the server's (`src/domain/tlog/merkle.ts`) on purpose: a verifier that shared the
 * server's code would share its mistakes. Tests verify proofs of the server with it.
 */
import { areEqual, concatenated, sha256, type Bytes } from './bytes.ts';

export const hashBytes = 32;

/** Hash of a leaf (RFC 6962, 2.1). */
export const leafHash = (entry: Bytes): Promise<Bytes> => sha256(concatenated(Uint8Array.of(0), entry));

/** Hash of an inner node (RFC 6962, 2.1). */
export const nodeHash = (left: Bytes, right: Bytes): Promise<Bytes> =>
  sha256(concatenated(Uint8Array.of(1), left, right));

/** Size and root of a tree. */
export interface Head {
  readonly size: number;
  readonly root: Bytes;
}

const half = (value: number): number => Math.floor(value / 2);

/** The root to which the hashes lead from a leaf (RFC 9162, 2.1.3.2); undefined if there are too few or too many of them. */
export async function rootFrom(
  leaf: Bytes,
  index: number,
  size: number,
  hashes: readonly Bytes[],
): Promise<Bytes | undefined> {
  if (index < 0 || index >= size) return undefined;
  let [position, last, hash] = [index, size - 1, leaf];
  for (const sibling of hashes) {
    if (last === 0) return undefined;
    if (position % 2 === 1 || position === last) {
      hash = await nodeHash(sibling, hash);
      while (position % 2 === 0 && position !== 0) [position, last] = [half(position), half(last)];
    } else hash = await nodeHash(hash, sibling);
    [position, last] = [half(position), half(last)];
  }
  return last === 0 ? hash : undefined;
}

/** Whether the hashes show that `later` only added leaves to `earlier` (RFC 9162, 2.1.4.2). */
export async function isConsistent(earlier: Head, later: Head, hashes: readonly Bytes[]): Promise<boolean> {
  if (earlier.size > later.size) return false;
  if (earlier.size === later.size) return hashes.length === 0 && areEqual(earlier.root, later.root);
  if (earlier.size === 0)
    return hashes.length === 0 && areEqual(earlier.root, await sha256(new Uint8Array()));
  const path = isPowerOfTwo(earlier.size) ? [earlier.root, ...hashes] : [...hashes];
  const first = path.shift();
  if (!first) return false;
  let [position, last] = [earlier.size - 1, later.size - 1];
  while (position % 2 === 1) [position, last] = [half(position), half(last)];
  let [old, young] = [first, first];
  for (const sibling of path) {
    if (last === 0) return false;
    if (position % 2 === 1 || position === last) {
      old = await nodeHash(sibling, old);
      young = await nodeHash(sibling, young);
      while (position % 2 === 0 && position !== 0) [position, last] = [half(position), half(last)];
    } else young = await nodeHash(young, sibling);
    [position, last] = [half(position), half(last)];
  }
  return last === 0 && areEqual(old, earlier.root) && areEqual(young, later.root);
}

/** Reads the hash of a complete subtree of `2 ** level` leaves. */
export type ReadNode = (level: number, index: number) => Promise<Bytes>;

/** The hashes that `isConsistent` needs (RFC 6962, 2.1.2). */
export async function consistencyHashes(
  oldSize: number,
  newSize: number,
  node: ReadNode,
): Promise<readonly Bytes[]> {
  if (oldSize === 0 || oldSize >= newSize) return [];
  const path: Bytes[] = [];
  let [from, to] = [0, newSize];
  while (to !== oldSize) {
    const middle = from + split(to - from);
    if (oldSize <= middle) {
      path.unshift(await rangeHash(middle, to, node));
      to = middle;
    } else {
      path.unshift(await rangeHash(from, middle, node));
      from = middle;
    }
  }
  return from === 0 ? path : [await rangeHash(from, to, node), ...path];
}

/** Hash of the leaves `from` to `to`, a range that is a subtree of the whole tree. */
async function rangeHash(from: number, to: number, node: ReadNode): Promise<Bytes> {
  const size = to - from;
  if (isPowerOfTwo(size)) return node(Math.log2(size), from / size);
  const middle = from + split(size);
  return nodeHash(await rangeHash(from, middle, node), await rangeHash(middle, to, node));
}

/** The largest power of two below `size`: as many leaves are in the left subtree. */
const split = (size: number): number => 2 ** Math.floor(Math.log2(size - 1));

const isPowerOfTwo = (size: number): boolean => 2 ** Math.floor(Math.log2(size)) === size;
