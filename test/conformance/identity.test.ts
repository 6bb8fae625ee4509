import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { clientOf, clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { expectProblem } from '../support/problem.ts';
import { newAdmin } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
let master: Client;

beforeAll(async () => {
  master = clientOf(server, server.masterKey);
});

describe('API keys', () => {
  it('[I1] are shown once and work immediately', async () => {
    const tenant = freshTenant();
    const created = await master.post('/v1/admin/keys', { tenant, role: 'admin', user: 'ada' });
    expect(created.status).toBe(201);
    expect(Object.keys(created.body).sort()).toEqual(['id', 'key', 'position']);
    const client = clientOf(server, created.body.key);
    const { memory } = await client.store({ content: 'first' });
    expect(memory).toMatchObject({ scope: { company: tenant, user: 'ada' }, createdBy: 'user:ada' });
  });

  it('[I1] are listed without their secrets', async () => {
    const admin = await newAdmin(server);
    const memberships = { orgs: ['o'], teams: ['t1', 't2'], projects: ['p'], sessions: ['s'], agents: ['a'] };
    const body = { role: 'reader', user: 'bob', name: 'for the report', ...memberships };
    const created = (await admin.post('/v1/admin/keys', body)).body;
    const { status, body: list } = await admin.get('/v1/admin/keys');
    expect(status).toBe(200);
    expect(list.items).toHaveLength(2);
    expect(list.items[0]).toMatchObject({ id: created.id, ...body });
    expect(list.items[0].createdAt).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const secret = created.key.split('.').at(-1);
    expect(JSON.stringify(list)).not.toContain(secret);
    expect(JSON.stringify(list)).not.toMatch(/secret|hash/i);
  });

  it('[I1] [J2] are listed in pages, newest first, 50 by default', async () => {
    const admin = await newAdmin(server);
    const first = (await admin.get('/v1/admin/keys')).body.items[0].id;
    const made: string[] = [];
    for (let n = 0; n < 51; n++)
      made.push((await admin.post('/v1/admin/keys', { role: 'member', name: `n${n}` })).body.id);
    const newestFirst = [...made.reverse(), first];
    const page = async (parameters = '') => (await admin.get(`/v1/admin/keys?${parameters}`)).body;
    const ids = (items: Json[]) => items.map(({ id }) => id);
    const whole = await page('limit=500');
    expect(ids(whole.items)).toEqual(newestFirst);
    expect(whole).not.toHaveProperty('nextCursor');
    const start = await page();
    expect(ids(start.items)).toEqual(newestFirst.slice(0, 50));
    // New keys do not shift the pages.
    await admin.post('/v1/admin/keys', { role: 'reader' });
    const rest = await page(`cursor=${start.nextCursor}&limit=1`);
    expect(ids(rest.items)).toEqual(newestFirst.slice(50, 51));
    const end = await page(`cursor=${rest.nextCursor}`);
    expect(ids(end.items)).toEqual(newestFirst.slice(51));
    expect(end).not.toHaveProperty('nextCursor');
  });

  it('[I1] [J2] listing rejects an invalid cursor, one of another tenant or list, and an invalid limit', async () => {
    const [admin, other] = [await newAdmin(server), await newAdmin(server)];
    for (const client of [admin, other]) await client.post('/v1/admin/keys', { role: 'member' });
    const foreign = (await other.get('/v1/admin/keys?limit=1')).body.nextCursor;
    const { position } = await admin.bulk([{ content: 'a' }, { content: 'b' }]).then((lines) => lines[1]);
    const ofMemories = (await admin.get(`/v1/memories?limit=1&minPosition=${position}`)).body.nextCursor;
    for (const cursor of ['strange', foreign, ofMemories]) {
      expect(cursor).toBeTruthy();
      const reply = await admin.get(`/v1/admin/keys?cursor=${cursor}`);
      expect(reply).toMatchObject({ status: 400, body: { code: 'cursor-invalid' } });
      expect(reply.body.errors.map(({ path }: Json) => path)).toEqual(['cursor']);
    }
    for (const limit of ['0', '501', 'many']) {
      const reply = await admin.get(`/v1/admin/keys?limit=${limit}`);
      expect(reply).toMatchObject({ status: 400, body: { code: 'validation-failed' } });
    }
  });

  it('[I1] stop working once revoked, and revoking again changes nothing', async () => {
    const admin = await newAdmin(server);
    const { id, key } = (await admin.post('/v1/admin/keys', { role: 'member', user: 'bob' })).body;
    const bob = clientOf(server, key);
    expect((await bob.get('/v1/memories')).status).toBe(200);
    expect((await admin.delete(`/v1/admin/keys/${id}`)).status).toBe(200);
    expect(await bob.get('/v1/memories')).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    expect((await admin.delete(`/v1/admin/keys/${id}`)).status).toBe(200);
    const listed = (await admin.get('/v1/admin/keys')).body.items.find((item: Json) => item.id === id);
    expect(listed.revokedAt).toMatch(/Z$/);
    expect((await admin.get('/v1/memories')).status).toBe(200);
  });

  it('[I1] work until they expire', async () => {
    const admin = await newAdmin(server);
    const expiresAt = new Date(Date.now() + 1_500).toISOString();
    const { key } = (await admin.post('/v1/admin/keys', { role: 'member', user: 'bob', expiresAt })).body;
    const bob = clientOf(server, key);
    expect((await bob.get('/v1/memories')).status).toBe(200);
    await expect.poll(async () => (await bob.get('/v1/memories')).status, { timeout: 10_000 }).toBe(401);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt));
  });

  it('[I1] answer 401 when they are unknown, truncated, altered or of another tenant', async () => {
    const admin = await newAdmin(server);
    const [head, id, secret] = admin.key!.split('.') as [string, string, string];
    const other = (await newAdmin(server)).key!.split('.')[0];
    const garbage = [
      `${head}.${id}.${randomBytes(32).toString('base64url')}`,
      `${head}.${randomBytes(16).toString('hex')}.${secret}`,
      `${other}.${id}.${secret}`,
      `${head}.${id}.${secret.slice(0, -1)}`,
      `${head}.${id}`,
      `${admin.key}x`,
      'sl_',
      'nonsense',
      'a.b.c',
      `${server.masterKey}x`,
    ];
    for (const key of garbage) {
      const reply = await clientOf(server, key).get('/v1/memories');
      expect(reply, key).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
      expect(reply.headers.get('www-authenticate')).toBe('Bearer');
    }
    expect((await admin.get('/v1/memories')).status).toBe(200);
  });

  it.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['another scheme', 'Basic dXNlcjpwYXNz'],
    ['no credential', 'Bearer'],
    ['two words', 'Bearer one two'],
  ])('[I1] %s answers 401', async (_, authorization) => {
    const headers = authorization === undefined ? {} : { authorization };
    const reply = await clientOf(server).get('/v1/memories', headers);
    expect(reply).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
  });

  it('[I1] the scheme is case-insensitive', async () => {
    const { key } = await newAdmin(server);
    const reply = await clientOf(server).get('/v1/memories', { authorization: `bEARER ${key}` });
    expect(reply.status).toBe(200);
  });

  it.each(['member', 'reader', 'auditor', 'operator'])(
    '[I1] must begin with an admin: a tenant rejects a %s as its first key, and takes it as its second',
    async (role) => {
      const tenant = freshTenant();
      const refused = await master.post('/v1/admin/keys', { tenant, role });
      expectProblem(refused, 409, 'first-key-must-be-admin');
      expect(refused.body.errors[0].path).toBe('role');
      expect((await master.post('/v1/admin/keys', { tenant, role: 'admin' })).status).toBe(201);
      expect((await master.post('/v1/admin/keys', { tenant, role })).status).toBe(201);
    },
  );

  it.each(['member', 'reader', 'auditor', 'operator'])('[I2] cannot be managed by a %s', async (role) => {
    const tenant = freshTenant();
    const admin = await clientWithKey(server, { tenant, role: 'admin' });
    const client = await clientWithKey(server, { tenant, role, user: 'bob' });
    const [{ id }] = (await admin.get('/v1/admin/keys')).body.items;
    for (const reply of [
      await client.post('/v1/admin/keys', { role: 'member' }),
      await client.get('/v1/admin/keys'),
      await client.delete(`/v1/admin/keys/${id}`),
    ]) {
      expect(reply).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    }
    expect((await admin.get('/v1/admin/keys')).body.items).toHaveLength(2);
  });

  it('[I2] cannot be managed by another tenant’s admin', async () => {
    const [mine, theirs] = [await newAdmin(server), await newAdmin(server)];
    const [{ id }] = (await theirs.get('/v1/admin/keys')).body.items;
    const tenant = theirs.key!.slice('sl_'.length).split('.')[0];
    expect((await mine.post('/v1/admin/keys', { tenant, role: 'admin' })).status).toBe(403);
    expect((await mine.delete(`/v1/admin/keys/${id}`)).status).toBe(404);
    expect((await theirs.get('/v1/admin/keys')).body.items).toHaveLength(1);
    expect((await mine.post('/v1/admin/keys', { tenant: freshTenant(), role: 'admin' })).status).toBe(403);
  });

  const wrong: [string, Record<string, unknown>, string][] = [
    ['no role', {}, 'role'],
    ['an unknown role', { role: 'king' }, 'role'],
    ['a tenant with a hyphen', { tenant: 'a-b', role: 'member' }, 'tenant'],
    ['a tenant in capitals', { tenant: 'Acme', role: 'member' }, 'tenant'],
    ['an empty tenant', { tenant: '', role: 'member' }, 'tenant'],
    ['a tenant of 64 characters', { tenant: 'a'.repeat(64), role: 'member' }, 'tenant'],
    ['an empty user', { role: 'member', user: '' }, 'user'],
    ['orgs that are not a list', { role: 'member', orgs: 'o' }, 'orgs'],
    ['an empty team', { role: 'member', teams: [''] }, 'teams.0'],
    ['a project that is a number', { role: 'member', projects: [1] }, 'projects.0'],
    ['a session with a control character', { role: 'member', sessions: ['\u0001'] }, 'sessions.0'],
    ['agents null', { role: 'member', agents: null }, 'agents'],
    ['an expiry that is not a time', { role: 'member', expiresAt: 'tomorrow' }, 'expiresAt'],
    ['an expiry in the past', { role: 'member', expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
    ['an unknown field', { role: 'member', roles: ['admin'] }, 'roles'],
  ];

  it.each(wrong)('[I1] are rejected with %s: 400 at the field', async (_, body, path) => {
    const tenant = freshTenant();
    const reply = await master.post('/v1/admin/keys', { tenant, ...body });
    expect(reply).toMatchObject({ status: 400, body: { code: 'validation-failed' } });
    expect(reply.body.errors.map((error: Json) => error.path)).toEqual([path]);
  });

  it('[A11] are created once per Idempotency-Key', async () => {
    const tenant = freshTenant();
    const body = { tenant, role: 'admin' };
    const headers = { 'idempotency-key': `key-for-${tenant}` };
    const first = await master.post('/v1/admin/keys', body, headers);
    const again = await master.post('/v1/admin/keys', body, headers);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const { items } = (await clientOf(server, first.body.key).get('/v1/admin/keys')).body;
    expect(items).toHaveLength(1);
    const other = await master.post('/v1/admin/keys', { tenant, role: 'reader' }, headers);
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency-key-reused' } });
  });
});

describe('a key that has expired', () => {
  it('[A11] is returned again for its Idempotency-Key', async () => {
    const body = {
      tenant: freshTenant(),
      role: 'admin',
      expiresAt: new Date(Date.now() + 1_000).toISOString(),
    };
    const headers = { 'idempotency-key': `expiring-${body.tenant}` };
    const first = await master.post('/v1/admin/keys', body, headers);
    expect(first.status).toBe(201);
    await expect
      .poll(async () => (await clientOf(server, first.body.key).get('/v1/memories')).status, {
        timeout: 10_000,
      })
      .toBe(401);
    const again = await master.post('/v1/admin/keys', body, headers);
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const other = await master.post('/v1/admin/keys', { ...body, name: 'late' }, headers);
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency-key-reused' } });
  });
});

describe('the master key', () => {
  it('[I1] cannot use the tenant name that is reserved for the program', async () => {
    const reply = await clientOf(server, server.masterKey).post('/v1/admin/keys', {
      tenant: 'system',
      role: 'admin',
    });
    expect(reply.status).toBe(400);
    expect(reply.body.errors).toEqual([{ path: 'tenant', message: 'is reserved for the system' }]);
  });

  it('[I1] requires a tenant', async () => {
    const reply = await master.post('/v1/admin/keys', { role: 'admin' });
    expect(reply).toMatchObject({ status: 400, body: { errors: [{ path: 'tenant' }] } });
  });

  it('[I1] can create tenants and keys and do nothing else', async () => {
    const admin = await newAdmin(server);
    const { memory } = await admin.store({ content: 'hidden from the master key' });
    const [{ id }] = (await admin.get('/v1/admin/keys')).body.items;
    const paths: [string, string][] = [
      ['GET', '/v1/memories'],
      ['POST', '/v1/memories'],
      ['POST', '/v1/memories/bulk'],
      ['GET', `/v1/memories/${memory.id}`],
      ['PATCH', `/v1/memories/${memory.id}`],
      ['DELETE', `/v1/memories/${memory.id}`],
      ['GET', `/v1/memories/${memory.id}/history`],
      ['POST', '/v1/search'],
      ['GET', '/v1/stats'],
      ['GET', '/v1/audit/events'],
      ['GET', '/v1/admin/keys'],
      ['DELETE', `/v1/admin/keys/${id}`],
      ['GET', '/v1/admin/projections'],
      ['POST', '/v1/admin/projections/memories/rebuild'],
    ];
    for (const [method, path] of paths) {
      const reply = await master.send(method, path);
      expect([method, path, reply.status]).toEqual([method, path, 403]);
      expect(reply.body.code).toBe('forbidden');
    }
    expect((await admin.get('/v1/memories')).status).toBe(200);
  });

  it('[I2] disables the development identity', async () => {
    expect((await clientOf(server).get('/v1/memories')).status).toBe(401);
    expect((await clientOf(server).get('/readyz')).body.identity).toBe('credentials');
  });
});
