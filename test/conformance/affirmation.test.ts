import { beforeAll, describe, expect, it } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
let tenant: Tenant;
let admin: Client;

beforeAll(async () => {
  tenant = await newTenant(server);
  ({ admin } = tenant);
});

const team = (name: string) => ({ layer: 'team', scope: { team: name } });

describe('a fact that is told again', () => {
  it('[A20] is answered with the first memory, which counts it, and stores no second one', async () => {
    const place = team('momo');
    const first = await admin.post('/v1/memories', { content: 'The office dog is called Momo.', ...place });
    const again = await admin.post(
      '/v1/memories',
      { content: ' the office  dog is called momo ', ...place },
      { 'x-reason': 'heard it again', 'x-cause': 'llm' },
    );

    expect([first.status, again.status]).toEqual([201, 200]);
    expect(first.body.memory).toMatchObject({ affirmations: 0 });
    expect(first.body).not.toHaveProperty('duplicate');
    expect(again.body.duplicate).toBe(true);
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
    const { affirmedAt, ...affirmed } = again.body.memory as Json;
    expect(affirmed).toEqual({ ...(first.body.memory as Json), affirmations: 1 });
    expect(affirmedAt > first.body.memory.createdAt).toBe(true);

    const { id } = first.body.memory as Json;
    expect((await admin.get(`/v1/memories/${id}`)).body).toEqual(again.body.memory);
    const { items } = (await admin.get(`/v1/memories/${id}/history`)).body as Json;
    expect(items[1]).toMatchObject({
      revision: 0,
      type: 'MemoryAffirmed',
      cause: 'llm',
      reason: 'heard it again',
      changes: { affirmations: { from: 0, to: 1 }, affirmedAt: { to: affirmedAt } },
    });
    const list = await admin.get(`/v1/memories?layer=team&minPosition=${again.body.position}`);
    expect((list.body.items as Json[]).filter((one) => one.scope.team === 'momo')).toEqual([
      again.body.memory,
    ]);
  });

  it('[A20] is as new as its last telling, which never moves back', async () => {
    const tell = (more: Json) =>
      admin.post('/v1/memories', { content: 'Lunch is at noon', ...team('lunch'), ...more });
    await tell({ occurredAt: '2024-01-01T00:00:00Z' });
    const later = await tell({ occurredAt: '2024-05-01T00:00:00Z' });
    const earlier = await tell({ occurredAt: '2024-03-01T00:00:00Z' });
    expect(later.body.memory).toMatchObject({ affirmedAt: '2024-05-01T00:00:00.000Z', affirmations: 1 });
    expect(earlier.body.memory).toMatchObject({ affirmedAt: '2024-05-01T00:00:00.000Z', affirmations: 2 });
    const { id } = earlier.body.memory as Json;
    const before = await admin.get(`/v1/memories/${id}?asOf=${later.body.position}`);
    expect(before.body.affirmations).toBe(1);
    const listed = await admin.get(
      `/v1/memories?layer=team&asOf=${later.body.position}&minPosition=${earlier.body.position}`,
    );
    expect((listed.body.items as Json[]).find((one) => one.id === id)).toMatchObject({ affirmations: 1 });
  });

  it('[A20] stands before a fact that was told between', async () => {
    const place = team('city');
    const tell = async (content: string, month: number) =>
      (await admin.post('/v1/memories', { content, ...place, occurredAt: `2024-0${month}-01T00:00:00Z` }))
        .body;
    const berlin = await tell('The office is in Berlin', 1);
    const lisbon = await tell('The office is in Lisbon', 3);
    const search = async (minPosition: string) => {
      const body = { query: 'Where is the office?', scope: place.scope, threshold: 0, minPosition };
      return ((await admin.post('/v1/search', body)).body.results as Json[]).map(({ memory }) => memory.id);
    };
    expect(await search(lisbon.position)).toEqual([lisbon.memory.id, berlin.memory.id]);
    const again = await tell('The office is in Berlin', 5);
    expect(await search(again.position)).toEqual([berlin.memory.id, lisbon.memory.id]);
  });

  it('[A20] is stored all the same if the caller asks for it, has an externalId, or is a turn of a session', async () => {
    const content = 'The printer is in room 1.07.';
    const first = await admin.post('/v1/memories', { content, ...team('printer') });
    const second = await admin.post('/v1/memories', { content, ...team('printer'), duplicates: 'keep' });
    const named = await admin.post('/v1/memories', { content, ...team('printer'), externalId: 'printer-1' });
    const third = await admin.post('/v1/memories', { content, ...team('printer') });
    expect([first.status, second.status, named.status, third.status]).toEqual([201, 201, 201, 200]);
    expect(third.body.memory.id).toBe(first.body.memory.id);
    const turn = { content, layer: 'session', scope: { session: 's1', user: 'alice' } };
    expect((await admin.post('/v1/memories', turn)).status).toBe(201);
    expect((await admin.post('/v1/memories', turn)).status).toBe(201);
  });

  it('[A20] is another memory in another scope, tenant, or with other words beside the text', async () => {
    const content = 'Deploys need two approvals';
    const place = { layer: 'project', scope: { project: 'p1' } };
    const tell = (more: Json = {}) => admin.post('/v1/memories', { content, ...place, ...more });
    const plain = await tell();
    const other = await newTenant(server);
    expect((await tell({ scope: { project: 'p2' } })).status).toBe(201);
    expect((await tell({ scope: { project: 'p1', team: 'ops' } })).status).toBe(201);
    expect((await tell({ layer: 'team', scope: { team: 'p1' } })).status).toBe(201);
    expect((await other.admin.post('/v1/memories', { content, ...place })).status).toBe(201);

    const tagged = await tell({ tags: ['b', 'a'], metadata: { source: 'wiki' } });
    expect(tagged.status).toBe(201);
    const taggedAgain = await tell({ tags: ['a', 'b'], metadata: { source: 'wiki' } });
    expect([taggedAgain.status, taggedAgain.body.memory.id]).toEqual([200, tagged.body.memory.id]);
    const plainAgain = await tell();
    expect([plainAgain.status, plainAgain.body.memory.id]).toEqual([200, plain.body.memory.id]);
    expect((await tell({ subject: 'customer-7' })).status).toBe(201);
    expect((await tell({ subject: 'customer-7' })).status).toBe(200);
  });

  it('[A20] affirms a memory that said more', async () => {
    const tell = (more: Json = {}) =>
      admin.post('/v1/memories', { content: 'The lift is repaired on Friday', ...team('lift'), ...more });
    const tagged = await tell({ tags: ['building'] });
    const bare = await tell();
    expect([bare.status, bare.body.memory.id]).toEqual([200, tagged.body.memory.id]);
  });

  it('[A20] is a new memory once the first was deleted, erased, or says something else', async () => {
    const tell = async (content = 'The kitchen is on floor 2') =>
      (await admin.post('/v1/memories', { content, ...team('kitchen') })).body;
    const first = await tell();
    await admin.delete(`/v1/memories/${first.memory.id}`);
    const second = await tell();
    expect(second.memory.id).not.toBe(first.memory.id);
    expect((await admin.get(`/v1/memories/${first.memory.id}`)).body.state).toBe('deleted');

    await admin.delete(`/v1/memories/${second.memory.id}?mode=erase`);
    const third = await tell();
    expect(third.memory).toMatchObject({ affirmations: 0 });
    expect(third.memory.id).not.toBe(second.memory.id);

    await admin.patch(
      `/v1/memories/${third.memory.id}`,
      { content: 'The kitchen is on floor 3' },
      { 'if-match': '*' },
    );
    const fourth = await tell();
    expect(fourth.memory.id).not.toBe(third.memory.id);
    expect(await tell()).toMatchObject({ duplicate: true, memory: { id: fourth.memory.id } });
    expect(await tell('The kitchen is on floor 3')).not.toHaveProperty('duplicate');
  });

  it('[A20] counts once for each Idempotency-Key, and a repetition has the same answer', async () => {
    const fact = { content: 'The bike shed code is 4711', ...team('bikes') };
    const first = await admin.post('/v1/memories', fact);
    const headers = { 'idempotency-key': 'bikes-again' };
    const told = await admin.post('/v1/memories', fact, headers);
    await admin.post('/v1/memories', fact);
    const replay = await admin.post('/v1/memories', fact, headers);
    expect([told.status, replay.status]).toEqual([200, 200]);
    expect(replay.headers.get('idempotency-replayed')).toBe('true');
    expect(replay.body).toEqual(told.body);
    expect(told.body.memory).toMatchObject({ id: first.body.memory.id, affirmations: 1 });
    expect((await admin.get(`/v1/memories/${first.body.memory.id}`)).body.affirmations).toBe(2);
    const reused = await admin.post('/v1/memories', { ...fact, content: 'other' }, headers);
    expect(reused.status).toBe(422);
    const replays = await Promise.all(
      Array.from({ length: 8 }, () => admin.post('/v1/memories', fact, { 'idempotency-key': 'at-once' })),
    );
    expect(new Set(replays.map(({ body }) => body.memory.affirmations))).toEqual(new Set([3]));
  });

  it('[A20] is one memory, told by all, if many writers tell it at once', async () => {
    const fact = { content: 'The alarm is tested on Mondays', ...team('alarm') };
    const replies = await Promise.all(Array.from({ length: 16 }, () => admin.post('/v1/memories', fact)));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(15);
    const ids = new Set(replies.map(({ body }) => body.memory.id as string));
    expect(ids.size).toBe(1);
    expect((await admin.get(`/v1/memories/${[...ids][0]!}`)).body.affirmations).toBe(15);
  });

  it('[A20] of a bulk body affirms the earlier line, also when the body is sent again with its key', async () => {
    const lines = ['The gym opens at 6', 'The gym closes at 22', 'the gym opens at 6.'];
    const body = lines.map((content) => ({ content, ...team('gym') }));
    const send = () => admin.bulk(body, { 'idempotency-key': 'gym' });
    const first = await send();
    expect(first.map(({ status, duplicate }) => [status, duplicate])).toEqual([
      [201, undefined],
      [201, undefined],
      [200, true],
    ]);
    expect(first[2]!.id).toBe(first[0]!.id);
    const again = await send();
    expect(again).toEqual(first.map((line) => ({ ...line, replayed: true })));
    expect((await admin.get(`/v1/memories/${first[0]!.id}`)).body.affirmations).toBe(1);
  });

  it('[A20] is never lost while the first memory is erased', async () => {
    const fact = { content: 'The roof is closed in winter', ...team('roof') };
    for (let round = 0; round < 5; round++) {
      const { id } = (await admin.post('/v1/memories', fact)).body.memory as Json;
      const [, told] = await Promise.all([
        admin.delete(`/v1/memories/${id}?mode=erase`),
        admin.post('/v1/memories', fact, { 'x-reason': 'told at once' }),
      ]);
      expect([200, 201]).toContain(told.status);
      const after = await admin.post('/v1/memories', fact);
      expect((await admin.get(`/v1/memories/${after.body.memory.id}`)).status).toBe(200);
      expect((await admin.get(`/v1/memories/${id}`)).status).toBe(404);
    }
  });
});
