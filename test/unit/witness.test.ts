import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseCheckpoint, signCheckpoint, type TreeHead } from '../../src/domain/tlog/checkpoint.ts';
import { emptyRoot, leafHash, rootOf, verifyConsistency } from '../../src/domain/tlog/merkle.ts';
import { isSignedBy, parseNote, signerOf } from '../../src/domain/tlog/note.ts';
import { nodesOf, parseTilePath, treeHash } from '../../src/domain/tlog/tiles.ts';
import { cosignedBy, WitnessRefused } from '../../src/tlog/witness.ts';

const log = signerOf('log.example', Buffer.alloc(32, 1));
const witness = signerOf('witness.example', Buffer.alloc(32, 2));
const leaves = Array.from({ length: 300 }, (_, n) => leafHash(`leaf ${n}`));
const tiles = new Map([
  ['0/0', Buffer.concat(leaves.slice(0, 256))],
  ['0/1', Buffer.concat(leaves.slice(256))],
  ['1/0', treeHash(Buffer.concat(leaves.slice(0, 256)))],
]);
const node = nodesOf((level, index) => Promise.resolve(tiles.get(`${level}/${index}`)!));
const readTile = (name: string): Promise<Buffer> => {
  const { level, index, width } = parseTilePath(name)!;
  return Promise.resolve(tiles.get(`${level}/${index}`)!.subarray(0, 32 * width));
};

const checkpointOf = async (size: number): Promise<string> =>
  signCheckpoint({ origin: 'log.example', size, root: await rootOf(size, node) }, [log]);

let server: Server;
let url: string;
/** The last head that the witness confirmed. */
let seen: TreeHead;

/** Answers as C2SP tlog-witness says. */
function answer(body: string): { readonly status: number; readonly body: string } {
  const end = body.indexOf('\n\n');
  const [old = '', ...proof] = body.slice(0, end).split('\n');
  const head = parseCheckpoint(body.slice(end + 2));
  if (!isSignedBy(head.note, log)) return { status: 403, body: '' };
  if (Number(old.slice('old '.length)) !== seen.size) return { status: 409, body: `${seen.size}\n` };
  const hashes = proof.map((line) => Buffer.from(line, 'base64'));
  if (!verifyConsistency(seen, head, hashes)) return { status: 422, body: '' };
  seen = head;
  const [, line] = signCheckpoint(head, [witness]).split('\n\n');
  return { status: 200, body: line! };
}

beforeEach(async () => {
  seen = { origin: 'log.example', size: 0, root: emptyRoot };
  server = createServer(async (request, response) => {
    const { status, body } = answer(await text(request));
    response.writeHead(status).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});

afterEach(() => server.close());

it('[F7] a witness confirms a head, and the next one by a proof that the log only grew', async () => {
  for (const size of [7, 200, 256, 300, 300]) {
    const cosigned = await cosignedBy(url, await checkpointOf(size), readTile);
    expect(parseCheckpoint(cosigned).size).toBe(size);
    for (const signer of [log, witness]) expect(isSignedBy(parseNote(cosigned), signer)).toBe(true);
  }
});

it('[F7] a witness refuses another history, a shorter log and a strange key', async () => {
  await cosignedBy(url, await checkpointOf(256), readTile);
  await expect(cosignedBy(url, await checkpointOf(200), readTile)).rejects.toThrow(
    /has seen a head of 256 events/,
  );
  seen = { ...seen, root: leafHash('other') };
  await expect(cosignedBy(url, await checkpointOf(300), readTile)).rejects.toThrow(WitnessRefused);
  const strange = signCheckpoint({ origin: 'log.example', size: 300, root: await rootOf(300, node) }, [
    witness,
  ]);
  await expect(cosignedBy(url, strange, readTile)).rejects.toThrow(/403/);
});
