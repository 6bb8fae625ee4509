import { beforeAll, describe, expect, it } from 'vitest';
import { clientOf, type Client, type Json, type Reply } from '../support/api.ts';
import { expectInvalid, expectProblem } from '../support/problem.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
let tenant: Tenant;
let admin: Client;

beforeAll(async () => {
  tenant = await newTenant(server);
  ({ admin } = tenant);
});

const at = (memory: Json) => `/v1/memories/${memory.id}`;
const key = (name: string) => ({ 'idempotency-key': name });
const racers = 16;

function race(send: (n: number) => Promise<Reply>): Promise<Reply[]> {
  return Promise.all(Array.from({ length: racers }, (_, n) => send(n)));
}

async function externalIds(client: Client, externalId: string, position: string): Promise<Json[]> {
  const { body } = await client.get(`/v1/memories?externalId=${externalId}&minPosition=${position}`);
  return body.items;
}

describe('scope of an idempotency key', () => {
  it('[A11] the same key of another credential, tenant, method or path is a different key', async () => {
    const twin = await tenant.key({ role: 'admin', user: 'ada' });
    const other = await newTenant(server);
    const clients = [admin, twin, other.admin];
    const replies = await Promise.all(
      clients.map((client, n) => client.post('/v1/memories', { content: `of ${n}` }, key('shared'))),
    );
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201]);
    const memories = replies.map(({ body }) => body.memory);
    expect(new Set(memories.map(({ id }) => id)).size).toBe(3);

    const match = { 'if-match': '*', ...key('shared') };
    const patches = [];
    for (const memory of memories.slice(0, 2)) {
      patches.push(await admin.patch(at(memory), { content: `patched ${memory.id}` }, match));
    }
    expect(patches.map(({ body }) => body.memory.revision)).toEqual([1, 1]);
    const feedback = await admin.post(`${at(memories[0])}/feedback`, { kind: 'outdated' }, key('shared'));
    expect(feedback.status).toBe(200);
    const gone = await admin.delete(at(memories[0]), key('shared'));
    expect(gone.body.memory.state).toBe('deleted');
  });
});

describe('answers that are not remembered', () => {
  it('[A11] 400: the key can be used for the corrected request', async () => {
    expectInvalid(await admin.post('/v1/memories', { content: '' }, key('mended')), 'content');
    expect((await admin.post('/v1/memories', { content: 'x' }, key('mended'))).status).toBe(201);
  });

  it('[A11] 403', async () => {
    const member = await tenant.key({ user: 'bob' });
    const refused = await member.post('/v1/memories', { content: 'x', layer: 'company' }, key('refused'));
    expectProblem(refused, 403, 'forbidden');
    expect((await member.post('/v1/memories', { content: 'x' }, key('refused'))).status).toBe(201);
  });

  it('[A11] 409: the store works once the externalId is free, or with another externalId', async () => {
    const { memory } = await admin.store({ content: 'x', externalId: 'taken' });
    const headers = key('after409');
    const again = () => admin.post('/v1/memories', { content: 'z', externalId: 'taken' }, headers);
    expectProblem(await again(), 409, 'external-id-taken');
    expectProblem(await again(), 409, 'external-id-taken');
    await admin.delete(`${at(memory)}?mode=erase`);
    const stored = await again();
    expect(stored.status).toBe(201);
    expect((await again()).body).toEqual(stored.body);

    await admin.store({ content: 'x', externalId: 'taken too' });
    const next = (externalId: string) =>
      admin.post('/v1/memories', { content: 'y', externalId }, key('next'));
    expectProblem(await next('taken too'), 409, 'external-id-taken');
    expect((await next('not taken')).status).toBe(201);
    expectProblem(await next('taken too'), 422, 'idempotency-key-reused');
  });

  it('[A11] 412 or 428: the patch works with the right If-Match', async () => {
    const { memory } = await admin.store({ content: 'first' });
    const send = (headers: Record<string, string>) =>
      admin.patch(at(memory), { content: 'second' }, { ...key('patch'), ...headers });
    expectProblem(await send({}), 428, 'match-required');
    expectProblem(await send({ 'if-match': '"7"' }), 412, 'revision-mismatch');
    expect((await send({ 'if-match': '"0"' })).status).toBe(200);
    const replay = await send({ 'if-match': '"0"' });
    expect(replay.headers.get('idempotency-replayed')).toBe('true');
  });

  it('[A11] 404', async () => {
    const { memory } = await admin.store({ content: 'x' });
    const { memory: target } = await admin.store({ content: 'y' });
    const link = (client: Client) => client.put(`${at(memory)}/links/related/${target.id}`, {}, key('link'));
    expectProblem(await link(await tenant.key({ user: 'bob' })), 404, 'not-found');
    expect((await link(admin)).status).toBe(200);
  });

  it('[A11] a key rejected for a different body does not claim the externalId of that body', async () => {
    const send = (externalId: string) =>
      admin.post('/v1/memories', { content: 'x', externalId }, key('one-key'));
    expect((await send('mine')).status).toBe(201);
    expectProblem(await send('innocent'), 422, 'idempotency-key-reused');
    const { memory } = await admin.store({ content: 'z', externalId: 'innocent' });
    expect(memory.content).toBe('z');
  });
});

describe('replays that are withheld', () => {
  it('[A11] from a caller who can no longer see what it wrote', async () => {
    const { id, key: secret } = (await admin.post('/v1/admin/keys', { role: 'member', user: 'carl' })).body;
    const carl = clientOf(server, secret);
    expect((await carl.post('/v1/memories', { content: 'x' }, key('carl'))).status).toBe(201);
    await admin.delete(`/v1/admin/keys/${id}`);
    const reply = await carl.post('/v1/memories', { content: 'x' }, key('carl'));
    expectProblem(reply, 401, 'unauthenticated');
  });

  it('[A11] from everyone once the memory is erased', async () => {
    const send = () =>
      admin.post('/v1/memories', { content: 'a secret', externalId: 'secret' }, key('erased'));
    const { memory } = (await send()).body;
    await admin.delete(`${at(memory)}?mode=erase`);
    const reply = await send();
    expectProblem(reply, 404, 'not-found');
    expect((await admin.store({ content: 'x', externalId: 'secret' })).memory.content).toBe('x');
  });
});

describe('concurrent requests', () => {
  it('[A11] 16 creates with one key make one memory', async () => {
    const own = await newTenant(server);
    const replies = await race(() => own.admin.post('/v1/memories', { content: 'raced' }, key('race')));
    const done = replies.filter(({ status }) => status === 201);
    expect(done.length).toBeGreaterThan(0);
    for (const reply of replies.filter(({ status }) => status !== 201)) {
      expectProblem(reply, 409, 'command-in-progress');
      expect(reply.headers.get('retry-after')).toMatch(/^[0-9]+$/);
    }
    for (const { body } of done) expect(body).toEqual(done[0]!.body);
    expect(done.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
    const list = await own.admin.get(`/v1/memories?minPosition=${done[0]!.body.position}`);
    expect(list.body.items).toEqual([done[0]!.body.memory]);
  });

  it('[A11] 16 creates with one externalId: one answers 201, the others name its memory', async () => {
    const own = await newTenant(server);
    const replies = await race((n) =>
      own.admin.post('/v1/memories', { content: `racer ${n}`, externalId: 'e' }),
    );
    const won = replies.filter(({ status }) => status === 201);
    expect(won).toHaveLength(1);
    const { memory, position } = won[0]!.body;
    for (const lost of replies.filter((reply) => reply !== won[0])) {
      expectProblem(lost, 409, 'external-id-taken');
      expect(lost.body.memoryId).toBe(memory.id);
    }
    expect(await externalIds(own.admin, 'e', position)).toEqual([memory]);
  });

  it('[A11] 16 creates with one externalId and different keys: one answers 201, and replays do not change that', async () => {
    const own = await newTenant(server);
    const send = (n: number) =>
      own.admin.post('/v1/memories', { content: `racer ${n}`, externalId: 'e' }, key(`own-${n}`));
    const replies = await race(send);
    const again = await race(send);
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const [n, { status, body }] of replies.entries()) {
      expect(again[n]!.status).toBe(status);
      if (status === 201) expect(again[n]!.body).toEqual(body);
      else expectProblem(again[n]!, 409, 'external-id-taken');
    }
  });

  it('[A11] 16 creates with one key and two bodies: one body wins, the other answers 422', async () => {
    const own = await newTenant(server);
    const replies = await race((n) =>
      own.admin.post('/v1/memories', { content: `body ${n % 2}`, externalId: `e${n % 2}` }, key('two')),
    );
    const done = replies.filter(({ status }) => status === 201);
    for (const reply of replies.filter(({ status }) => status !== 201)) {
      expect([409, 422]).toContain(reply.status);
    }
    const { memory, position } = done[0]!.body;
    for (const { body } of done) expect(body.memory).toEqual(memory);
    const list = await own.admin.get(`/v1/memories?minPosition=${position}`);
    expect(list.body.items).toEqual([memory]);
    const freed = memory.externalId === 'e0' ? 'e1' : 'e0';
    expect((await own.admin.store({ content: 'free', externalId: freed })).memory.externalId).toBe(freed);
  });

  it('[A11] 16 patches with one key change the memory once', async () => {
    const { memory } = await admin.store({ content: 'first', metadata: { n: 0 } });
    const match = { 'if-match': '*', ...key('patches') };
    const replies = await race(() => admin.patch(at(memory), { content: 'raced' }, match));
    const done = replies.filter(({ status }) => status === 200);
    for (const { body } of done) expect(body).toEqual(done[0]!.body);
    for (const { status } of replies) expect([200, 409]).toContain(status);
    expect((await admin.get(`${at(memory)}/history`)).body.items).toHaveLength(2);
  });

  it('[A11] 16 feedback requests with one key count once', async () => {
    const { memory } = await admin.store({ content: 'x' });
    const replies = await race(() =>
      admin.post(`${at(memory)}/feedback`, { kind: 'outdated' }, key('judged')),
    );
    const done = replies.filter(({ status }) => status === 200);
    for (const { body } of done) expect(body).toEqual(done[0]!.body);
    const path = `/v1/audit/events?memory=${memory.id}&type=FeedbackGiven&minPosition=${done[0]!.body.position}`;
    expect((await admin.get(path)).body.items).toHaveLength(1);
  });
});
