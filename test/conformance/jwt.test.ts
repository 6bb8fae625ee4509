import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientOf, clientWithKey, freshTenant, onBehalfOf, type Client } from '../support/api.ts';
import { openLines } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { useSharedServer } from '../support/use-server.ts';

let server: TestServer;
const without = useSharedServer('deterministic');
let ours: CryptoKey;
let foreign: CryptoKey;
let publicKey: JWK;

const issuer = 'https://id.example';
const audience = 'stratalog';

beforeAll(async () => {
  const pair = await generateKeyPair('RS256');
  ours = pair.privateKey;
  foreign = (await generateKeyPair('RS256')).privateKey;
  publicKey = { ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' };
  server = await startServer({
    environment: {
      STRATALOG_EMBEDDER: 'deterministic',
      STRATALOG_JWT_ISSUER: issuer,
      STRATALOG_JWT_AUDIENCE: audience,
      STRATALOG_JWT_JWKS: JSON.stringify({ keys: [publicKey] }),
    },
  });
});

afterAll(() => server.remove());

interface Signing {
  readonly key?: CryptoKey;
  readonly issuer?: string;
  readonly audience?: string;
  /** `null`: never. */
  readonly expires?: string | number | null;
  readonly notBefore?: string;
}

function sign(claims: Record<string, unknown>, signing: Signing = {}): Promise<string> {
  const token = new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
    .setIssuer(signing.issuer ?? issuer)
    .setAudience(signing.audience ?? audience)
    .setIssuedAt();
  if (signing.expires !== null) token.setExpirationTime(signing.expires ?? '5m');
  if (signing.notBefore !== undefined) token.setNotBefore(signing.notBefore);
  return token.sign(signing.key ?? ours);
}

const clientWith = async (claims: Record<string, unknown>, signing?: Signing): Promise<Client> =>
  clientOf(server, await sign(claims, signing));

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a valid JWT', () => {
  it('[I1] gives tenant, user and role, with member as the default role', async () => {
    const client = await clientWith({ sub: 'ada', tenant: 'acme' });
    const { memory } = await client.store({ content: 'stored with a token' });
    expect(memory).toMatchObject({ scope: { company: 'acme', user: 'ada' }, createdBy: 'user:ada' });
    expect((await client.post('/v1/memories', { content: 'x', layer: 'company' })).status).toBe(403);
    const admin = await clientWith({ sub: 'root', tenant: 'acme', role: 'admin' });
    expect((await admin.get(`/v1/memories/${memory.id}`)).status).toBe(200);
    const both = await clientWith({ sub: 'eve', tenant: 'acme', roles: ['operator', 'auditor'] });
    expect((await both.get('/v1/audit/events')).status).toBe(200);
    expect((await both.get('/v1/admin/projections')).status).toBe(200);
    const { body: who } = await both.get('/v1/whoami');
    expect(who).toMatchObject({
      credential: 'jwt',
      user: 'eve',
      role: 'operator',
      roles: ['operator', 'auditor'],
    });
    expect(who.operations).toEqual(expect.arrayContaining(['auditEvents', 'listProjections', 'search']));
  });

  it('[I1] gives the memberships', async () => {
    const scope = { org: 'o', team: 't', project: 'p', session: 's', agent: 'a' };
    const admin = await clientWith({ sub: 'root', tenant: 'members', role: 'admin' });
    const ids: Record<string, string> = {};
    for (const layer of Object.keys(scope))
      ids[layer] = (await admin.store({ content: layer, layer, scope })).memory.id;
    const sees = async (claims: Record<string, unknown>) => {
      const client = await clientWith({ sub: 'bob', tenant: 'members', ...claims });
      const seen = [];
      for (const [layer, id] of Object.entries(ids)) {
        if ((await client.get(`/v1/memories/${id}`)).status === 200) seen.push(layer);
      }
      return seen;
    };
    expect(await sees({})).toEqual([]);
    expect(await sees({ orgs: ['o'] })).toEqual(['org']);
    expect(await sees({ teams: ['x', 't'] })).toEqual(['team']);
    expect(await sees({ projects: ['p'] })).toEqual(['project']);
    expect(await sees({ sessions: ['s'] })).toEqual(['session']);
    expect(await sees({ agents: ['a'] })).toEqual(['agent']);
    expect(await sees({ agent: 'a' })).toEqual(['agent']);
    expect(await sees({ orgs: 'o', teams: 't' })).toEqual(['org', 'team']);
    expect(await sees({ orgs: ['other'] })).toEqual([]);
  });

  it('[I1] of an agent serves the users that its claim names', async () => {
    const agent = {
      sub: 'service',
      tenant: 'served',
      role: 'agent',
      agent: 'helper',
      users: ['alice', 'b*'],
    };
    const client = await clientWith(agent);
    const forAlice = onBehalfOf(server, client, 'alice');
    const { memory } = await forAlice.store({ content: 'of alice' });
    expect(memory).toMatchObject({ scope: { user: 'alice' }, createdBy: 'agent:helper' });
    expect((await client.get(`/v1/memories/${memory.id}`)).status).toBe(404);
    expect((await onBehalfOf(server, client, 'carol').get('/v1/memories')).status).toBe(403);
    const alice = await clientWith({ sub: 'alice', tenant: 'served' });
    expect((await alice.get(`/v1/memories/${memory.id}`)).status).toBe(200);
    const { agent: name, ...unnamed } = agent;
    const one = await clientWith({ ...unnamed, agents: name, users: '*' });
    expect((await onBehalfOf(server, one, 'carol').get('/v1/memories')).status).toBe(200);
  });

  it.each([
    ['another role', { roles: ['agent', 'admin'], role: undefined }, 'stands alone'],
    ['no name', { agent: undefined }, '`agent`'],
    ['two names', { agents: ['other'] }, '`agent`'],
    ['no users', { users: [] }, '`users`'],
    ['users that are no pattern', { users: ['a*b'] }, 'users'],
    ['a user', { user: 'alice' }, '`user`'],
    ['sessions', { sessions: ['s'] }, '`sessions`'],
  ])('[I1] of an agent with %s is refused', async (_, claims, word) => {
    const agent = { sub: 'service', tenant: 'served', role: 'agent', agent: 'helper', users: ['*'] };
    const reply = await (await clientWith({ ...agent, ...claims })).get('/v1/memories');
    expect(reply).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect(reply.body.detail).toContain(word);
  });

  it('[I3] belongs to the same tenant as its API keys and to no other', async () => {
    const key = await clientWithKey(server, { tenant: 'shared', role: 'member', user: 'ada' });
    const { memory } = await key.store({ content: 'mine' });
    const same = await clientWith({ sub: 'ada', tenant: 'shared' });
    expect((await same.get(`/v1/memories/${memory.id}`)).status).toBe(200);
    const other = await clientWith({ sub: 'ada', tenant: 'elsewhere' });
    expect((await other.get(`/v1/memories/${memory.id}`)).status).toBe(404);
  });
});

describe('a followed stream', () => {
  it('[I1] ends when its JWT expires', { timeout: 10_000 }, async () => {
    const token = await sign({ sub: 'eve', tenant: 'followed', role: 'auditor' }, { expires: '2s' });
    const stream = await openLines(`${server.url}/v1/audit/events?follow=true&type=MemoryStored`, token);
    expect(stream.status).toBe(200);
    await expect(stream.next()).rejects.toThrow('the stream ended');
  });
});

describe('callers whose JWTs have no subject', () => {
  it.each([
    ['agents', { agent: 'g1' }, { agent: 'g2' }],
    ['users', { user: 'ada' }, { user: 'bob' }],
    ['clients with different client_id', { client_id: 'c1' }, { client_id: 'c2' }],
    ['clients with different azp', { azp: 'c1' }, { azp: 'c2' }],
    ['teams', { teams: ['x', 'y'] }, { teams: ['x'] }],
    ['an agent and a user with the same name', { agent: 'same' }, { user: 'same' }],
    ['a caller and one without any identifier', { agent: 'g1' }, {}],
  ])('[A11] [I3] are distinguished: %s', async (_, claims, others) => {
    const tenant = freshTenant();
    const admin = await clientWith({ sub: 'root', tenant, role: 'admin' });
    const { memory } = await admin.store({ content: 'known to all', layer: 'company' });
    const one = await clientWith({ tenant, ...claims });
    const other = await clientWith({ tenant, ...others });
    const { searchId } = (await one.post('/v1/search', { query: 'known' })).body;
    const feedback = (client: Client, body: object, headers = {}) =>
      client.post(`/v1/memories/${memory.id}/feedback`, { kind: 'outdated', ...body }, headers);
    expect((await feedback(one, { searchId })).status).toBe(200);
    expect((await feedback(other, { searchId })).status).toBe(404);
    const headers = { 'idempotency-key': 'same-for-both' };
    for (const client of [one, other]) {
      const reply = await feedback(client, {}, headers);
      expect(reply.status).toBe(200);
      expect(reply.headers.get('idempotency-replayed')).toBeNull();
    }
  });

  it('[A11] keep their identity with the next token', async () => {
    const tenant = freshTenant();
    const headers = { 'idempotency-key': 'of-one-agent' };
    const agent = { tenant, agent: 'g1', agents: ['g1', 'g2'] };
    const store = async (claims: Record<string, unknown>, signing: Signing) =>
      (await clientWith(claims, signing)).post(
        '/v1/memories',
        { content: 'x', layer: 'agent', scope: { agent: 'g1' } },
        headers,
      );
    const first = await store(agent, { expires: '5m' });
    expect(first.status).toBe(201);
    const next = await store({ ...agent, jti: 'another', teams: ['joined since'] }, { expires: '9m' });
    expect(next.body).toEqual(first.body);
    expect(next.headers.get('idempotency-replayed')).toBe('true');
  });
});

describe('a rejected JWT', () => {
  const valid = { sub: 'ada', tenant: 'acme', role: 'admin' };

  it('[I1] 403 without a tenant, although it is valid', async () => {
    const reply = await (await clientWith({ sub: 'ada', role: 'admin' })).get('/v1/memories');
    expect(reply).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect(reply.body.detail).toContain('tenant');
  });

  it.each([
    ['an invalid tenant name', { tenant: 'Not-A-Tenant' }],
    ['an empty tenant', { tenant: '' }],
    ['an unknown role', { role: 'king' }],
    ['memberships that are not names', { orgs: [1] }],
    ['the reserved tenant', { tenant: 'system' }],
    ['a user with U+0000', { user: 'a\u0000' }],
    ['a subject with a control character', { sub: 'a\u0007' }],
    ['an agent with a line feed', { agent: 'a\n' }],
    ['a team with U+0000', { teams: ['a', '\u0000'] }],
    ['one org with a control character', { orgs: '\u0001' }],
    ['a session with a lone surrogate', { sessions: ['\ud800'] }],
    ['an empty project', { projects: [''] }],
  ])('[I1] 403 with %s', async (_, claims) => {
    const reply = await (await clientWith({ ...valid, ...claims })).get('/v1/memories');
    expect(reply).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  });

  it.each<[string, () => Promise<string>]>([
    ['of another issuer', () => sign(valid, { issuer: 'https://elsewhere.example' })],
    ['for another audience', () => sign(valid, { audience: 'another service' })],
    ['signed by another key', () => sign(valid, { key: foreign })],
    ['that has expired', () => sign(valid, { expires: Math.floor(Date.now() / 1000) - 120 })],
    ['that is not valid yet', () => sign(valid, { notBefore: '10m' })],
    [
      'without a signature',
      async () => `${base64url({ alg: 'none' })}.${base64url({ ...valid, iss: issuer, aud: audience })}.`,
    ],
    [
      'whose claims were changed',
      async () => {
        const [header, , signature] = (await sign(valid)).split('.');
        const claims = { ...valid, tenant: 'other', iss: issuer, aud: audience, exp: Date.now() };
        return `${header}.${base64url(claims)}.${signature}`;
      },
    ],
    [
      'signed with the public key as a secret',
      () =>
        new SignJWT(valid)
          .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
          .setIssuer(issuer)
          .setAudience(audience)
          .setExpirationTime('5m')
          .sign(Buffer.from(publicKey.n!)),
    ],
    ['that was truncated', async () => (await sign(valid)).slice(0, -10)],
  ])('[I1] 401 %s', async (_, token) => {
    const reply = await clientOf(server, await token()).get('/v1/memories');
    expect(reply).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    expect((await (await clientWith(valid)).get('/v1/memories')).status).toBe(200);
  });

  it('[I1] 401 without an expiry, with a message that says so', async () => {
    const reply = await (await clientWith(valid, { expires: null })).get('/v1/memories');
    expect(reply).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    expect(reply.body.detail).toContain('`exp`');
  });

  it('[I1] 401 when the server has no issuer configured', async () => {
    expect((await clientOf(without, await sign(valid)).get('/v1/memories')).status).toBe(401);
  });
});

describe('a JWT whose issuer is unreachable', () => {
  it('[I1] the client is asked to retry, and the operator is told why', async () => {
    const bare = await startServer({
      environment: {
        STRATALOG_EMBEDDER: 'deterministic',
        STRATALOG_JWT_ISSUER: issuer,
        STRATALOG_JWT_AUDIENCE: audience,
        STRATALOG_JWT_JWKS: `http://127.0.0.1:${await freePort()}/keys`,
      },
    });
    try {
      const token = await sign({ sub: 'ada', tenant: 'acme' });
      const reply = await clientOf(bare, token).get('/v1/memories');
      expect(reply).toMatchObject({ status: 503, body: { code: 'unavailable' } });
      expect(reply.headers.get('retry-after')).toBe('5');
      expect(reply.headers.get('www-authenticate')).toBeNull();
      const logged = () => bare.log.filter((line) => line.includes('could not be answered'));
      await eventually(logged).toEqual([expect.stringMatching(/"level":40.*ECONNREFUSED/)]);
      for (const part of token.split('.')) expect(bare.log.join('\n')).not.toContain(part);
    } finally {
      await bare.remove();
    }
  });
});
