import type { Bytes } from './bytes.ts';
import { hashBytes, nodeHash, type ReadNode } from './merkle.ts';

const tileWidth = 256;
const tileHeight = 8;

/** Reads the bytes of a tile by its name, such as `tile/0/000.p/5`. */
export type ReadTile = (name: string) => Promise<Bytes>;

/** The name of a tile of a tree with `size` leaves (C2SP tlog-tiles). A tile that the tree does not fill names how many hashes it has. */
export function tileName(level: number, index: number, size: number): string {
  const hashes = Math.floor(size / tileWidth ** level);
  const width = Math.min(tileWidth, hashes - index * tileWidth);
  const digits = String(index).padStart(3 * Math.ceil(String(index).length / 3), '0');
  const groups = digits.match(/\d{3}/g) ?? [];
  const path = groups.map((group, place) => (place < groups.length - 1 ? `x${group}` : group)).join('/');
  return `tile/${level}/${path}${width === tileWidth ? '' : `.p/${width}`}`;
}

/** Nodes of the tree with `size` leaves, computed from its tiles. Each tile is read once. */
export function nodesOf(size: number, read: ReadTile): ReadNode {
  const tiles = new Map<string, Promise<Bytes>>();
  return async (level, index) => {
    const height = level % tileHeight;
    const first = index * 2 ** height;
    const name = tileName(Math.floor(level / tileHeight), Math.floor(first / tileWidth), size);
    let tile = tiles.get(name);
    if (!tile) tiles.set(name, (tile = read(name)));
    const start = (first % tileWidth) * hashBytes;
    const end = start + 2 ** height * hashBytes;
    const hashes = (await tile).slice(start, end);
    if (hashes.length < end - start) throw new RangeError(`${name} is shorter than the tree`);
    return treeHash(hashes);
  };
}

/** Root of a complete subtree whose leaves' hashes lie one after the other. */
async function treeHash(hashes: Bytes): Promise<Bytes> {
  if (hashes.length === hashBytes) return hashes;
  const middle = hashes.length / 2;
  return nodeHash(await treeHash(hashes.slice(0, middle)), await treeHash(hashes.slice(middle)));
}
