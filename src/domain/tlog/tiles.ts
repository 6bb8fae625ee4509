import { hashBytes, nodeHash, type Hash, type ReadNode } from './merkle.ts';

/** Number of hashes in a full tile, and levels of the tree that a tile stands for (C2SP tlog-tiles). */
export const tileWidth = 256;
const tileHeight = 8;

/** The first hashes of a tile, one after the other: those that the tree has. */
export type ReadTile = (level: number, index: number) => Promise<Buffer>;

/** Nodes of the tree from its tiles. Each tile is read once. */
export function nodesOf(readTile: ReadTile): ReadNode {
  const tiles = new Map<string, Promise<Buffer>>();
  return async (level, index) => {
    const tileLevel = Math.floor(level / tileHeight);
    const height = level % tileHeight;
    const first = index * 2 ** height;
    const tileIndex = Math.floor(first / tileWidth);
    const key = `${tileLevel}/${tileIndex}`;
    let tile = tiles.get(key);
    if (!tile) tiles.set(key, (tile = readTile(tileLevel, tileIndex)));
    const start = (first % tileWidth) * hashBytes;
    const end = start + 2 ** height * hashBytes;
    const hashes = (await tile).subarray(start, end);
    if (hashes.length < end - start) throw new RangeError(`the tile ${key} has no node ${level}/${index}`);
    return treeHash(hashes);
  };
}

/** Root of a complete subtree whose leaves' hashes lie one after the other. */
export function treeHash(hashes: Buffer): Hash {
  let level = hashes;
  while (level.length > hashBytes) {
    const next = Buffer.allocUnsafe(level.length / 2);
    for (let at = 0; at < level.length; at += 2 * hashBytes)
      nodeHash(level.subarray(at, at + hashBytes), level.subarray(at + hashBytes, at + 2 * hashBytes)).copy(
        next,
        at / 2,
      );
    level = next;
  }
  return level;
}

/** A tile as its address names it. `width` is that of a partial tile, 256 for a full one. */
export interface TileName {
  readonly level: number | 'entries';
  readonly index: number;
  readonly width: number;
}

/** Address of a tile below the prefix of the log, such as `tile/0/x001/067.p/5`. */
export function tilePath({ level, index, width }: TileName): string {
  const digits = String(index)
    .padStart(Math.ceil(String(index).length / 3) * 3, '0')
    .match(/\d{3}/g)!;
  const path = digits.map((three, n) => (n < digits.length - 1 ? `x${three}` : three)).join('/');
  return `tile/${level}/${path}${width < tileWidth ? `.p/${width}` : ''}`;
}

/** The tile that an address below the prefix names; undefined if it names none. */
export function parseTilePath(path: string): TileName | undefined {
  const [, level, digits, width] =
    /^tile\/(entries|0|[1-9]\d?)\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/.exec(path) ?? [];
  if (level === undefined || digits === undefined) return undefined;
  const name = {
    level: level === 'entries' ? ('entries' as const) : Number(level),
    index: Number(digits.replaceAll(/[x/]/g, '')),
    width: width === undefined ? tileWidth : Number(width),
  };
  // There is one address for each tile.
  return tilePath(name) === path ? name : undefined;
}

/** An entry bundle: each entry after its length, 16 bits, big-endian. */
export function entryBundle(entries: readonly Buffer[]): Buffer {
  return Buffer.concat(
    entries.flatMap((entry) => {
      const length = Buffer.allocUnsafe(2);
      length.writeUInt16BE(entry.length);
      return [length, entry];
    }),
  );
}

/** The entries of a bundle. Throws a `RangeError` if it ends within an entry. */
export function bundledEntries(bundle: Buffer): Buffer[] {
  const entries: Buffer[] = [];
  for (let at = 0; at < bundle.length;) {
    const end = at + 2 + bundle.readUInt16BE(at);
    if (end > bundle.length) throw new RangeError('the bundle ends within an entry');
    entries.push(bundle.subarray(at + 2, end));
    at = end;
  }
  return entries;
}
