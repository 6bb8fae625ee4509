import { describe, expect, it } from 'vitest';
import { signReceipt, type ErasureReceipt } from '../../src/domain/erasure/receipt.ts';
import { ReceiptInvalid, verifyReceipt } from '../../src/domain/erasure/verify-receipt.ts';
import { signCheckpoint } from '../../src/domain/tlog/checkpoint.ts';
import { leafOf, storedHash } from '../../src/domain/tlog/leaf.ts';
import { inclusionProof, leafHash, rootOf } from '../../src/domain/tlog/merkle.ts';
import { MalformedNote, signerOf } from '../../src/domain/tlog/note.ts';
import { formatProof } from '../../src/domain/tlog/proof-file.ts';
import { nodesOf } from '../../src/domain/tlog/tiles.ts';

const log = 'stratalog/test';
const signer = signerOf(log, new Uint8Array(32).fill(1));
const at = '2026-11-28T12:00:00.000Z';

const logged = (n: number) => ({
  id: `event-${n}`,
  stream: 'erasure-acme.one',
  revision: 0,
  position: n,
  time: new Date(at),
  type: 'ErasureRequested',
  schemaVersion: 1,
  data: `{"n":${n}}`,
  metadata: '{}',
});
const events = [1, 2, 3].map(logged);

const receipt: ErasureReceipt = {
  erasureId: 'one',
  log,
  tenant: 'acme',
  target: { kind: 'subject', subject: 'someone', generation: 0 },
  event: { id: 'event-2', position: 2, hash: storedHash(logged(2)) },
  requestedAt: at,
  completedAt: at,
  surfaces: [{ name: 'memories', count: 3, state: 'cleared', at }],
  outOfReach: [{ what: 'exports', why: 'they are theirs' }],
};

async function proofOf(index: number): Promise<string> {
  const hashes = Buffer.concat(events.map((event) => leafHash(leafOf(event))));
  const nodes = nodesOf(() => Promise.resolve(hashes));
  const checkpoint = signCheckpoint({ origin: log, size: 3, root: await rootOf(3, nodes) }, [signer]);
  return formatProof({
    index,
    proof: await inclusionProof(index, 3, nodes),
    checkpoint,
    extra: leafOf(events[index]!),
  });
}

describe('[F6] a receipt of an erasure', () => {
  const shown = { id: 'one', surfaces: receipt.surfaces, signature: signReceipt(receipt, [signer]) };

  it('is verified with its signature, what it shows and its proof', async () => {
    expect(verifyReceipt(shown, signer)).toEqual({ receipt });
    expect(verifyReceipt({ ...shown, proof: await proofOf(1) }, signer)).toEqual({ receipt, provenIn: 3 });
  });

  it('is refused if anything of it was changed', async () => {
    const other = signerOf(log, new Uint8Array(32).fill(2));
    const forged = signReceipt(receipt, [other]);
    const changes = [
      { ...shown, signature: undefined },
      { ...shown, id: 'two' },
      { ...shown, surfaces: [] },
      { ...shown, signature: forged },
      { ...shown, signature: shown.signature.replace('"count":3', '"count":2') },
      { ...shown, signature: signCheckpoint({ origin: log, size: 3, root: Buffer.alloc(32) }, [signer]) },
      { ...shown, proof: await proofOf(0) },
      { ...shown, proof: (await proofOf(1)).replace('index 1', 'index 2') },
    ];
    for (const changed of changes) expect(() => verifyReceipt(changed, signer)).toThrow(ReceiptInvalid);
    expect(() => verifyReceipt({ ...shown, signature: '{}' }, signer)).toThrow(MalformedNote);
    expect(() => verifyReceipt(shown, other)).toThrow('not signed with this key');
  });
});
