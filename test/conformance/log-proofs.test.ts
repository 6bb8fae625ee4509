import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openPglite } from '../../src/adapters/pglite/open.ts';
import { openSqlEventLog } from '../../src/adapters/sqllog/sql-event-log.ts';
import { parseCheckpoint, signCheckpoint } from '../../src/domain/tlog/checkpoint.ts';
import { leafHash, rootOf, verifyInclusion } from '../../src/domain/tlog/merkle.ts';
import { isSignedBy, parseVerifierKey, signerOf, verifierKey } from '../../src/domain/tlog/note.ts';
import { parseProof } from '../../src/domain/tlog/proof-file.ts';
import { bundledEntries } from '../../src/domain/tlog/tiles.ts';
import type { Client, Json } from '../support/api.ts';
import { stratalog } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { expectProblem } from '../support/problem.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { LogTree } from '../../src/tlog/tree.ts';
import { newTenant } from '../support/tenant.ts';

/** An own server: its heads are signed every second, and its log is changed in the end. */
let server: TestServer;
let auditor: Client;
let ada: Client;
let folder: string;
let data: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'stratalog-proofs-'));
  data = path.join(folder, 'data');
  server = await startServer({
    environment: {
      STRATALOG_EMBEDDER: 'deterministic',
      STRATALOG_CHECKPOINT_INTERVAL: '1',
      STRATALOG_DATA: data,
      STRATALOG_TLOG_PUBLISH: path.join(folder, 'heads.txt'),
    },
  });
  const tenant = await newTenant(server);
  auditor = await tenant.key({ role: 'auditor' });
  ada = await tenant.key({ user: 'ada' });
  for (const content of ['The first note.', 'The second note.', 'The third note.'])
    await ada.store({ content });
  const { position } = await ada.store({ content: 'The last note.' });
  const isProven = async () => (await auditor.get(`/v1/audit/events/${position}/proof`)).status === 200;
  await vi.waitUntil(isProven, { timeout: 20_000, interval: 200 });
});

afterAll(async () => {
  await server.remove();
  await rm(folder, { recursive: true, force: true });
});

const positionOf = (type: string): Promise<string> =>
  vi.waitFor(
    async () => (await auditor.get(`/v1/audit/events?type=${type}&limit=1`)).body.items[0].position as string,
    { timeout: 20_000, interval: 200 },
  );
const bytesOf = async (address: string): Promise<Buffer> =>
  Buffer.from(
    await (
      await fetch(`${server.url}${address}`, { headers: { authorization: `Bearer ${auditor.key}` } })
    ).arrayBuffer(),
  );

describe('the signed heads of the log', () => {
  it('[F7] are signed by the key that is published, and prove single events', async () => {
    const { origin, verifierKey: key, items } = (await auditor.get('/v1/audit/heads')).body;
    const note = (await bytesOf('/v1/audit/checkpoint')).toString();
    const head = parseCheckpoint(note);
    expect(head.origin).toBe(origin);
    expect(isSignedBy(head.note, parseVerifierKey(key))).toBe(true);
    expect(items.map(({ note }: Json) => note)).toContain(note);
    await eventually(() => readFile(path.join(folder, 'heads.txt'), 'utf8')).toContain(note);

    const position = await positionOf('MemoryStored');
    const proof = parseProof((await bytesOf(`/v1/audit/events/${position}/proof`)).toString());
    const { size, root } = parseCheckpoint(proof.checkpoint);
    expect(verifyInclusion(leafHash(proof.extra!), { ...proof, size, root })).toBe(true);
    const leaf = JSON.parse(proof.extra!.toString());
    const event = (await auditor.get('/v1/audit/events?type=MemoryStored&limit=1')).body.items[0];
    expect(leaf).toMatchObject({ id: event.id, stream: event.stream, type: 'MemoryStored', time: event.at });
    expect(leaf.hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('[F7] are the roots of the tiles that are served, and these of the leaves', async () => {
    const note = (await bytesOf('/tlog/checkpoint')).toString();
    const { size, root } = parseCheckpoint(note);
    const tile = await bytesOf(`/tlog/tile/0/000.p/${size}`);
    const node = (level: number, index: number): Buffer =>
      level === 0
        ? tile.subarray(32 * index, 32 * index + 32)
        : createHash('sha256')
            .update(Uint8Array.of(1))
            .update(node(level - 1, 2 * index))
            .update(node(level - 1, 2 * index + 1))
            .digest();
    expect(await rootOf(size, node)).toEqual(root);
    const leaves = bundledEntries(await bytesOf(`/tlog/tile/entries/000.p/${size}`));
    expect(leaves.map((leaf) => leafHash(leaf))).toEqual(leaves.map((_, index) => node(0, index)));
  });

  it('[F7] [I3] are for auditors, and leaves only for those of all tenants in them', async () => {
    for (const address of [
      '/tlog/checkpoint',
      '/tlog/tile/0/000.p/1',
      '/v1/audit/heads',
      '/v1/audit/checkpoint',
    ])
      expectProblem(await ada.get(address), 403, 'forbidden');
    expectProblem(await auditor.get('/tlog/tile/0/0'), 404, 'not-found');
    expectProblem(await auditor.get('/tlog/tile/7/000'), 404, 'not-found');
    const other = await (await newTenant(server)).key({ role: 'auditor' });
    expect((await other.get('/tlog/tile/0/000.p/1')).status).toBe(200);
    expectProblem(await other.get('/tlog/tile/entries/000.p/1'), 403, 'forbidden');
    expectProblem(
      await other.get(`/v1/audit/events/${await positionOf('MemoryStored')}/proof`),
      404,
      'not-found',
    );
    expectProblem(await auditor.get('/v1/audit/events/nonsense/proof'), 400, 'position-unknown');
  });

  it('[F7] keep what a witness signed of them, if it is what the witness signed', async () => {
    const witness = signerOf('witness.example', Buffer.alloc(32, 9));
    const note = (await bytesOf('/v1/audit/checkpoint')).toString();
    const head = parseCheckpoint(note);
    const [, line] = signCheckpoint(head, [witness]).split('\n\n');
    const cosigned = { note: `${note}${line}`, witnessKey: verifierKey(witness) };
    const keep = (body: object, by = auditor) => by.post('/v1/audit/cosignatures', body);
    const { status, body } = await keep(cosigned);
    expect([status, body]).toMatchObject([201, { size: head.size, witness: 'witness.example' }]);
    expect((await keep(cosigned)).body.position).toBe(body.position);
    const { items } = (await auditor.get('/v1/audit/heads')).body;
    expect(items.find(({ size }: Json) => size === head.size)).toMatchObject({
      note: cosigned.note,
      cosignedBy: ['witness.example'],
    });
    const other = signerOf('witness.example', Buffer.alloc(32, 8));
    const [, forged] = signCheckpoint({ ...head, size: head.size + 1 }, [witness]).split('\n\n');
    for (const wrong of [
      { ...cosigned, witnessKey: verifierKey(other) },
      { ...cosigned, note },
      { ...cosigned, note: `${note}${forged}` },
      { ...cosigned, note: signCheckpoint({ ...head, origin: 'other' }, [witness]) },
      { ...cosigned, witnessKey: 'nothing' },
      { ...cosigned, note: 'nothing' },
    ])
      expectProblem(await keep(wrong), 400, 'validation-failed');
    expectProblem(await keep(cosigned, ada), 403, 'forbidden');
  });

  it('[F7] are compared with the log, and with a head from elsewhere', async () => {
    const { status, body } = await auditor.post('/v1/audit/verify', {});
    expect([status, body.state]).toEqual([202, 'sound']);
    expect(body.heads).toBeGreaterThan(0);
    const kept = (await bytesOf('/v1/audit/checkpoint')).toString();
    expect((await auditor.post('/v1/audit/verify', { against: kept })).body.state).toBe('sound');
    expectProblem(await auditor.post('/v1/audit/verify', { against: 'nothing' }), 400, 'validation-failed');
    const [, ...rest] = kept.split('\n');
    expectProblem(
      await auditor.post('/v1/audit/verify', { against: ['other', ...rest].join('\n') }),
      400,
      'validation-failed',
    );
  });

  it('[F7] [J4] show on the command line that a folder is unchanged, and where it was changed', async () => {
    const as = { STRATALOG_API_KEY: auditor.key!, STRATALOG_URL: server.url };
    expect(await stratalog(['audit', 'verify'], as)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Sound: \d+ events/),
    });
    expect((await stratalog(['audit', 'heads'], as)).stdout).toContain('verifier key');
    expect((await stratalog(['audit', 'prove', await positionOf('MemoryStored')], as)).stdout).toMatch(
      /^c2sp\.org\/tlog-proof@v1\n/,
    );
    const busy = await stratalog(['audit', 'verify', '--data', data]);
    expect([busy.code, busy.stderr]).toEqual([2, expect.stringMatching(/in use|open/)]);
    await server.stop();
    // Many heads, of which the last counts.
    const against = path.join(folder, 'heads.txt');
    expect(await stratalog(['audit', 'verify', '--data', data, '--against', against])).toMatchObject({
      code: 0,
    });

    const sql = await openPglite({ dataDir: data });
    await sql.query(
      "update log.events set data = replace(data, '\"user\"', '\"team\"') where type = 'MemoryStored'",
    );
    await sql.close();
    const { code, stdout } = await stratalog(['audit', 'verify', '--data', data, '--json']);
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { state: 'unsound', first: { fault: 'changed' } }]);

    const shortened = await openPglite({ dataDir: data });
    await shortened.query('delete from log.events where position > 3');
    await shortened.query('update log.head set position = 3');
    await shortened.close();
    const start = () =>
      stratalog(['serve', '--data', data, '--port', '0'], {
        STRATALOG_EMBEDDER: 'deterministic',
        STRATALOG_TLOG_PUBLISH: against,
      });
    const refused = await start();
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/the log ends at position 3/)]);
    expect((await stratalog(['audit', 'verify', '--data', folder])).code).toBe(2);

    // An older copy of the whole folder is sound by itself: only what was published shows it.
    const older = await openPglite({ dataDir: data });
    await (await LogTree.open(older, await openSqlEventLog(older))).reset();
    await older.close();
    const unpublished = await start();
    expect([unpublished.code, unpublished.stderr]).toEqual([
      1,
      expect.stringMatching(/a head of \d+ was published .* `stratalog restore --in-place`/s),
    ]);
  });

  it('[F7] [F8] [J4] let a log that was shortened go on under a new name', async () => {
    const { code, json } = await stratalog(['restore', '--in-place', '--data', data, '--json']);
    expect([code, json.size]).toEqual([0, 3]);
    expect(json.origin).not.toBe(json.from);
    expect((await stratalog(['audit', 'verify', '--data', data])).code).toBe(0);
    const again = await startServer({
      dataDir: data,
      environment: {
        STRATALOG_EMBEDDER: 'deterministic',
        STRATALOG_TLOG_PUBLISH: path.join(folder, 'heads.txt'),
      },
    });
    await again.stop();
  });
});
