import { beforeAll, describe, expect, it } from 'vitest';
import { clientOf, onBehalfOf, type Client, type Json } from '../support/api.ts';
import { expectClear, stratalogAs } from '../support/cli.ts';
import { expectInvalid, expectProblem } from '../support/problem.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
let tenant: Tenant;
let admin: Client;
let agent: Client;
let forAlice: Client;
let forBob: Client;

const at = ({ id }: Json) => `/v1/memories/${id}`;
const helper = { role: 'agent', agents: ['helper'], teams: ['a'], users: ['alice', 'b*', 'jürgen 😀'] };

beforeAll(async () => {
  tenant = await newTenant(server);
  ({ admin } = tenant);
  agent = await tenant.key(helper);
  forAlice = onBehalfOf(server, agent, 'alice');
  forBob = onBehalfOf(server, agent, 'bob');
});

describe('a key of role agent', () => {
  const create = (rights: object) =>
    admin.post('/v1/admin/keys', { role: 'agent', agents: ['helper'], users: ['*'], ...rights });

  it('[I1] is listed with its name and the users that it serves', async () => {
    const { id, position } = (await create({ users: ['alice', 'acme-*'] })).body;
    const { items } = (await admin.get(`/v1/admin/keys?minPosition=${position}`)).body;
    const listed = items.find((item: Json) => item.id === id);
    expect(listed).toMatchObject({ role: 'agent', agents: ['helper'], users: ['alice', 'acme-*'] });
    expect(listed).not.toHaveProperty('user');
  });

  it.each([
    ['agents', { agents: [] }],
    ['agents', { agents: ['one', 'two'] }],
    ['users', { users: [] }],
    ['users', { users: undefined }],
    ['users.1', { users: ['alice', 'a*b'] }],
    ['users', { users: '*' }],
    ['user', { user: 'alice' }],
    ['sessions', { sessions: ['s'] }],
    ['users', { role: 'member', agents: [] }],
  ])('[I1] is refused with a 400 that names %s: %j', async (field, rights) => {
    expectInvalid(await create(rights), field);
  });

  it.each(['*', 'b*', 'alice, bob', ' '])('[I1] acts for one user, not for %j', async (name) => {
    const reply = await onBehalfOf(server, agent, name).get('/v1/memories');
    expectInvalid(reply, 'X-On-Behalf-Of');
    const every = await tenant.key({ ...helper, users: ['*'] });
    expectInvalid(await onBehalfOf(server, every, name).get('/v1/memories'), 'X-On-Behalf-Of');
  });

  it('[I1] cannot administer, audit or operate anything', async () => {
    for (const client of [agent, forAlice]) {
      for (const path of ['/v1/admin/keys', '/v1/audit/events', '/v1/admin/projections', '/v1/admin/routing'])
        expectProblem(await client.get(path), 403, 'forbidden');
      const { memory } = await client.store({ content: 'x', layer: 'team', scope: { team: 'a' } });
      expectProblem(await client.delete(`${at(memory)}?mode=erase`), 403, 'forbidden');
      expect((await client.delete(at(memory))).status).toBe(200);
    }
  });
});

describe('X-On-Behalf-Of', () => {
  it('[I1] is refused with 403 for a user that the key does not cover, and for any other caller', async () => {
    for (const user of ['carol', 'alice2', 'Bob', 'ab'])
      expectProblem(await onBehalfOf(server, agent, user).get('/v1/memories'), 403, 'forbidden');
    const others = [admin, await tenant.key({ user: 'alice' }), await tenant.key({ role: 'auditor' })];
    for (const other of others)
      expectProblem(await onBehalfOf(server, other, 'alice').get('/v1/memories'), 403, 'forbidden');
    const master = clientOf(server, server.masterKey);
    const asMaster = onBehalfOf(server, master, 'alice');
    expectProblem(
      await asMaster.post('/v1/admin/keys', { tenant: tenant.id, role: 'admin' }),
      403,
      'forbidden',
    );
  });

  it.each(['', 'x'.repeat(257), 'a\tb'])('[I1] is refused with 400 as %j', async (user) => {
    expectInvalid(await agent.get('/v1/memories', { 'x-on-behalf-of': user }), 'X-On-Behalf-Of');
  });

  it('[I1] accepts any name in UTF-8', async () => {
    const { memory } = await onBehalfOf(server, agent, 'jürgen 😀').store({ content: 'Grüße' });
    expect(memory.scope).toEqual({ company: tenant.id, user: 'jürgen 😀' });
  });

  it('[I1] must agree with scope.user in every call that accepts a scope', async () => {
    const query = { query: 'tea', scope: { user: 'bob' } };
    const memory = { content: 'x', scope: { user: 'bob' } };
    for (const client of [agent, forAlice]) {
      expectInvalid(await client.post('/v1/memories', memory), 'scope.user');
      expectInvalid(await client.put('/v1/memories/external/e', memory), 'scope.user');
      expectInvalid(await client.post('/v1/search', query), 'scope.user');
      expectInvalid(await client.post('/v1/reasoning/multi-hop', query), 'scope.user');
      const lines = await client.bulk([memory, { ...memory, externalId: 'e', upsert: true }]);
      expect(lines.map(({ status }) => status)).toEqual([400, 400]);
      expect(lines[0].problem.errors).toMatchObject([{ path: 'scope.user' }]);
    }
    expect((await forBob.post('/v1/memories', memory)).status).toBe(201);
    expect((await forBob.post('/v1/search', query)).status).toBe(200);
  });

  it('[J2] is a parameter of every operation of the OpenAPI document', async () => {
    const { paths } = (await admin.get('/openapi.json')).body;
    for (const [path, item] of Object.entries<Json>(paths)) {
      if (!path.startsWith('/v1/')) continue;
      for (const { parameters = [] } of Object.values<Json>(item))
        expect(parameters).toContainEqual(expect.objectContaining({ name: 'X-On-Behalf-Of', in: 'header' }));
    }
  });
});

describe('an agent with and without a user', () => {
  const note = (client: Client, content: string, more: object = {}) => client.store({ content, ...more });

  it('[I2] hides memories of one user from every other user, and from itself without a user', async () => {
    const alice = await note(forAlice, 'Alice drinks white tea in the harbour');
    const inSession = await note(forAlice, 'Alice asked about tea', {
      layer: 'session',
      scope: { session: 's' },
    });
    const ofAgent = await note(forAlice, 'Alice likes short answers about tea', { layer: 'agent' });
    const inTeam = await note(forAlice, 'Alice wrote down how the team brews tea', {
      layer: 'team',
      scope: { team: 'a', user: 'alice' },
    });
    const own = await note(agent, 'Tea is brewed at 80 degrees', { layer: 'agent' });
    const last = await note(agent, 'The team has tea at four', { layer: 'team', scope: { team: 'a' } });
    expect(ofAgent.memory.scope).toEqual({ company: tenant.id, user: 'alice', agent: 'helper' });
    expect(own.memory.scope).toEqual({ company: tenant.id, agent: 'helper' });

    const personal = [alice, inSession, ofAgent];
    const expected = new Map([
      [forAlice, [...personal, inTeam, own, last]],
      [forBob, [inTeam, own, last]],
      [agent, [own, last]],
    ]);
    for (const [client, seen] of expected) {
      const ids = seen.map(({ memory }) => memory.id).sort();
      const among = (items: Json[]) =>
        items
          .map((item) => item.id)
          .filter((id) => [...personal, inTeam, own, last].some(({ memory }) => memory.id === id))
          .sort();
      for (const asOf of [undefined, last.position]) {
        const wait = `minPosition=${last.position}${asOf === undefined ? '' : `&asOf=${asOf}`}`;
        const list = await client.get(`/v1/memories?limit=500&${wait}`);
        expect(among(list.body.items)).toEqual(ids);
        const body = { query: 'tea', threshold: 0, topK: 100, minPosition: last.position, asOf };
        const found = await client.post('/v1/search', body);
        expect(among(found.body.results.map(({ memory }: Json) => memory))).toEqual(ids);
      }
      for (const { memory } of [...personal, inTeam, own, last]) {
        const status = ids.includes(memory.id) ? 200 : 404;
        for (const path of ['', '/history', '/related', `?asOf=${last.position}`]) {
          const reply = await client.get(`${at(memory)}${path}`);
          expect([memory.content, path, reply.status]).toEqual([memory.content, path, status]);
        }
      }
    }
    await admin.put(`${at(last.memory)}/links/related/${inTeam.memory.id}`);
    const linked = await admin.put(`${at(own.memory)}/links/related/${alice.memory.id}`);
    const related = async (client: Client, of: Json) => {
      const path = `${at(of)}/related?minPosition=${linked.body.position}`;
      return (await client.get(path)).body.items.map(({ memory }: Json) => memory.id);
    };
    expect(await related(agent, last.memory)).toEqual([]);
    expect(await related(forBob, last.memory)).toEqual([inTeam.memory.id]);
    expect(await related(forBob, own.memory)).toEqual([]);
    expect(await related(forAlice, own.memory)).toEqual([alice.memory.id]);
    const sums = async (client: Client) =>
      (await client.get(`/v1/stats?minPosition=${last.position}`)).body.layers.map(
        ({ layer }: Json) => layer,
      );
    expect(await sums(agent)).not.toContain('user');
    expect(await sums(forAlice)).toContain('user');
  });

  it('[I2] may write what the user may write; memories of another user answer 404', async () => {
    const { memory } = await note(forAlice, 'mine');
    const send = (client: Client) => client.patch(at(memory), { content: 'changed' }, { 'if-match': '*' });
    for (const client of [agent, forBob]) {
      expectProblem(await send(client), 404, 'not-found');
      expectProblem(await client.delete(at(memory)), 404, 'not-found');
      expectProblem(await client.post(`${at(memory)}/feedback`, { kind: 'outdated' }), 404, 'not-found');
    }
    expect((await send(forAlice)).status).toBe(200);
    expectProblem(await agent.post('/v1/memories', { content: 'x' }), 400, 'validation-failed', 'scope.user');
    expectProblem(await forAlice.post('/v1/memories', { content: 'x', layer: 'company' }), 403, 'forbidden');
    const elsewhere = { content: 'x', layer: 'team', scope: { team: 'b' } };
    expectProblem(await forAlice.post('/v1/memories', elsewhere), 403, 'forbidden');
  });

  it('[A1] learns nothing about the externalId of another user’s memory', async () => {
    const { memory } = await note(forAlice, 'mine', { externalId: 'diary' });
    const named = '/v1/memories/external/diary';
    for (const reply of [
      await forBob.put(named, { content: 'x' }),
      await agent.put(named, { content: 'x', layer: 'team', scope: { team: 'a' } }),
    ]) {
      expect(reply.status).toBe(201);
      expect(JSON.stringify(reply.body)).not.toContain(memory.id);
    }
    const { status, body } = await forAlice.put(named, { content: 'new' });
    expect([status, body.memory.id]).toEqual([200, memory.id]);
  });

  it('[F1] is the actor, on behalf of the user, in history and audit', async () => {
    const { memory } = await note(forAlice, 'who wrote this');
    const { memory: own, position } = await note(agent, 'nobody asked for this', { layer: 'agent' });
    expect(memory.createdBy).toBe('agent:helper');
    const { body } = await forAlice.post('/v1/search', { query: 'who wrote this' });
    expect((await forAlice.get(`${at(memory)}/history`)).body.items).toMatchObject([
      { type: 'MemoryStored', actor: 'agent:helper', onBehalfOf: 'alice' },
    ]);
    const events = async (query: string) =>
      (await admin.get(`/v1/audit/events?${query}&minPosition=${position}`)).body.items;
    const [stored] = await events(`memory=${memory.id}`);
    expect(stored).toMatchObject({
      actor: 'agent:helper',
      onBehalfOf: 'alice',
      principal: expect.stringMatching(/^key:/),
    });
    const [alone] = await events(`memory=${own.id}`);
    expect(alone.actor).toBe('agent:helper');
    expect(alone).not.toHaveProperty('onBehalfOf');
    // Waits until the search is recorded.
    const audited = await admin.get(`/v1/audit/searches/${body.searchId}?waitMs=20000`);
    expect(audited).toMatchObject({ status: 200, body: { actor: 'agent:helper', onBehalfOf: 'alice' } });
  });

  it('[A11] keeps idempotency keys and searches of its users separate', async () => {
    const key = { 'idempotency-key': 'same' };
    const post = (client: Client) =>
      client.post(
        '/v1/memories',
        { content: 'x', duplicates: 'keep', layer: 'team', scope: { team: 'a' } },
        key,
      );
    const replies = [await post(forAlice), await post(forBob), await post(agent)];
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(replies.map(({ body }) => body.memory.id)).size).toBe(3);
    expect((await post(forAlice)).body).toEqual(replies[0]!.body);

    const { memory } = replies[2]!.body;
    const { searchId } = (await forAlice.post('/v1/search', { query: 'x' })).body;
    const judge = (client: Client) => client.post(`${at(memory)}/feedback`, { kind: 'helpful', searchId });
    for (const client of [forBob, agent]) expectProblem(await judge(client), 404, 'not-found', 'searchId');
    expect((await judge(forAlice)).status).toBe(200);
  });
});

describe('the command line', () => {
  it('[J4] creates a key of role agent, and acts for a user by option or environment', async () => {
    const created = await stratalogAs(
      server,
      admin,
      ...['keys', 'create', '--role', 'agent', '--agent', 'cli', '--users', 'alice', '--users', 'b*'],
    );
    expect(created.code).toBe(0);
    const key = clientOf(server, created.stdout.trim());
    const { memory, position } = await onBehalfOf(server, key, 'bö').store({ content: 'of bö' });
    const search = (...options: string[]) =>
      stratalogAs(server, key, 'search', 'of bö', '--threshold', '0', '--json', ...options);
    await admin.post('/v1/search', { query: 'of bö', minPosition: position, waitMs: 30_000 });
    const found = async (...options: string[]) =>
      (await search(...options)).json.results.map((result: Json) => result.memory.id);
    expect(await found('--on-behalf-of', 'bö')).toContain(memory.id);
    expect(await found('--on-behalf-of', 'alice')).not.toContain(memory.id);
    expectClear(await search('--on-behalf-of', 'carol'), 1, 'carol');
    const events = await stratalogAs(server, admin, 'audit', 'events', '--memory', memory.id);
    expect(events.stdout).toContain('agent:cli for bö');
  });
});
