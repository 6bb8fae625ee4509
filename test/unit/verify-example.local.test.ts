import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signCheckpoint } from '../../src/domain/tlog/checkpoint.ts';
import { leafOf } from '../../src/domain/tlog/leaf.ts';
import { inclusionProof, leafHash, nodeHash, rootOf, type Hash } from '../../src/domain/tlog/merkle.ts';
import { signerOf, verifierKey } from '../../src/domain/tlog/note.ts';
import { formatProof } from '../../src/domain/tlog/proof-file.ts';

const origin = 'stratalog/example';
const signer = signerOf(origin, Buffer.alloc(32, 1));
const key = verifierKey(signer);
let folder: string;
let proofs: string[];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'stratalog-verify-'));
  const leaves = Array.from({ length: 7 }, (_, n) =>
    leafOf({
      id: `event-${n}`,
      stream: 'memory-acme.1',
      revision: n,
      position: n + 1,
      time: new Date(n),
      type: 'MemoryUpdated',
      schemaVersion: 1,
      data: '{}',
      metadata: '{}',
    }),
  );
  const node = (level: number, index: number): Hash =>
    level === 0
      ? leafHash(leaves[index]!)
      : nodeHash(node(level - 1, 2 * index), node(level - 1, 2 * index + 1));
  const size = leaves.length;
  const checkpoint = signCheckpoint({ origin, size, root: await rootOf(size, node) }, [
    signerOf(origin, Buffer.alloc(32, 2)),
    signer,
  ]);
  proofs = await Promise.all(
    leaves.map(async (extra, index) =>
      formatProof({ index, proof: await inclusionProof(index, size, node), checkpoint, extra }),
    ),
  );
});

afterAll(() => rm(folder, { recursive: true, force: true }));

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function verified(proof: string, ...keys: readonly string[]): Promise<Run> {
  const file = path.join(folder, 'event.tlog-proof');
  await writeFile(file, proof);
  return new Promise((resolve) => {
    execFile(process.execPath, ['examples/verify/verify.mjs', file, ...keys], (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

describe('examples/verify', () => {
  it('[F7] proves the first, a middle and the last leaf, and prints them', async () => {
    for (const index of [0, 4, 6]) {
      const { code, stdout } = await verified(proofs[index]!, key);
      const [leaf, verdict] = stdout.split('\n');
      expect([code, verdict]).toEqual([0, `proved: leaf ${index} of 7 in ${origin}`]);
      expect(JSON.parse(leaf!)).toMatchObject({ id: `event-${index}`, type: 'MemoryUpdated' });
    }
  });

  const reversed = (line: string) => Buffer.from(line, 'base64').reverse().toString('base64');
  it.each<readonly [string, (proof: string) => string, RegExp]>([
    [
      'a changed leaf',
      (proof) =>
        proof.replace(
          /extra (.+)/,
          (_, leaf: string) =>
            `extra ${Buffer.from(Buffer.from(leaf, 'base64').toString().replace('event-4', 'event-5')).toString('base64')}`,
        ),
      /this leaf is not in the log/,
    ],
    [
      'a changed hash',
      (proof) => proof.replace(/(index 4\n)(.+)/, (_, index: string, hash: string) => index + reversed(hash)),
      /this leaf is not in the log/,
    ],
    ['another index', (proof) => proof.replace('index 4', 'index 5'), /this leaf is not in the log/],
    [
      'an index beyond the log',
      (proof) => proof.replace('index 4', 'index 900'),
      /this leaf is not in the log/,
    ],
    ['a hash too few', (proof) => proof.replace(/(index 4\n).+\n/, '$1'), /this leaf is not in the log/],
    ['a changed head', (proof) => proof.replace(`${origin}\n7`, `${origin}\n8`), /not signed with this key/],
    ['no leaf', (proof) => proof.replace(/extra .+\n/, ''), /not a tlog-proof with its leaf/],
  ])('[F7] refuses a proof with %s', async (_, change, message) => {
    const changed = change(proofs[4]!);
    expect(changed).not.toBe(proofs[4]);
    expect(await verified(changed, key)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(message),
    });
  });

  it.each([
    ['another key', [verifierKey(signerOf(origin, Buffer.alloc(32, 3)))], /not signed with this key/],
    ['a key of another log', [verifierKey(signerOf('other', Buffer.alloc(32, 1)))], /not signed with this/],
    ['a key with a wrong hash', [key.replace(/\+[0-9a-f]{8}\+/, '+00000000+')], /does not have the hash/],
    ['no key of this form', ['nonsense'], /verifier key is malformed/],
    ['no key', [], /usage/],
  ])('[F7] refuses %s', async (_, keys, message) => {
    expect(await verified(proofs[4]!, ...keys)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(message),
    });
  });
});
