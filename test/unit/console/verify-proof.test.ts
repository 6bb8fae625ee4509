import { describe, expect, it } from 'vitest';
import { verifyFile, verifyReceipt } from '../../../console/src/screens/proof/verify-file.ts';
import { isProven, type Verdict } from '../../../console/src/screens/proof/verdict.ts';
import { verifyCheckpoint, verifyGrowth, verifyProof } from '../../../console/src/screens/proof/verify.ts';
import { tileName, type ReadTile } from '../../../console/src/screens/proof/tiles.ts';
import { signReceipt } from '../../../src/domain/erasure/receipt.ts';
import { signCheckpoint } from '../../../src/domain/tlog/checkpoint.ts';
import { leafOf, storedHash } from '../../../src/domain/tlog/leaf.ts';
import { inclusionProof, leafHash, nodeHash, rootOf, type Hash } from '../../../src/domain/tlog/merkle.ts';
import { signerOf, verifierKey } from '../../../src/domain/tlog/note.ts';
import { formatProof } from '../../../src/domain/tlog/proof-file.ts';
import { parseTilePath, tilePath, treeHash } from '../../../src/domain/tlog/tiles.ts';

const log = 'stratalog/test';
const signer = signerOf(log, new Uint8Array(32).fill(1));
const other = signerOf(log, new Uint8Array(32).fill(2));
const key = verifierKey(signer);
const at = '2026-11-28T12:00:00.000Z';

const logged = (n: number) => ({
  id: `event-${n}`,
  stream: 'memory-acme.one',
  revision: n,
  position: n + 1,
  time: new Date(at),
  type: n === 1 ? 'ErasureRequested' : 'MemoryUpdated',
  schemaVersion: 1,
  data: `{"n":${n}}`,
  metadata: '{}',
});
const total = 700;
const events = Array.from({ length: total }, (_, n) => logged(n));
const leaves = events.map((event) => leafHash(leafOf(event)));

function node(level: number, index: number): Hash {
  if (level === 0) return leaves[index]!;
  return nodeHash(node(level - 1, 2 * index), node(level - 1, 2 * index + 1));
}
const headOf = async (size: number, signers = [signer]) =>
  signCheckpoint({ origin: log, size, root: await rootOf(size, node) }, signers);
const proofOf = async (index: number, size = total) =>
  formatProof({
    index,
    proof: await inclusionProof(index, size, node),
    checkpoint: await headOf(size),
    extra: leafOf(events[index]!),
  });
const shownOf = (n: number) => ({ ...events[n]!, at });

/** Tiles as the server sends them. */
const tiles: ReadTile = (name) => {
  const { level, index, width } = parseTilePath(name)!;
  const below =
    level === 1 ? (n: number) => treeHash(Buffer.concat(leaves.slice(256 * n, 256 * (n + 1)))) : undefined;
  const hashes = Array.from(
    { length: width },
    (_, n) => below?.(256 * index + n) ?? leaves[256 * index + n]!,
  );
  return Promise.resolve(new Uint8Array(Buffer.concat(hashes)));
};

const failed = ({ checks }: Verdict) =>
  checks.filter(({ result }) => result === 'bad').map(({ name }) => name);
const flipped = (text: string, part: string) => {
  const place = text.indexOf(part) + part.length - 3;
  return text.slice(0, place) + (text[place] === 'A' ? 'B' : 'A') + text.slice(place + 1);
};

describe('[F7] a proof in the browser', () => {
  it('is good for each place of trees of all shapes', async () => {
    for (const [index, size] of [
      [0, 1],
      [0, 2],
      [4, 5],
      [255, 256],
      [256, 257],
      [511, 700],
      [699, 700],
    ] as const) {
      const verdict = await verifyProof(await proofOf(index, size), key, shownOf(index));
      expect(
        verdict.checks.map(({ result }) => result),
        `${index} of ${size}`,
      ).toEqual(['good', 'good', 'good']);
      expect(verdict.leaf).toMatchObject({ id: `event-${index}`, position: index + 1 });
      expect(isProven(verdict)).toBe(true);
    }
  });

  it('names what is wrong with it', async () => {
    const proof = await proofOf(300);
    const [, extra = '', , sibling = ''] = proof.split('\n');
    const otherEntry = leafOf({ ...events[300]!, type: 'MemoryErased' }).toString('base64');
    expect(failed(await verifyProof(proof, key))).toEqual([]);
    expect(failed(await verifyProof(proof, verifierKey(other)))).toEqual(['Signature of the head']);
    for (const forged of [
      proof.replace('index 300', 'index 301'),
      proof.replace('index 300', 'index 700'),
      proof.replace(extra, `extra ${otherEntry}`),
      proof.replace(sibling, Buffer.alloc(32).toString('base64')),
      proof.replace(`${sibling}\n`, ''),
      proof.replace(`${sibling}\n`, `${sibling}\n${sibling}\n`),
    ])
      expect(failed(await verifyProof(forged, key))).toEqual(['Path to the root']);
    const root = (await rootOf(total, node)).toString('base64');
    const otherRoot = Buffer.alloc(32, 7).toString('base64');
    expect(failed(await verifyProof(proof.replace(root, otherRoot), key))).toEqual([
      'Signature of the head',
      'Path to the root',
    ]);
    expect(failed(await verifyProof(flipped(proof, '=\n'), key)).length).toBeGreaterThan(0);
    for (const nothing of ['', 'hello', proof.slice(0, 200), proof.replace('@v1', '@v2')])
      expect(failed(await verifyProof(nothing, key))).toEqual(['Form']);
    for (const wrong of [
      '',
      'a+b+c',
      `${key.slice(0, -4)}AAA=`,
      key.replace(/\+[0-9a-f]{8}\+/, '+00000000+'),
    ])
      expect(isProven(await verifyProof(proof, wrong))).toBe(false);
  });

  it('is about the event that the audit shows, or says what differs', async () => {
    const proof = await proofOf(3);
    for (const change of [
      { id: 'x' },
      { stream: 'x' },
      { revision: 9 },
      { type: 'x' },
      { at: '2026-11-28T12:00:01Z' },
    ]) {
      const [name] = Object.keys(change);
      const verdict = await verifyProof(proof, key, { ...shownOf(3), ...change });
      expect(failed(verdict)).toEqual(['The event that the audit shows']);
      expect(verdict.checks.at(-1)!.detail).toContain(name === 'at' ? 'time' : name);
    }
  });
});

describe('[F7] the growth of a log in the browser', () => {
  it('is proven between all kinds of sizes by tiles', async () => {
    for (const [old, young] of [
      [0, 5],
      [1, 2],
      [6, 7],
      [255, 256],
      [256, 700],
      [257, 700],
      [512, 700],
      [700, 700],
    ] as const) {
      const verdict = await verifyGrowth(await headOf(young), await headOf(old), key, tiles);
      expect(
        verdict.checks.map(({ result }) => result),
        `${old} to ${young}`,
      ).toEqual(['good', 'good', 'good']);
    }
  });

  it('is refused for a head of another history, of another key, and for tiles that were changed', async () => {
    const forged = signCheckpoint({ origin: log, size: 300, root: Buffer.alloc(32, 3) }, [signer]);
    const changed: ReadTile = async (name) =>
      (await tiles(name)).map((byte, n) => (n === 0 ? byte ^ 1 : byte));
    const short: ReadTile = async (name) => (await tiles(name)).slice(0, 64);
    const foreign = signCheckpoint({ origin: 'stratalog/other', size: 300, root: await rootOf(300, node) }, [
      signer,
    ]);
    const growth = (earlier: string, read = tiles) =>
      headOf(700).then((head) => verifyGrowth(earlier, head, key, read));
    expect(failed(await growth(forged))).toEqual(['Nothing changed between them']);
    expect(failed(await growth(await headOf(300, [other])))).toEqual(['Signature of the earlier head']);
    expect(failed(await growth(await headOf(300), changed))).toEqual(['Nothing changed between them']);
    expect(failed(await growth(foreign))).toEqual(['Form']);
    expect(isProven(await growth(await headOf(300), short))).toBe(false);
  });

  it('asks for tiles by the names that the server gives them', () => {
    for (const [level, index, size] of [
      [0, 0, 5],
      [0, 1, 700],
      [0, 2, 700],
      [1, 0, 700],
      [0, 1234, 400_000],
      [0, 1_234_067, 2 ** 40],
    ] as const) {
      const hashes = Math.floor(size / 256 ** level);
      const width = Math.min(256, hashes - index * 256);
      expect(tileName(level, index, size)).toBe(tilePath({ level, index, width }));
    }
  });
});

describe('[F6] a receipt in the browser', () => {
  const surfaces = [{ name: 'memories', count: 3, state: 'cleared' as const, at }];
  const receipt = {
    erasureId: 'one',
    log,
    tenant: 'acme',
    target: { kind: 'subject' as const, subject: 'someone', generation: 0 },
    event: { id: 'event-1', position: 2, hash: storedHash(events[1]!) },
    requestedAt: at,
    completedAt: at,
    surfaces,
    outOfReach: [],
  };
  const shown = { id: 'one', surfaces, signature: signReceipt(receipt, [signer]) };

  it('is good with its proof, and not complete without', async () => {
    const verdict = await verifyReceipt({ ...shown, proof: await proofOf(1) }, key);
    expect(isProven(verdict)).toBe(true);
    expect(verdict.receipt).toMatchObject({ erasureId: 'one' });
    expect(failed(await verifyReceipt(shown, key))).toEqual([]);
    expect(isProven(await verifyReceipt(shown, key))).toBe(false);
    expect(isProven(await verifyReceipt({ ...shown, signature: undefined }, key))).toBe(false);
  });

  it('names what was changed', async () => {
    const proof = await proofOf(1);
    const forged = signReceipt(receipt, [other]);
    const verdicts: readonly [object, string][] = [
      [{ signature: forged }, 'Signature of the receipt'],
      [{ signature: shown.signature.replace('"count":3', '"count":2') }, 'Signature of the receipt'],
      [{ id: 'two' }, 'What is shown is what was signed'],
      [{ surfaces: [] }, 'What is shown is what was signed'],
      [{ proof: await proofOf(0) }, 'The proof is about this erasure'],
      [{ proof: proof.replace('index 1\n', 'index 2\n') }, 'Path to the root'],
    ];
    for (const [change, name] of verdicts)
      expect(failed(await verifyReceipt({ ...shown, proof, ...change }, key))).toContain(name);
  });
});

describe('a file from elsewhere', () => {
  it('is verified as what it is', async () => {
    expect(failed(await verifyFile(await headOf(5), key))).toEqual([]);
    expect((await verifyFile(await headOf(5), key)).head).toMatchObject({ size: 5, origin: log });
    expect(isProven(await verifyFile(await proofOf(5), key))).toBe(true);
    expect(failed(await verifyFile(await headOf(5, [other]), key))).toEqual(['Signature of the head']);
    expect(failed(await verifyCheckpoint((await headOf(5)).replace('\n5\n', '\n6\n'), key))).toEqual([
      'Signature of the head',
    ]);
    for (const text of ['', '{', '[]', 'nothing', '{"id":"x"}'])
      expect(isProven(await verifyFile(text, key))).toBe(false);
  });
});
