import { hash } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { formatManifest, parseManifest } from '../../src/domain/backup/manifest.ts';
import { clientOf, type Client, type Json } from '../support/api.ts';
import { stratalogAs } from '../support/cli.ts';
import { expectProblem } from '../support/problem.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { newTenant } from '../support/tenant.ts';

/** An own server: its folder is copied, and restored ones are served beside it. */
let server: TestServer;
let admin: Client;
let folder: string;
let data: string;
let backup: string;
let vaultKey: string;
/** Between the first and the second part of what was stored. */
let past: string;
let then: Readonly<Record<string, string>>;
const servers: TestServer[] = [];

const secret = 'The pump of hall nine is called Aurora.';
const environment = {
  STRATALOG_PROFILE: 'embedded',
  STRATALOG_EMBEDDER: 'deterministic',
  STRATALOG_CHECKPOINT_INTERVAL: '1',
};
const readModels = ['memories', 'fields', 'lexical', 'links', 'statistics', 'vectors', 'feedback'];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'stratalog-backup-'));
  data = path.join(folder, 'data');
  backup = path.join(folder, 'backup');
  vaultKey = path.join(data, 'vault.key');
  server = await started(data);
  const tenant = await newTenant(server);
  admin = tenant.admin;
  const lines = await admin.bulk(
    Array.from({ length: 30 }, (_, number) => ({
      externalId: `n${number}`,
      content: `Note ${number} on pump ${number % 7}.`,
    })),
  );
  await admin.store({ externalId: 'aurora', content: secret });
  await admin.put(`/v1/memories/${lines[0].id}/links/supports/${lines[1].id}`);
  await admin.delete(`/v1/memories/${lines[2].id}`);
  const { position } = await admin.store({ externalId: 'last', content: 'The last note before.' });
  await admin.get(`/v1/stats?minPosition=${position}`);
  then = await digestsOf(server);
  await new Promise((resolve) => setTimeout(resolve, 50));
  past = new Date().toISOString();
  await new Promise((resolve) => setTimeout(resolve, 50));
  await admin.patch(`/v1/memories/${lines[3].id}`, { content: 'Changed later.' }, { 'if-match': '*' });
  await admin.store({ externalId: 'later', content: 'A note of later.' });
});

afterAll(async () => {
  for (const each of servers) await each.remove();
  await rm(folder, { recursive: true, force: true });
});

async function started(dataDir: string): Promise<TestServer> {
  const one = await startServer({ dataDir, environment });
  servers.push(one);
  return one;
}

/** The digests of read models that are built anew. */
async function digestsOf(of: TestServer): Promise<Record<string, string>> {
  const own = clientOf(of, admin.key);
  const digests: Record<string, string> = {};
  for (const name of readModels) {
    const { body } = await own.post(`/v1/admin/projections/${name}/rebuild`);
    const find = async (): Promise<Json> => {
      const { items } = (await own.get('/v1/admin/projections')).body;
      const { generations } = items.find((item: Json) => item.name === name);
      return generations.find((item: Json) => item.generation === body.generation);
    };
    await vi.waitUntil(async () => (await find()).state !== 'building', { timeout: 60_000, interval: 100 });
    digests[name] = (await find()).digest;
  }
  return digests;
}

/** The externalIds of what is there, with what is stored now. */
async function idsIn(of: TestServer): Promise<readonly string[]> {
  const own = clientOf(of, admin.key);
  const { position } = await own.store({ content: 'The log goes on.' });
  const { items } = (await own.get(`/v1/memories?limit=100&minPosition=${position}`)).body;
  return items.map((item: Json) => item.externalId);
}

/** Runs a command in this process, which knows the server and the key of the admin. */
const run = (args: readonly string[]) => stratalogAs(server, admin, ...args);

/** Restores the backup into a new folder and returns the output. */
const restore = (name: string, ...options: readonly string[]) =>
  run(['restore', backup, '--data', path.join(folder, name), '--json', ...options]);

const filesOf = async (): Promise<string[]> => {
  const entries = await readdir(backup, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
};

describe('a backup of a folder in use', () => {
  it('[F8] [J4] has the log and the vault, for its owner alone, and no content in clear', async () => {
    const { code, json } = await run(['backup', backup, '--data', data, '--json']);
    expect([code, json.events]).toEqual([0, json.size]);
    const key = (await readFile(vaultKey, 'utf8')).trim();
    for (const file of await filesOf()) {
      expect((await stat(file)).mode & 0o077).toBe(0);
      const text = await readFile(file, 'utf8');
      for (const clear of ['Aurora', key]) expect(text).not.toContain(clear);
    }
  });

  it('[F8] takes only what is new when it is repeated', async () => {
    const { size } = (await run(['backup', backup, '--data', data, '--json'])).json;
    await admin.store({ externalId: 'newest', content: 'The newest note.' });
    const { code, json } = await run(['backup', backup, '--data', data, '--json']);
    expect(code).toBe(0);
    expect(json.events).toBe(json.size - size);
    expect(json.events).toBeGreaterThan(0);
  });

  it('[F8] [F7] cannot be read over the network', async () => {
    for (const part of ['end', 'events?after=0&to=9', 'control'])
      expectProblem(await clientOf(server, admin.key).get(`/backup/${part}`), 404, 'not-found');
  });
});

describe('a restored log', () => {
  it('[F8] [F4] [F7] stands at a time in the past, with the read models of then, under a name that says so', async () => {
    const before = await run(['audit', 'heads', '--last']);
    const { code, json } = await restore('past', '--to', past, '--vault-key', vaultKey);
    expect(code).toBe(0);
    const own = await started(path.join(folder, 'past'));
    expect(await digestsOf(own)).toEqual(then);
    const ids = await idsIn(own);
    expect([ids.includes('last'), ids.includes('later')]).toEqual([true, false]);
    const restored = clientOf(own, admin.key);
    expect(
      (await restored.post('/v1/search', { query: 'Aurora', threshold: 0 })).body.results[0],
    ).toMatchObject({
      memory: { content: secret },
    });

    const heads = (await restored.get('/v1/audit/heads')).body;
    expect(heads.origin).toBe(json.origin);
    expect(heads.origin).not.toBe(json.from);
    expect(heads.restoredFrom).toEqual([{ origin: json.from, size: json.size, root: json.root }]);
    expect((await restored.post('/v1/audit/verify', {})).body.state).toBe('sound');
    const report = (await restored.post('/v1/audit/verify', { against: before.stdout })).body;
    expect(report).toMatchObject({ state: 'unsound', first: { fault: 'restored' } });
    expect(report.first.detail).toContain(json.from);
    // A position of the log that it was restored from means nothing here.
    const { position } = await admin.store({ content: 'Elsewhere.' });
    expectProblem(await restored.get(`/v1/memories?minPosition=${position}`), 400, 'position-unknown');
    await own.stop();
    expect((await run(['audit', 'verify', '--data', path.join(folder, 'past')])).code).toBe(0);
  });

  it('[F8] [F6] does not bring back what was erased after the time', async () => {
    const { items } = (await admin.get('/v1/memories?limit=100')).body;
    const { id } = items.find((item: Json) => item.externalId === 'aurora');
    expect((await admin.delete(`/v1/memories/${id}?mode=erase`)).status).toBe(200);
    expect((await run(['backup', backup, '--data', data])).code).toBe(0);
    expect((await restore('erased', '--to', past, '--vault-key', vaultKey)).code).toBe(0);
    const own = await started(path.join(folder, 'erased'));
    const restored = clientOf(own, admin.key);
    const ids = await idsIn(own);
    expect([ids.includes('last'), ids.includes('aurora')]).toEqual([true, false]);
    expectProblem(await restored.get(`/v1/memories/${id}`), 404, 'not-found');
    const { results } = (await restored.post('/v1/search', { query: 'Aurora', threshold: 0 })).body;
    expect(JSON.stringify(results)).not.toContain('Aurora');
    await own.stop();
  });

  it('[F8] [J4] is also made from a log in use, by replay', async () => {
    const into = path.join(folder, 'replayed');
    const replay = (...options: readonly string[]) =>
      run(['replay', '--data', data, '--into', into, ...options]);
    for (const to of ['2999-01-01T00:00:00Z', '9999999', '000000000000-1', 'yesterday'])
      expect(await replay('--to', to)).toMatchObject({ code: 1, stderr: expect.stringMatching(/^--to: /) });
    expect(await replay('--to', past)).toMatchObject({ code: 0, stdout: expect.stringContaining('origin') });
    expect((await run(['audit', 'verify', '--data', into])).code).toBe(0);
    expect(await replay('--to', past)).toMatchObject({ code: 1, stderr: expect.stringContaining('already') });
  });
});

describe('a backup that cannot be restored', () => {
  it('[F8] is refused before anything is written', async () => {
    const refusals = [
      [['--to', '2999-01-01T00:00:00Z', '--vault-key', vaultKey], /in the future/],
      [['--to', '000000000000-1', '--vault-key', vaultKey], /another log/],
      [[], /key of the vault is missing/],
    ] as const;
    for (const [options, words] of refusals)
      expect(await restore('refused', ...options)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(words),
      });
    const other = path.join(folder, 'other.key');
    await writeFile(other, Buffer.alloc(32, 7).toString('base64'));
    expect(await restore('refused', '--vault-key', other)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/another root key/),
    });
    const inUse = await run(['restore', backup, '--data', data]);
    expect([inUse.code, inUse.stderr]).toEqual([1, expect.stringMatching(/in use/)]);
    expect(await run(['backup', backup, '--data', path.join(folder, 'past')])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/another log/),
    });
    await expect(stat(path.join(folder, 'refused'))).rejects.toThrow('ENOENT');
  });

  it('[F8] is named with the file if a byte was changed or its end is missing', async () => {
    const kept = path.join(folder, 'kept');
    await cp(backup, kept, { recursive: true, filter: (file) => !file.endsWith('lock') });
    const files = (await readdir(kept, { recursive: true })).filter((name) => name.endsWith('.ndjson'));
    for (const name of [...files, 'backup.json']) {
      const file = path.join(kept, name);
      const bytes = await readFile(file);
      const changed = Buffer.from(bytes);
      changed[Math.floor(bytes.length / 2)]! ^= 1;
      for (const damaged of [changed, bytes.subarray(0, -1)]) {
        await writeFile(file, damaged);
        const result = await run([
          'restore',
          kept,
          '--data',
          path.join(folder, 'damaged'),
          '--vault-key',
          vaultKey,
        ]);
        expect([result.code, result.stderr]).toEqual([1, expect.stringContaining(name)]);
      }
      await writeFile(file, bytes);
    }
    await expect(stat(path.join(folder, 'damaged'))).rejects.toThrow('ENOENT');
  });

  it('[F8] [F7] is named if it was changed together with its hashes: its heads were signed for other events', async () => {
    const forged = path.join(folder, 'forged');
    await cp(backup, forged, { recursive: true, filter: (file) => !file.endsWith('lock') });
    const manifest = parseManifest(await readFile(path.join(forged, 'backup.json'), 'utf8'));
    const [first, ...others] = manifest.segments;
    const file = path.join(forged, first!.file);
    const text = (await readFile(file, 'utf8')).replace('"cause\\":\\"user', '"cause\\":\\"llm');
    await writeFile(file, text);
    const changed = { ...first!, bytes: Buffer.byteLength(text), sha256: hash('sha256', text) };
    const consistent = formatManifest({ ...manifest, segments: [changed, ...others] });
    await writeFile(path.join(forged, 'backup.json'), consistent);
    const target = ['--data', path.join(folder, 'forgery'), '--vault-key', vaultKey];
    expect(await run(['restore', forged, ...target])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/not what was signed.*changed/s),
    });
    expect(
      await run(['audit', 'verify', '--data', forged, '--verifier-key', await verifierKey()]),
    ).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('NOT SOUND'),
    });
    expect(
      (await run(['audit', 'verify', '--data', backup, '--verifier-key', await verifierKey()])).code,
    ).toBe(0);
  });
});

async function verifierKey(): Promise<string> {
  return (await admin.get('/v1/audit/heads')).body.verifierKey;
}
