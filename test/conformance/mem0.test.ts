import { hash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { clientOf, type Client, type Json, type Reply } from '../support/api.ts';
import { mem0Client } from '../support/mem0.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
let tenant: Tenant;
/** With the key of an admin. */
let mem0: Client;
/** With a key of role agent that serves every user. */
let agent: Client;

beforeAll(async () => {
  tenant = await newTenant(server);
  mem0 = mem0Client(server, tenant.admin.key!);
  agent = await agentClient(['*']);
});

async function agentClient(users: readonly string[]): Promise<Client> {
  const { key } = await tenant.key({ role: 'agent', agents: ['bot'], users });
  return mem0Client(server, key!);
}

const at = (id: string) => `/v1/memories/${id}/`;
const turn = (content: string, role = 'user') => ({ role, content });

/** Adds one message and returns the id of its memory. */
async function addOne(client: Client, content: string, fields: Json): Promise<string> {
  const reply = await client.post('/v3/memories/add/', { messages: [turn(content)], ...fields });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.body.results[0].id;
}

async function list(client: Client, filters: Json, more: Json = {}): Promise<string[]> {
  const reply = await client.post('/v3/memories/', { filters, ...more });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.body.results.map(({ memory }: Json) => memory);
}

/** mem0's clients show `detail`, and only if the body is plain JSON. */
function expectRefusal({ status, headers, body }: Reply, wanted: number, detail: RegExp): void {
  expect({ status, detail: body?.detail }).toEqual({
    status: wanted,
    detail: expect.stringMatching(detail),
  });
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  expect(JSON.stringify(body)).not.toMatch(/\.ts:|\bat \w+ \(/);
}

describe('the credential', () => {
  it('[J3] is `Token <key>`, here alone', async () => {
    const ping = await mem0.get('/v1/ping/');
    expect(ping).toMatchObject({ status: 200, body: { status: 'ok', org_id: tenant.id } });
    expect(ping.body.project_id).toMatch(/./);
    const elsewhere = clientOf(server, undefined, { authorization: `Token ${tenant.admin.key}` });
    expect((await elsewhere.get('/v1/memories')).status).toBe(401);
    const bearer = clientOf({ url: `${server.url}/compat/mem0` }, tenant.admin.key);
    expect((await bearer.get('/v1/ping/')).status).toBe(200);
  });

  it.each(['Token m0-of-mem0', 'Token sl_x_y_z', 'Token', 'Basic eDp5', ''])(
    '[J3] [I1] is refused as %j with a body that the clients show',
    async (authorization) => {
      const stranger = clientOf({ url: `${server.url}/compat/mem0` }, undefined, { authorization });
      const reply = await stranger.get('/v1/ping/');
      expectRefusal(reply, 401, /Authorization|API key|credential/);
      expect(reply.headers.get('www-authenticate')).toBe('Token');
    },
  );

  it('[J3] [I1] may not be the master key', async () => {
    expectRefusal(await mem0Client(server, server.masterKey!).get('/v1/ping/'), 403, /master key/);
  });
});

describe('a memory', () => {
  it('[J3] [F2] is added verbatim, and found at once in the shapes of mem0', async () => {
    const added = await mem0.post('/v3/memories/add/', {
      messages: [
        turn('You are a helpful cook.', 'system'),
        turn('I am allergic to hazelnuts.'),
        { ...turn('I will leave hazelnuts out.', 'assistant'), name: 'chef' },
      ],
      user_id: 'nora',
      run_id: 'lunch',
      metadata: { topic: 'food' },
      timestamp: 1_700_000_000,
      infer: false,
      custom_categories: [{ food: 'what they eat' }],
      someday: 'a new field',
    });
    expect(added.body.results).toEqual([
      { id: expect.any(String), memory: 'I am allergic to hazelnuts.', event: 'ADD', role: 'user' },
      {
        id: expect.any(String),
        memory: 'I will leave hazelnuts out.',
        event: 'ADD',
        role: 'assistant',
        actor_id: 'chef',
      },
    ]);
    const [{ id }] = added.body.results;
    const memory = {
      id,
      memory: 'I am allergic to hazelnuts.',
      hash: hash('md5', 'I am allergic to hazelnuts.'),
      user_id: 'nora',
      agent_id: null,
      run_id: 'lunch',
      app_id: null,
      metadata: { role: 'user', topic: 'food' },
      categories: [],
      role: 'user',
      created_at: expect.any(String),
      updated_at: expect.any(String),
      expiration_date: null,
    };
    const found = await mem0.post('/v3/memories/search/', {
      query: 'Am I allergic to hazelnuts?',
      filters: { user_id: 'nora' },
      rerank: true,
    });
    expect(found.body.results.map(({ id }: Json) => id)).toContain(id);
    const { score, ...hit } = found.body.results.find((result: Json) => result.id === id);
    expect(score).toBeGreaterThanOrEqual(0.7);
    expect(hit).toEqual(memory);
    expect((await mem0.get(at(id))).body).toEqual(hit);
    const listed = await mem0.post('/v3/memories/', { filters: { user_id: 'nora' } });
    expect(listed.body).toMatchObject({ count: 2, next: null, previous: null });
    expect(listed.body.results).toContainEqual(hit);
    const own = (await tenant.admin.get(`/v1/memories/${id}`)).body;
    expect(own).toMatchObject({
      layer: 'user',
      scope: { user: 'nora', session: 'lunch' },
      occurredAt: '2023-11-14T22:13:20.000Z',
      createdBy: 'user:ada',
    });
  });

  it('[J3] [F3] is updated and deleted, and its history tells so', async () => {
    const id = await addOne(mem0, 'The office is in Graz.', { user_id: 'olaf', metadata: { a: 1, b: 2 } });
    const changed = await mem0.put(at(id), { text: 'The office is in Linz.', metadata: { b: 3, c: 4 } });
    expect(changed.body).toMatchObject({
      id,
      memory: 'The office is in Linz.',
      metadata: { a: 1, b: 3, c: 4 },
    });
    expect(await list(mem0, { user_id: 'olaf' })).toEqual(['The office is in Linz.']);
    const deleted = await mem0.delete(at(id));
    expect(deleted.body).toEqual({ message: 'Memory deleted successfully!' });
    expect(await list(mem0, { user_id: 'olaf' })).toEqual([]);
    expectRefusal(await mem0.get(at(id)), 404, /no such memory/);
    expectRefusal(await mem0.put(at(id), { text: 'x' }), 404, /no such memory/);
    const { body: history } = await mem0.get(`${at(id)}history/`);
    expect(history).toMatchObject([
      {
        memory_id: id,
        event: 'ADD',
        old_memory: null,
        new_memory: 'The office is in Graz.',
        user_id: 'olaf',
      },
      { event: 'UPDATE', old_memory: 'The office is in Graz.', new_memory: 'The office is in Linz.' },
      { event: 'DELETE', old_memory: 'The office is in Linz.', new_memory: null },
    ]);
    expect(new Set(history.map(({ id }: Json) => id)).size).toBe(3);
  });

  it.each([
    [{ user_id: 'u' }, 'user', { user: 'u' }],
    [{ user_id: 7 }, 'user', { user: '7' }],
    [{ user_id: 'u', run_id: 'r' }, 'user', { user: 'u', session: 'r' }],
    [{ user_id: 'u', agent_id: 'a', run_id: 'r' }, 'agent', { user: 'u', agent: 'a', session: 'r' }],
    [{ user_id: 'u', app_id: 'p' }, 'user', { user: 'u', project: 'p' }],
    [{ run_id: 'r', app_id: 'p' }, 'session', { user: 'ada', session: 'r', project: 'p' }],
    [{ app_id: 'p' }, 'project', { project: 'p' }],
    [{ filters: { user_id: 'u', run_id: 'r' } }, 'user', { user: 'u', session: 'r' }],
  ])('[J3] [A1] of %j belongs to the layer %s', async (entities, layer, scope) => {
    const id = await addOne(mem0, `placed by ${JSON.stringify(entities)}`, entities);
    const memory = (await tenant.admin.get(`/v1/memories/${id}`)).body;
    expect(memory).toMatchObject({ layer, scope });
    expect(memory.scope).toEqual({ company: tenant.id, ...scope });
  });

  it('[J3] [F5] is stored once under one Idempotency-Key', async () => {
    const send = () =>
      mem0.post(
        '/v3/memories/add/',
        { messages: [turn('said once'), turn('and answered', 'assistant')], user_id: 'twice' },
        { 'idempotency-key': 'mem0-1' },
      );
    const [first, second] = [await send(), await send()];
    expect(second.body.results).toEqual(first.body.results);
    expect(await list(mem0, { user_id: 'twice' })).toHaveLength(2);
  });

  it('[J3] is hidden from the day after its expiration date, unless asked for', async () => {
    const fields = { user_id: 'exp' };
    await addOne(mem0, 'long gone', { ...fields, expiration_date: '2020-01-31' });
    const id = await addOne(mem0, 'still there', { ...fields, expiration_date: '2999-01-31' });
    expect(await list(mem0, fields)).toEqual(['still there']);
    expect(await list(mem0, fields, { show_expired: true })).toEqual(['still there', 'long gone']);
    expect((await mem0.get(at(id))).body).toMatchObject({
      expiration_date: '2999-01-31',
      metadata: { role: 'user' },
    });
    expect((await mem0.put(at(id), { expiration_date: '2020-02-01' })).status).toBe(200);
    expect(await list(mem0, fields)).toEqual([]);
    expect((await mem0.put(at(id), { expiration_date: null })).body.expiration_date).toBeNull();
    expect(await list(mem0, fields)).toEqual(['still there']);
  });
});

describe('a server program with one key of role agent', () => {
  let alices: string;

  beforeAll(async () => {
    alices = await addOne(agent, 'Alice plays the cello.', { user_id: 'alice' });
    await addOne(agent, 'Bob plays the drums.', { user_id: 'bob', run_id: 'r1' });
  });

  it('[J3] [I1] keeps its users apart', async () => {
    expect(await list(agent, { user_id: 'alice' })).toEqual(['Alice plays the cello.']);
    expect(await list(agent, { AND: [{ user_id: 'bob' }, { run_id: '*' }] })).toEqual([
      'Bob plays the drums.',
    ]);
    const found = await agent.post('/v3/memories/search/', {
      query: 'Who plays the drums?',
      filters: { user_id: 'alice' },
      threshold: 0,
    });
    expect(found.body.results.map(({ user_id: user }: Json) => user)).not.toContain('bob');
  });

  it('[J3] [I1] gets, changes and deletes a memory by its id alone, and the audit says for whom', async () => {
    expect((await agent.get(at(alices))).body).toMatchObject({ memory: 'Alice plays the cello.' });
    expect((await agent.put(at(alices), { text: 'Alice plays the viola.' })).status).toBe(200);
    expect((await agent.get(`${at(alices)}history/`)).body).toHaveLength(2);
    const { items } = (await tenant.admin.get(`/v1/memories/${alices}/history`)).body;
    expect(items.at(-1)).toMatchObject({ actor: 'agent:bot', onBehalfOf: 'alice' });
    const batch = { memories: [{ memory_id: alices, text: 'Alice plays the violin.' }] };
    expect((await agent.put('/v1/batch/', batch)).status).toBe(200);
    expect(await list(agent, { user_id: 'alice' })).toEqual(['Alice plays the violin.']);
    expect((await agent.delete(at(alices))).status).toBe(200);
    expect(await list(agent, { user_id: 'alice' })).toEqual([]);
  });

  it('[J3] [I1] reaches nobody whom its key does not cover, by name or by id', async () => {
    const narrow = await agentClient(['bob']);
    const refused = { messages: 'x', user_id: 'carol' };
    expectRefusal(await narrow.post('/v3/memories/add/', refused), 403, /carol/);
    expectRefusal(await narrow.post('/v3/memories/', { filters: { user_id: 'carol' } }), 403, /carol/);
    expectRefusal(await narrow.delete('/v1/memories/?user_id=carol'), 403, /carol/);
    const id = await addOne(agent, 'of Carol', { user_id: 'carol' });
    for (const reply of [
      await narrow.get(at(id)),
      await narrow.put(at(id), { text: 'x' }),
      await narrow.delete(at(id)),
      await narrow.get(`${at(id)}history/`),
    ])
      expectRefusal(reply, 404, /no such memory/);
    expect((await agent.get(at(id))).body.memory).toBe('of Carol');
  });

  it.each([
    { user_id: '*' },
    { user_id: { in: ['alice', 'bob'] } },
    { OR: [{ user_id: 'alice' }, { user_id: 'bob' }] },
    { AND: [{ user_id: { ne: 'bob' } }] },
  ])('[J3] [I1] asks for one user at a time, not for %j', async (filters) => {
    expectRefusal(await agent.post('/v3/memories/', { filters }), 403, /one user at a time/);
    expect((await mem0.post('/v3/memories/', { filters })).status).toBe(200);
  });

  it('[J3] keeps memories of its own that belong to no user', async () => {
    await addOne(agent, 'The bot answers in verse.', { agent_id: 'bot' });
    expect(await list(agent, { agent_id: 'bot' })).toEqual(['The bot answers in verse.']);
    expectRefusal(await agent.post('/v3/memories/add/', { messages: 'x', run_id: 'r' }), 403, /session/);
  });

  it('[J3] [I1] may name its user by X-On-Behalf-Of, but not another one beside it', async () => {
    const named = { 'x-on-behalf-of': 'bob' };
    const filters = { run_id: 'r1' };
    const reply = await agent.post('/v3/memories/', { filters }, named);
    expect(reply.body.results).toHaveLength(1);
    const other = await agent.post('/v3/memories/', { filters: { user_id: 'alice' } }, named);
    expectRefusal(other, 400, /user_id.*X-On-Behalf-Of/);
  });
});

describe('tenants and members', () => {
  it('[J3] [I2] see nothing of another tenant', async () => {
    const id = await addOne(mem0, 'secret of this tenant', { user_id: 'shared-name' });
    const other = mem0Client(server, (await newTenant(server)).admin.key!);
    expect(await list(other, { user_id: 'shared-name' })).toEqual([]);
    for (const reply of [
      await other.get(at(id)),
      await other.put(at(id), { text: 'x' }),
      await other.delete(at(id)),
      await other.get(`${at(id)}history/`),
      await other.put('/v1/batch/', { memories: [{ memory_id: id, text: 'x' }] }),
      await other.post('/v1/feedback/', { memory_id: id, feedback: 'VERY_NEGATIVE' }),
    ])
      expectRefusal(reply, 404, /no such memory/);
    expect((await other.get('/v1/entities/')).body.results).toEqual([]);
    await other.delete('/v1/memories/?user_id=shared-name');
    expect((await mem0.get(at(id))).status).toBe(200);
  });

  it('[J3] [I1] write their own memories and see nothing of others', async () => {
    const member = mem0Client(server, (await tenant.key({ user: 'mia' })).key!);
    await addOne(member, 'Mia was here', { user_id: 'mia' });
    expect(await list(member, { user_id: 'mia' })).toEqual(['Mia was here']);
    const foreign = await member.post('/v3/memories/add/', { messages: 'x', user_id: 'nora' });
    expectRefusal(foreign, 403, /this user/);
    expect(await list(member, { user_id: 'nora' })).toEqual([]);
    const reader = mem0Client(server, (await tenant.key({ role: 'reader' })).key!);
    expectRefusal(
      await reader.post('/v3/memories/add/', { messages: 'x', app_id: 'p' }),
      403,
      /may not write/,
    );
  });
});

describe('filters', () => {
  const f = 'filtered';
  let ids: string[];

  beforeAll(async () => {
    ids = [
      await addOne(mem0, 'Pizza with Budget', {
        user_id: f,
        metadata: { n: 1, 'a.b': 'x', deep: { k: true } },
      }),
      await addOne(mem0, 'pasta', { user_id: f, run_id: 'r', metadata: { n: 2 }, timestamp: '2020-05-05' }),
      await addOne(mem0, 'salad', { user_id: f, agent_id: 'g', metadata: { n: 'two' } }),
    ];
    const tagged = await tenant.admin.patch(
      `/v1/memories/${ids[2]}`,
      { tags: ['green'] },
      { 'if-match': '*' },
    );
    const { position } = tagged.body;
    await tenant.admin.get(`/v1/memories?limit=1&minPosition=${position}`);
  });

  const all = ['salad', 'pasta', 'Pizza with Budget'];
  it.each<[Json, string[]]>([
    [{}, all],
    [{ run_id: '*' }, ['pasta']],
    [{ run_id: null }, ['salad', 'Pizza with Budget']],
    [{ agent_id: { ne: 'g' } }, ['pasta', 'Pizza with Budget']],
    [{ NOT: [{ agent_id: '*' }, { run_id: '*' }] }, ['Pizza with Budget']],
    [{ NOT: { agent_id: 'g' } }, ['pasta', 'Pizza with Budget']],
    [{ OR: [{ agent_id: 'g' }, { run_id: { in: ['r', 's'] } }] }, ['salad', 'pasta']],
    [{ metadata: { n: 1 } }, ['Pizza with Budget']],
    [{ metadata: { n: { gte: 1, lt: 2 } } }, ['Pizza with Budget']],
    [{ metadata: { n: '*' } }, all],
    [{ metadata: { 'a.b': 'x', deep: { k: true } } }, ['Pizza with Budget']],
    [{ metadata: { n: { nin: [1, 2] } } }, ['salad']],
    [{ categories: { in: ['green', 'red'] } }, ['salad']],
    [{ categories: { contains: 'green' } }, ['salad']],
    [{ keywords: { icontains: 'BUDGET' } }, ['Pizza with Budget']],
    [{ created_at: { gte: '2024-01-01', lte: '2999-12-31' } }, all],
    [{ created_at: { lt: '2024-01-01T00:00:00Z' } }, []],
    [{ timestamp: { lte: '2020-05-05' } }, ['pasta']],
    [{ updated_at: { gt: 1_700_000_000 } }, all],
    [{ and: [{ run_id: '*' }, { metadata: { n: 2 } }] }, ['pasta']],
  ])('[J3] [A4] of mem0 mean the same: %j', async (filters, expected) => {
    expect(
      await list(mem0, { AND: [{ user_id: f }, ...(Object.keys(filters).length > 0 ? [filters] : [])] }),
    ).toEqual(expected);
  });

  it('[J3] [A4] name memories by their ids, and a search has them too', async () => {
    const filters = { user_id: f, memory_ids: [ids[0], ids[1]] };
    expect(await list(mem0, filters)).toEqual(['pasta', 'Pizza with Budget']);
    const found = await mem0.post('/v3/memories/search/', {
      query: 'pasta',
      filters,
      top_k: 1,
      threshold: 0.1,
      fields: ['memory'],
    });
    expect(found.body.results).toEqual([{ id: ids[1], memory: 'pasta', score: expect.any(Number) }]);
    expect(await list(mem0, { user_id: f }, { categories: ['green'] })).toEqual(['salad']);
    expect(await list(mem0, { user_id: f }, { start_date: '2999-01-01' })).toEqual([]);
    expect(await list(mem0, { user_id: f }, { end_date: '2999-01-01' })).toEqual(all);
  });

  it('[J3] [A4] a list comes in pages with links to the others', async () => {
    const page = (query: string) => mem0.post(`/v3/memories/?${query}`, { filters: { user_id: f } });
    const first = (await page('page=1&page_size=2')).body;
    expect(first).toMatchObject({
      count: 3,
      previous: null,
      results: [{ memory: 'salad' }, { memory: 'pasta' }],
    });
    expect(first.next).toBe(`${server.url}/compat/mem0/v3/memories/?page=2&page_size=2`);
    const second = (await page(first.next.split('?')[1])).body;
    expect(second).toMatchObject({ count: 3, next: null, results: [{ memory: 'Pizza with Budget' }] });
    expect(second.previous).toContain('page=1');
    expect((await page('page=9')).body).toMatchObject({ count: 3, results: [] });
  });
});

describe('many at once', () => {
  it('[J3] deletes all memories of the named entities, and no others', async () => {
    await addOne(mem0, 'kept', { user_id: 'del' });
    await addOne(mem0, 'gone', { user_id: 'del', run_id: 'gone' });
    await addOne(mem0, 'other', { user_id: 'del2', run_id: 'gone' });
    const reply = await mem0.delete('/v1/memories/?user_id=del&run_id=gone&org_id=1');
    expect(reply.body).toEqual({ message: 'Memories deleted successfully!' });
    expect(await list(mem0, { user_id: 'del' })).toEqual(['kept']);
    expect(await list(mem0, { run_id: 'gone' })).toEqual(['other']);
    expect((await mem0.delete('/v2/entities/user/del/')).body.message).toMatch(/deleted/);
    expect(await list(mem0, { user_id: 'del' })).toEqual([]);
    expect(await list(mem0, { user_id: 'del2' })).toEqual(['other']);
  });

  it('[J3] lists users, agents, runs and apps with the number of their memories', async () => {
    const own = await newTenant(server);
    const client = mem0Client(server, own.admin.key!);
    await addOne(client, 'one', { user_id: 'u1', run_id: 'r1' });
    await addOne(client, 'two', { user_id: 'u1', agent_id: 'a1', app_id: 'p1' });
    const { body } = await client.get('/v1/entities/');
    expect(body.count).toBe(4);
    const counts = body.results.map(({ type, name, total_memories: total }: Json) => [type, name, total]);
    expect(counts.sort()).toEqual([
      ['agent', 'a1', 1],
      ['app', 'p1', 1],
      ['run', 'r1', 1],
      ['user', 'u1', 2],
    ]);
    expect((await client.get('/v1/entities/?page=2&page_size=3')).body.results).toHaveLength(1);
  });

  it('[J3] changes and deletes batches, or nothing of a batch with an unknown memory', async () => {
    const [one, two] = [
      await addOne(mem0, 'first', { user_id: 'batch' }),
      await addOne(mem0, 'second', { user_id: 'batch' }),
    ];
    const unknown = '019a0c3e-7c1b-7a40-9d4f-2f6a5f3f9b10';
    const change = (ids: string[]) => ({ memories: ids.map((id) => ({ memory_id: id, text: `new ${id}` })) });
    expectRefusal(await mem0.put('/v1/batch/', change([one, unknown])), 404, /memories\.1\.memory_id/);
    expect(await list(mem0, { user_id: 'batch' })).toEqual(['second', 'first']);
    expect((await mem0.put('/v1/batch/', change([one, two]))).body.message).toMatch(/updated 2 memories/);
    expect(await list(mem0, { user_id: 'batch' })).toEqual([`new ${two}`, `new ${one}`]);
    const remove = (ids: string[]) => ({ body: { memories: ids.map((id) => ({ memory_id: id })) } });
    expectRefusal(await mem0.send('DELETE', '/v1/batch/', remove([one, unknown])), 404, /memories\.1/);
    expect((await mem0.send('DELETE', '/v1/batch/', remove([one, two]))).status).toBe(200);
    expect(await list(mem0, { user_id: 'batch' })).toEqual([]);
  });

  it('[J3] deletes what a memory supersedes with delete_linked, and not what supersedes it', async () => {
    const place = { user_id: 'chain' };
    const [oldest, middle, newest] = [
      await addOne(mem0, 'version 1', place),
      await addOne(mem0, 'version 2', place),
      await addOne(mem0, 'version 3', place),
    ];
    const link = (from: string, to: string) =>
      tenant.admin.put(`/v1/memories/${from}/links/supersedes/${to}`);
    await link(middle, oldest);
    const { position } = (await link(newest, middle)).body;
    await tenant.admin.get(`/v1/memories/${newest}/related?minPosition=${position}`);
    expect((await mem0.delete(`${at(middle)}?delete_linked=true`)).status).toBe(200);
    expect(await list(mem0, place)).toEqual(['version 3']);
  });
});

describe('feedback', () => {
  it('[J3] is about the last answer that had the memory', async () => {
    const text = 'The backup runs at midnight.';
    const id = await addOne(mem0, text, { user_id: 'judge' });
    const judge = (feedback: string | null) =>
      mem0.post('/v1/feedback/', { memory_id: id, feedback, feedback_reason: 'because' });
    expectRefusal(await judge('POSITIVE'), 400, /search first/);
    const filters = { user_id: 'judge' };
    await mem0.post('/v3/memories/search/', { query: text, filters, threshold: 0 });
    expect((await judge('POSITIVE')).body.message).toMatch(/./);
    expect((await judge('very_negative')).status).toBe(200);
    expectRefusal(await judge(null), 501, /withdraws/);
    expectRefusal(await judge('GREAT'), 400, /feedback/);
    await expect
      .poll(async () => (await tenant.admin.get(`/v1/memories/${id}`)).body.feedback, { timeout: 20_000 })
      .toMatchObject({ helpful: 1, inaccurate: 1 });
  });
});

describe('what Stratalog does not do', () => {
  it.each([
    ['POST', '/v1/exports/', /stratalog export/],
    ['POST', '/v1/exports/get/', /stratalog export/],
    ['POST', '/v1/summary/', /get_all/],
    ['GET', '/v2/entities/user/alice/profile/', /search/],
    ['POST', '/v2/profiles/jobs/', /search/],
    ['GET', '/v2/profiles/settings/', /search/],
    ['GET', '/api/v1/orgs/organizations/o/projects/p/', /admin\/keys/],
    ['PATCH', '/api/v1/orgs/organizations/o/projects/p/', /admin\/keys/],
    ['GET', '/api/v1/webhooks/projects/p/', /audit\/events/],
    ['DELETE', '/api/v1/webhooks/7/', /audit\/events/],
    ['POST', '/v1/memories/', /mem0ai 3\.3\.1/],
    ['POST', '/v2/memories/search/', /mem0ai 3\.3\.1/],
  ])('[J3] %s %s answers 501 and says what to use', async (method, path, instead) => {
    const reply = await mem0.send(method, path);
    expectRefusal(reply, 501, instead);
    expect(reply.body.code).toBe('not-supported');
  });

  it('[J3] unknown paths are 404, and other methods 405', async () => {
    expectRefusal(await mem0.get('/v9/anything/'), 404, /path/);
    const wrong = await mem0.get('/v3/memories/add/');
    expectRefusal(wrong, 405, /POST/);
    expect(wrong.headers.get('allow')).toBe('POST');
  });
});

describe('bad input', () => {
  const user = { user_id: 'u' };
  it.each<[string, string, Json, RegExp]>([
    ['POST', '/v3/memories/add/', { messages: [turn('x')] }, /user_id.*agent_id.*run_id.*app_id/],
    ['POST', '/v3/memories/add/', user, /messages/],
    ['POST', '/v3/memories/add/', { ...user, messages: [] }, /messages/],
    ['POST', '/v3/memories/add/', { ...user, messages: [turn(' ')] }, /messages.*text/],
    ['POST', '/v3/memories/add/', { ...user, messages: [{ content: 7 }] }, /messages\.0\.content/],
    ['POST', '/v3/memories/add/', { ...user, messages: [turn('a\u0000b')] }, /messages\.0\.content.*U\+0000/],
    [
      'POST',
      '/v3/memories/add/',
      {
        ...user,
        messages: [turn('x'), { role: 'user', content: { type: 'image_url', image_url: { url: 'x' } } }],
      },
      /messages\.1\.content.*images/,
    ],
    ['POST', '/v3/memories/add/', { ...user, messages: 'x', metadata: 'y' }, /metadata.*object/],
    ['POST', '/v3/memories/add/', { ...user, messages: 'x', timestamp: 'soon' }, /timestamp/],
    ['POST', '/v3/memories/add/', { ...user, messages: 'x', expiration_date: 'soon' }, /expiration_date/],
    ['POST', '/v3/memories/add/', { messages: 'x', user_id: { a: 1 } }, /user_id/],
    ['POST', '/v3/memories/search/', { filters: user }, /query/],
    ['POST', '/v3/memories/search/', { query: ' ', filters: user }, /query/],
    ['POST', '/v3/memories/search/', { query: 'x' }, /user_id/],
    ['POST', '/v3/memories/search/', { query: 'x', filters: {} }, /user_id/],
    ['POST', '/v3/memories/search/', { query: 'x', filters: { metadata: { a: 1 } } }, /user_id/],
    ['POST', '/v3/memories/search/', { query: 'x', filters: user, top_k: 0 }, /top_k/],
    ['POST', '/v3/memories/search/', { query: 'x', filters: user, threshold: 2 }, /threshold/],
    [
      'POST',
      '/v3/memories/search/',
      { query: 'x', filters: { ...user, topic: 'a' } },
      /filters\.topic.*"metadata"/,
    ],
    [
      'POST',
      '/v3/memories/search/',
      { query: 'x', filters: { user_id: { like: 'a' } } },
      /filters\.user_id\.like.*icontains/,
    ],
    ['POST', '/v3/memories/', { filters: { AND: [] } }, /filters\.AND/],
    [
      'POST',
      '/v3/memories/',
      { filters: { AND: [{ user_id: 'u' }, { created_at: { gte: 'x' } }] } },
      /filters\.AND\.1\.created_at\.gte/,
    ],
    ['POST', '/v3/memories/', { filters: [] }, /filters/],
    ['POST', '/v3/memories/?page=0', { filters: user }, /page/],
    ['DELETE', '/v1/memories/', undefined, /user_id/],
    [
      'DELETE',
      `/v1/memories/?filters=${encodeURIComponent("{'user_id': 'u'}")}`,
      undefined,
      /filters.*user_id/,
    ],
    ['DELETE', '/v1/memories/?user_id=u&metadata=x', undefined, /metadata/],
    ['DELETE', '/v2/entities/team/t/', undefined, /type.*user/],
    ['PUT', '/v1/batch/', { memories: [{ text: 'x' }] }, /memories\.0\.memory_id/],
  ])('[J3] %s %s of %j is refused with words that name the field', async (method, path, body, detail) => {
    expectRefusal(await mem0.send(method, path, { ...(body && { body }) }), 400, detail);
  });

  it('[J3] stores nothing if one message is refused', async () => {
    const messages = [turn('fine'), turn('x'.repeat(1_000_001))];
    const reply = await mem0.post('/v3/memories/add/', { messages, user_id: 'whole' });
    expectRefusal(reply, 400, /messages\.1\.content/);
    expect(await list(mem0, { user_id: 'whole' })).toEqual([]);
  });

  it('[J3] an update needs a change, and cannot move a memory in time', async () => {
    const id = await addOne(mem0, 'unchanged', { user_id: 'put' });
    expectRefusal(await mem0.put(at(id), { unknown: 1 }), 400, /text.*metadata/);
    expectRefusal(await mem0.put(at(id), { text: 'x', timestamp: 1 }), 501, /timestamp/);
    expectRefusal(await mem0.put(at(id), { text: '' }), 400, /text/);
    expect((await mem0.get(at(id))).body.memory).toBe('unchanged');
  });

  it('[J3] unknown ids, broken JSON and bodies over the limit are clear refusals', async () => {
    for (const id of ['nope', '019a0c3e-7c1b-7a40-9d4f-2f6a5f3f9b10', encodeURIComponent('../x')])
      for (const method of ['GET', 'DELETE'])
        expectRefusal(await mem0.send(method, at(id)), 404, /no such memory/);
    const json = { 'content-type': 'application/json' };
    const broken = await mem0.send('POST', '/v3/memories/add/', { raw: '{', headers: json });
    expectRefusal(broken, 400, /JSON/);
    const large = JSON.stringify({ messages: 'x'.repeat(8_000_000), user_id: 'u' });
    const tooLarge = await mem0.send('POST', '/v3/memories/add/', { raw: large, headers: json });
    expectRefusal(tooLarge, 413, /8000000/);
    expectRefusal(await mem0.get(at('%ff')), 400, /UTF-8/);
  });

  it('[J3] unknown fields are ignored here, and refused elsewhere', async () => {
    await addOne(mem0, 'with a field of tomorrow', { user_id: 'tomorrow', enable_graph: true });
    const own = await tenant.admin.post('/v1/memories', { content: 'x', enable_graph: true });
    expect(own.status).toBe(400);
  });
});
