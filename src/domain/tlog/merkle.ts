import { hash } from 'node:crypto';

/** A SHA-256 hash of 32 bytes. */
export type Hash = Buffer;
export const hashBytes = 32;

/** Hash of a leaf (RFC 6962, 2.1). */
export function leafHash(entry: Uint8Array | string): Hash {
  return sha256(Buffer.concat([leafPrefix, typeof entry === 'string' ? Buffer.from(entry) : entry]));
}

/** Hash of an inner node (RFC 6962, 2.1). */
export function nodeHash(left: Hash, right: Hash): Hash {
  return sha256(Buffer.concat([nodePrefix, left, right]));
}

// One call is three times as fast as a `Hash` object, and a log has millions of leaves.
const sha256 = (bytes: Uint8Array): Hash => hash('sha256', bytes, 'buffer');
const leafPrefix = Uint8Array.of(0);
const nodePrefix = Uint8Array.of(1);

/** Root of the empty tree. */
export const emptyRoot: Hash = sha256(new Uint8Array());

/** Hashes of complete subtrees: `level` 0 are the leaves, and the node `index` of a level has `2 ** level` leaves. */
export type ReadNode = (level: number, index: number) => Hash | Promise<Hash>;

/** Merkle tree hash of the first `size` leaves. */
export async function rootOf(size: number, node: ReadNode): Promise<Hash> {
  return size === 0 ? emptyRoot : rangeHash(0, size, node);
}

/** The audit path of a leaf in the tree of the first `size` leaves, from its sibling to the root's child (RFC 6962, 2.1.1). */
export async function inclusionProof(index: number, size: number, node: ReadNode): Promise<Hash[]> {
  if (index < 0 || index >= size) throw new RangeError(`no leaf ${index} in a tree of ${size}`);
  const path: Hash[] = [];
  let [from, to] = [0, size];
  while (to - from > 1) {
    const middle = from + split(to - from);
    if (index < middle) {
      path.unshift(await rangeHash(middle, to, node));
      to = middle;
    } else {
      path.unshift(await rangeHash(from, middle, node));
      from = middle;
    }
  }
  return path;
}

/** Proves that the tree of `newSize` leaves begins with the one of `oldSize` (RFC 6962, 2.1.2). Empty for 0 and for equal sizes. */
export async function consistencyProof(oldSize: number, newSize: number, node: ReadNode): Promise<Hash[]> {
  if (oldSize < 0 || oldSize > newSize)
    throw new RangeError(`a tree of ${newSize} does not begin with ${oldSize}`);
  if (oldSize === 0 || oldSize === newSize) return [];
  const path: Hash[] = [];
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
  // The old root is known to who has the old head, if it is a node of the new tree.
  return from === 0 ? path : [await rangeHash(from, to, node), ...path];
}

/** Whether the proof leads from a leaf to `root` (RFC 9162, 2.1.3.2). */
export function verifyInclusion(
  leaf: Hash,
  { index, size, proof, root }: { index: number; size: number; proof: readonly Hash[]; root: Hash },
): boolean {
  if (index < 0 || index >= size) return false;
  let [position, last, hash] = [index, size - 1, leaf];
  for (const sibling of proof) {
    if (last === 0) return false;
    if (position % 2 === 1 || position === last) {
      hash = nodeHash(sibling, hash);
      while (position % 2 === 0 && position !== 0) [position, last] = [half(position), half(last)];
    } else hash = nodeHash(hash, sibling);
    [position, last] = [half(position), half(last)];
  }
  return last === 0 && hash.equals(root);
}

interface Head {
  readonly size: number;
  readonly root: Hash;
}

/** Whether the proof shows that `later` only added leaves to `earlier` (RFC 9162, 2.1.4.2). */
export function verifyConsistency(earlier: Head, later: Head, proof: readonly Hash[]): boolean {
  if (earlier.size > later.size) return false;
  if (earlier.size === later.size) return proof.length === 0 && earlier.root.equals(later.root);
  if (earlier.size === 0) return proof.length === 0 && earlier.root.equals(emptyRoot);
  const path = isPowerOfTwo(earlier.size) ? [earlier.root, ...proof] : [...proof];
  const first = path.shift();
  if (!first) return false;
  let [position, last] = [earlier.size - 1, later.size - 1];
  while (position % 2 === 1) [position, last] = [half(position), half(last)];
  let [old, young] = [first, first];
  for (const sibling of path) {
    if (last === 0) return false;
    if (position % 2 === 1 || position === last) {
      old = nodeHash(sibling, old);
      young = nodeHash(sibling, young);
      while (position % 2 === 0 && position !== 0) [position, last] = [half(position), half(last)];
    } else young = nodeHash(young, sibling);
    [position, last] = [half(position), half(last)];
  }
  return last === 0 && old.equals(earlier.root) && young.equals(later.root);
}

/** Hash of the leaves `from` to `to`, a range that is a subtree of the whole tree. */
async function rangeHash(from: number, to: number, node: ReadNode): Promise<Hash> {
  const size = to - from;
  if (isPowerOfTwo(size)) return node(Math.log2(size), from / size);
  const middle = from + split(size);
  return nodeHash(await rangeHash(from, middle, node), await rangeHash(middle, to, node));
}

/** The largest power of two below `size`: as many leaves are in the left subtree. */
function split(size: number): number {
  return 2 ** Math.floor(Math.log2(size - 1));
}

function isPowerOfTwo(size: number): boolean {
  return 2 ** Math.floor(Math.log2(size)) === size;
}

function half(value: number): number {
  return Math.floor(value / 2);
}
