import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { clientOf } from '../support/api.ts';
import { stratalog } from '../support/cli.ts';
import { mem0Client } from '../support/mem0.ts';
import { startServer, testProfile, type TestServer, type TestServerOptions } from '../support/server.ts';
import { useServer } from '../support/use-server.ts';

const deterministic = { STRATALOG_EMBEDDER: 'deterministic' };
const running: TestServer[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const server of running.splice(0)) await server.remove();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function start(options: TestServerOptions): Promise<TestServer> {
  const environment = { ...deterministic, ...options.environment };
  const server = await startServer({ ...options, environment });
  running.push(server);
  return server;
}

async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'stratalog-identity-'));
  folders.push(folder);
  return folder;
}

// Embedded profile only: the database of a server may be shared with other tests.
describe.skipIf(testProfile !== 'embedded')('the development identity', () => {
  const server = useServer({ because: 'it has no key yet', masterKey: null, environment: deterministic });

  it('[I2] is refused to requests from web pages and to host names that merely resolve to this machine', async () => {
    const statusOf = (
      headers: Record<string, string>,
      method = 'POST',
      path = '/v1/admin/policies/kill-switch',
    ) =>
      new Promise<number>((resolve, reject) => {
        const asking = request(`${server.url}${path}`, { method, headers }, (answer) => {
          answer.resume();
          resolve(answer.statusCode!);
        });
        asking.once('error', reject).end();
      });
    const { port } = new URL(server.url);
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { host: `evil.example:${port}` },
    ]) {
      expect([headers, await statusOf(headers)]).toEqual([headers, 403]);
      expect([headers, await statusOf(headers, 'GET', '/v1/memories')]).toEqual([headers, 403]);
      const ofMem0 = { ...headers, authorization: 'Token m0-any' };
      expect([headers, await statusOf(ofMem0, 'GET', '/compat/mem0/v1/ping/')]).toEqual([headers, 403]);
    }
    expect((await clientOf(server).get('/v1/admin/routing')).body).toMatchObject({ killSwitch: false });
    for (const name of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`]) {
      const headers = { host: name, origin: `http://${name}` };
      expect([name, await statusOf(headers, 'GET', '/v1/memories')]).toEqual([name, 200]);
    }
  });

  it('[A1] [I2] is the admin of the tenant local as its user local, and the start log and /readyz say so', async () => {
    expect(server.log.join('\n')).toMatch(/development identity/);
    const client = clientOf(server);
    expect((await client.get('/readyz')).body.identity).toBe('development');
    const { memory } = await client.store({ content: 'written on my own machine' });
    expect(memory).toMatchObject({
      layer: 'user',
      scope: { company: 'local', user: 'local' },
      createdBy: 'user:local',
    });
    expect((await client.post('/v1/memories', { content: 'for all', layer: 'company' })).status).toBe(201);
    expect((await client.get('/v1/audit/events')).status).toBe(200);
    expect((await client.get('/v1/admin/projections')).status).toBe(200);
    expect((await clientOf(server, 'a wrong key').get('/v1/memories')).status).toBe(401);
    // The clients of mem0 require a key, so one that is not a Stratalog key counts as no key.
    expect((await mem0Client(server, 'm0-any').get('/v1/ping/')).body).toMatchObject({ org_id: 'local' });
    expect((await mem0Client(server, 'sl_local_1_x').get('/v1/ping/')).status).toBe(401);
    const empty = { STRATALOG_URL: '', STRATALOG_API_KEY: '' };
    expect((await stratalog(['search', 'machine', '--url', server.url], empty)).code).toBe(0);
    // Changing settings does not count as creating a key.
    expect((await client.patch('/v1/admin/routing', { threshold: 0.5 })).status).toBe(200);
    expect((await client.post('/v1/admin/policies/kill-switch')).status).toBe(200);
    expect((await client.get('/v1/admin/routing')).body).toMatchObject({ killSwitch: true });
    expect((await client.get('/readyz')).body.identity).toBe('development');
  });

  it('[I2] ends permanently with the first key: neither revoking that key nor a restart brings it back', async () => {
    const dataDir = await dataFolder();
    const server = await start({ masterKey: null, dataDir });
    const developer = clientOf(server);
    const { memory } = await developer.store({ content: 'written before there was a key' });
    const created = await developer.post('/v1/admin/keys', { role: 'admin', user: 'ada' });
    expect(created.status).toBe(201);
    expect(await developer.get('/v1/memories')).toMatchObject({
      status: 401,
      body: { code: 'unauthenticated' },
    });
    expect((await developer.get('/readyz')).body.identity).toBe('credentials');

    const admin = clientOf(server, created.body.key);
    expect((await admin.get(`/v1/memories/${memory.id}`)).body.content).toBe(
      'written before there was a key',
    );
    expect((await admin.delete(`/v1/admin/keys/${created.body.id}`)).status).toBe(200);
    expect((await developer.get('/v1/memories')).status).toBe(401);
    expect((await admin.get('/v1/memories')).status).toBe(401);

    expect(await server.stop()).toBe(0);
    const again = await start({ masterKey: null, dataDir });
    expect(again.log.join('\n')).not.toMatch(/development identity/);
    expect((await clientOf(again).get('/v1/memories')).status).toBe(401);
  });
});

describe('listening beyond loopback', () => {
  const open = { STRATALOG_HOST: '0.0.0.0' };
  const onLoopback = ({ url }: TestServer) => ({ url: `http://127.0.0.1:${new URL(url).port}` });

  it('[I2] without any key stops the start and says what to do', async () => {
    const refused = start({ masterKey: null, environment: open });
    await expect(refused).rejects.toThrow(/ended with 1/);
    await expect(refused).rejects.toThrow(/STRATALOG_HOST.*STRATALOG_MASTER_KEY/s);
    await expect(refused).rejects.not.toThrow(/\n\s+at /);
  });

  it('[I2] with a master key is allowed, where every request needs a credential, and without it once a key exists', async () => {
    const dataDir = await dataFolder();
    const first = await start({ dataDir, environment: open });
    expect(first.log.join('\n')).not.toMatch(/development identity/);
    const local = clientOf(onLoopback(first));
    expect((await local.get('/livez')).status).toBe(200);
    expect((await local.get('/v1/memories')).status).toBe(401);
    const master = clientOf(onLoopback(first), first.masterKey);
    const { key } = (await master.post('/v1/admin/keys', { tenant: 'acme', role: 'admin' })).body;
    expect(await first.stop()).toBe(0);

    const { STRATALOG_MASTER_KEY: _, ...withoutMaster } = first.environment as Record<string, string>;
    const second = await start({ masterKey: null, dataDir, environment: withoutMaster });
    expect((await clientOf(onLoopback(second), key).get('/v1/memories')).status).toBe(200);
    expect((await clientOf(onLoopback(second)).get('/v1/memories')).status).toBe(401);
  });
});
