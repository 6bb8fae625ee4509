import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseCheckpoint, signCheckpoint } from '../../src/domain/tlog/checkpoint.ts';
import { leafOf } from '../../src/domain/tlog/leaf.ts';
import {
  consistencyProof,
  emptyRoot,
  inclusionProof,
  leafHash,
  nodeHash,
  rootOf,
  verifyConsistency,
  verifyInclusion,
  type Hash,
  type ReadNode,
} from '../../src/domain/tlog/merkle.ts';
import {
  isSignedBy,
  MalformedNote,
  parseNote,
  parseVerifierKey,
  signerOf,
  verifierKey,
} from '../../src/domain/tlog/note.ts';
import { formatProof, parseProof } from '../../src/domain/tlog/proof-file.ts';
import {
  bundledEntries,
  entryBundle,
  nodesOf,
  parseTilePath,
  tilePath,
  treeHash,
} from '../../src/domain/tlog/tiles.ts';

/** The nodes of a tree, straight from its leaves. */
function nodesAbove(leaves: readonly Hash[]): ReadNode {
  const node = (level: number, index: number): Hash => {
    if (level === 0) return leaves[index]!;
    return nodeHash(node(level - 1, 2 * index), node(level - 1, 2 * index + 1));
  };
  return node;
}

const leavesOf = (count: number) => Array.from({ length: count }, (_, n) => leafHash(`leaf ${n}`));

describe('a Merkle tree (RFC 6962)', () => {
  // The inputs and roots of the reference implementation of certificate transparency.
  const inputs = [
    '',
    '00',
    '10',
    '2021',
    '3031',
    '40414243',
    '5051525354555657',
    '606162636465666768696a6b6c6d6e6f',
  ];
  const roots = [
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
    'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
    '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
    'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
    '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
  ];

  it('[F7] has the published roots', async () => {
    const leaves = inputs.map((input) => leafHash(Buffer.from(input, 'hex')));
    for (const [size, root] of roots.entries())
      expect((await rootOf(size, nodesAbove(leaves))).toString('hex')).toBe(root);
    expect(emptyRoot.toString('hex')).toBe(roots[0]);
  });

  it('[F7] proves each leaf and each earlier tree, and nothing else', async () => {
    const leaves = leavesOf(20);
    const node = nodesAbove(leaves);
    for (let size = 1; size <= leaves.length; size++) {
      const root = await rootOf(size, node);
      for (let index = 0; index < size; index++) {
        const proof = await inclusionProof(index, size, node);
        expect(verifyInclusion(leaves[index]!, { index, size, proof, root })).toBe(true);
        expect(verifyInclusion(leafHash('other'), { index, size, proof, root })).toBe(false);
        expect(verifyInclusion(leaves[index]!, { index: index + 1, size, proof, root })).toBe(false);
        expect(verifyInclusion(leaves[index]!, { index, size, proof: [...proof, root], root })).toBe(false);
      }
      for (let old = 0; old <= size; old++) {
        const earlier = { size: old, root: await rootOf(old, node) };
        const proof = await consistencyProof(old, size, node);
        expect(verifyConsistency(earlier, { size, root }, proof), `${old} in ${size}`).toBe(true);
        const forged = { size: old, root: leafHash('forged') };
        if (old > 0) expect(verifyConsistency(forged, { size, root }, proof)).toBe(false);
        if (proof.length > 0) expect(verifyConsistency(earlier, { size, root }, proof.slice(1))).toBe(false);
      }
    }
  });

  it('[F7] has the same nodes when it is read from tiles', async () => {
    const leaves = leavesOf(256 * 3 + 5);
    const tiles = new Map<string, Buffer>();
    for (let index = 0; index < 4; index++)
      tiles.set(`0/${index}`, Buffer.concat(leaves.slice(256 * index, 256 * (index + 1))));
    tiles.set('1/0', Buffer.concat([0, 1, 2].map((index) => treeHash(tiles.get(`0/${index}`)!))));
    const node = nodesOf((level, index) =>
      Promise.resolve(tiles.get(`${level}/${index}`) ?? Buffer.alloc(0)),
    );
    for (const size of [1, 255, 256, 257, 512, 700, leaves.length]) {
      expect(await rootOf(size, node)).toEqual(await rootOf(size, nodesAbove(leaves)));
      const proof = await inclusionProof(size - 1, size, node);
      expect(proof).toEqual(await inclusionProof(size - 1, size, nodesAbove(leaves)));
    }
    await expect(rootOf(leaves.length + 1, node)).rejects.toThrow(RangeError);
  });
});

describe('tiles (C2SP tlog-tiles)', () => {
  it('[F7] have one address each', () => {
    for (const [path, name] of [
      ['tile/0/000', { level: 0, index: 0, width: 256 }],
      ['tile/1/x001/x234/067', { level: 1, index: 1_234_067, width: 256 }],
      ['tile/0/x273/000.p/112', { level: 0, index: 273_000, width: 112 }],
      ['tile/entries/005.p/1', { level: 'entries', index: 5, width: 1 }],
    ] as const) {
      expect(parseTilePath(path)).toEqual(name);
      expect(tilePath(name)).toBe(path);
    }
    for (const path of [
      'tile/0/0',
      'tile/00/000',
      'tile/0/x000/001',
      'tile/0/000.p/256',
      'tile/0/000.p/0',
      'tile/0/1000',
      'tile/100/000',
    ])
      expect(parseTilePath(path), path).toBeUndefined();
  });

  it('[F7] bundle entries with their lengths', () => {
    const entries = [Buffer.from('one'), Buffer.alloc(0), Buffer.alloc(65_535, 1)];
    expect(bundledEntries(entryBundle(entries))).toEqual(entries);
    expect(() => bundledEntries(Buffer.from([0, 9, 1]))).toThrow(RangeError);
  });
});

describe('a signed note (C2SP signed-note)', () => {
  // The example of golang.org/x/mod/sumdb/note.
  const key = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
  const text =
    "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
  const signature =
    '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';

  it('[F7] is verified as others verify it', () => {
    const verifier = parseVerifierKey(key);
    expect(verifierKey(verifier)).toBe(key);
    expect(isSignedBy(parseNote(`${text}\n${signature}`), verifier)).toBe(true);
    expect(isSignedBy(parseNote(`${text.replace('answer', 'cause')}\n${signature}`), verifier)).toBe(false);
  });

  it('[F7] is a head of the log, with a signature of each key', () => {
    const signers = [1, 2].map((byte) => signerOf('log.example/a', Buffer.alloc(32, byte)));
    const root = leafHash('x');
    const note = signCheckpoint({ origin: 'log.example/a', size: 7, root }, signers);
    expect(note.split('\n').slice(0, 4)).toEqual(['log.example/a', '7', root.toString('base64'), '']);
    const head = parseCheckpoint(note);
    expect(head).toMatchObject({ origin: 'log.example/a', size: 7, root });
    for (const signer of signers)
      expect(isSignedBy(head.note, parseVerifierKey(verifierKey(signer)))).toBe(true);
    expect(isSignedBy(head.note, signerOf('log.example/a', Buffer.alloc(32, 3)))).toBe(false);
    expect(isSignedBy(head.note, signerOf('log.example/b', Buffer.alloc(32, 1)))).toBe(false);
  });

  it.each([
    'no signatures\n',
    `${text}\n`,
    `${text}\n- name AAAAAAAA\n`,
    `${text}\n— name\n`,
    `a\n01\n${leafHash('x').toString('base64')}\n\n${signature}`,
    `a\n1\nAAAA\n\n${signature}`,
  ])('[F7] that is malformed is refused: %j', (note) => {
    expect(() => parseCheckpoint(note)).toThrow(MalformedNote);
  });

  it('[F7] refuses a key whose hash is not its own', () => {
    expect(() => parseVerifierKey(key.replace('c74f20a3', 'c74f20a4'))).toThrow(MalformedNote);
    expect(() => parseVerifierKey('PeterNeumann')).toThrow(MalformedNote);
  });
});

it('[F7] a proof file has the entry, its path and the signed head', async () => {
  const leaves = leavesOf(9);
  const node = nodesAbove(leaves);
  const root = await rootOf(9, node);
  const checkpoint = signCheckpoint({ origin: 'a', size: 9, root }, [signerOf('a', Buffer.alloc(32, 1))]);
  const file = {
    index: 4,
    proof: await inclusionProof(4, 9, node),
    checkpoint,
    extra: Buffer.from('leaf 4'),
  };
  const text = formatProof(file);
  expect(text.split('\n').slice(0, 3)).toEqual([
    'c2sp.org/tlog-proof@v1',
    `extra ${file.extra.toString('base64')}`,
    'index 4',
  ]);
  expect(parseProof(text)).toEqual(file);
  const { index, proof, extra } = parseProof(text);
  expect(verifyInclusion(leafHash(extra!), { index, size: 9, proof, root })).toBe(true);
  expect(() => parseProof(text.replace('index 4', 'index 04'))).toThrow(MalformedNote);
  expect(() => parseProof('')).toThrow(MalformedNote);
});

it('[F7] a leaf is canonical JSON with the hash of the stored bytes', () => {
  const leaf = leafOf({
    id: '01a2',
    stream: 'memory-acme.ü"',
    revision: 0,
    position: 7,
    time: new Date('2026-11-28T10:00:00.120Z'),
    type: 'MemoryStored',
    schemaVersion: 1,
    data: '{"routing":{}}',
    metadata: '{"tenant":"acme"}',
  });
  const hash = createHash('sha256').update('{"routing":{}}\n{"tenant":"acme"}').digest('hex');
  const text = leaf.toString();
  expect(text).toBe(
    `{"hash":"${hash}","id":"01a2","position":7,"revision":0,"schemaVersion":1,"stream":"memory-acme.ü\\"","time":"2026-11-28T10:00:00.120Z","type":"MemoryStored"}`,
  );
  const names = Object.keys(JSON.parse(text) as object);
  expect(names).toEqual([...names].sort());
});
