import { beforeEach, describe, expect, it } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { expectInvalid, expectProblem } from '../support/problem.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');
let tenant: Tenant;
let admin: Client;

beforeEach(async () => {
  tenant = await newTenant(server);
  ({ admin } = tenant);
});

const named = (externalId: string) => `/v1/memories/external/${encodeURIComponent(externalId)}`;
const at = ({ id }: Json) => `/v1/memories/${id}`;
const whole = {
  content: 'Releases are cut on Tuesdays.',
  layer: 'team',
  scope: { team: 'release' },
  spaces: ['dev'],
  tags: ['release'],
  metadata: { owner: { name: 'alice' } },
  representations: { code: 'release()' },
  occurredAt: '2024-05-01T10:30:00.000Z',
};

async function listed(client: Client, position: string): Promise<Json[]> {
  return (await client.get(`/v1/memories?limit=500&minPosition=${position}`)).body.items;
}

describe('PUT by externalId', () => {
  it('[A1] stores a new memory: 201 with Location, ETag and position', async () => {
    const reply = await admin.put(named('handbook/releases'), whole);
    expect(reply.status).toBe(201);
    const { memory, position } = reply.body;
    expect(memory).toMatchObject({
      ...whole,
      externalId: 'handbook/releases',
      scope: { company: tenant.id, team: 'release' },
      revision: 0,
      createdBy: 'user:ada',
    });
    expect(reply.headers.get('location')).toBe(at(memory));
    expect(reply.headers.get('etag')).toBe('"0"');
    expect((await admin.get(at(memory))).body).toEqual(memory);
    expect(await listed(admin, position)).toEqual([memory]);
  });

  it('[A1] replaces all mutable fields: 200 with the next revision', async () => {
    const { memory: first } = (await admin.put(named('doc'), whole)).body;
    const next = { content: 'Releases are cut on Wednesdays.', layer: 'team', scope: { team: 'release' } };
    const reply = await admin.put(named('doc'), next);
    expect(reply.status).toBe(200);
    const { memory, position } = reply.body;
    expect(memory).toEqual({
      ...first,
      ...next,
      scope: first.scope,
      spaces: [],
      tags: [],
      metadata: {},
      representations: {},
      updatedAt: memory.updatedAt,
      revision: 1,
    });
    expect(reply.headers.get('etag')).toBe('"1"');
    expect(reply.headers.get('location')).toBe(at(memory));
    expect(await listed(admin, position)).toEqual([memory]);
    const history = (await admin.get(`${at(memory)}/history`)).body.items;
    expect(history.map(({ type }: Json) => type)).toEqual(['MemoryStored', 'MemoryUpdated']);
  });

  it('[A1] that changes nothing answers 200 with the same revision and appends nothing', async () => {
    const { memory } = (await admin.put(named('same'), whole)).body;
    const { occurredAt: _, ...undated } = whole;
    for (const body of [whole, undated, { ...whole, metadata: { owner: { name: 'alice' } } }]) {
      const reply = await admin.put(named('same'), body);
      expect(reply).toMatchObject({ status: 200, body: { memory } });
      expect(reply.headers.get('etag')).toBe('"0"');
    }
    expect((await admin.get(`${at(memory)}/history`)).body.items).toHaveLength(1);
  });

  it.each(['a/b c', 'ü😀', '100%', '?x=1#y', 'bulk', 'external', "it's", 'a+b'])(
    '[A1] accepts the externalId "%s" percent-encoded',
    async (externalId) => {
      const { memory } = (await admin.put(named(externalId), { content: 'x' })).body;
      expect(memory.externalId).toBe(externalId);
      const again = await admin.put(named(externalId), { content: 'y' });
      expect(again).toMatchObject({ status: 200, body: { memory: { id: memory.id, content: 'y' } } });
      expectProblem(await admin.post('/v1/memories', { content: 'z', externalId }), 409, 'external-id-taken');
    },
  );

  it('[A1] replaces a memory that POST stored; POST is refused for one that PUT stored', async () => {
    const { memory } = await admin.store({ content: 'posted', externalId: 'e' });
    const reply = await admin.put(named('e'), { content: 'put' });
    expect(reply).toMatchObject({ status: 200, body: { memory: { id: memory.id, revision: 1 } } });
    const refused = await admin.post('/v1/memories', { content: 'x', externalId: 'e' });
    expect(refused.body).toMatchObject({ code: 'external-id-taken', memoryId: memory.id });
  });

  it('[A1] records the reason and the actor', async () => {
    const why = { 'x-reason': 'sync', 'x-cause': 'system' };
    const { memory } = (await admin.put(named('why'), { content: 'one' }, why)).body;
    await admin.put(named('why'), { content: 'two' }, { 'x-reason': 'changed', 'x-cause': 'llm' });
    expect((await admin.get(`${at(memory)}/history`)).body.items).toMatchObject([
      { reason: 'sync', cause: 'system', actor: 'user:ada' },
      { reason: 'changed', cause: 'llm', changes: { content: { from: 'one', to: 'two' } } },
    ]);
  });
});

describe('PUT is refused', () => {
  it('[A1] with 400 if layer, scope, time of occurrence or subject differ from the memory', async () => {
    const { memory } = (await admin.put(named('doc'), { ...whole, subject: 'alice' })).body;
    const put = (change: object) => admin.put(named('doc'), { ...whole, ...change });
    expectInvalid(await put({ layer: 'org', scope: { org: 'acme', team: 'release' } }), 'layer');
    expectInvalid(await put({ scope: { team: 'other' } }), 'scope.team');
    expectInvalid(await put({ scope: { team: 'release', user: 'bob' } }), 'scope.user');
    expectInvalid(await put({ occurredAt: '2024-05-02T10:30:00Z' }), 'occurredAt');
    expectInvalid(await put({ subject: 'bob' }), 'subject');
    expect((await put({ subject: 'alice' })).body.memory).toEqual(memory);
  });

  it('[A1] with 400 that names the field for a bad body, externalId or header', async () => {
    expectInvalid(await admin.put(named('x'), {}), 'content');
    expectInvalid(await admin.put(named('x'), { content: 'x', externalId: 'x' }), 'externalId');
    expectInvalid(await admin.put(named('x'), { content: 'x', id: 'x' }), 'id');
    expectInvalid(await admin.put(named('x'.repeat(513)), { content: 'x' }), 'externalId');
    expectInvalid(await admin.put(named('a\u0000b'), { content: 'x' }), 'externalId');
    expectInvalid(await admin.put('/v1/memories/external/%FF', { content: 'x' }), 'externalId');
    const bad = await admin.put(named('x'), { content: 'x' }, { 'if-none-match': '"1"' });
    expectProblem(bad, 400, 'etag-invalid', 'If-None-Match');
    expectProblem(
      await admin.put(named('x'), { content: 'x' }, { 'if-match': 'x' }),
      400,
      'etag-invalid',
      'If-Match',
    );
    expect((await admin.get('/v1/memories')).body.items).toEqual([]);
  });

  it('[A1] with 409 memory-deleted for a deleted memory; after its erasure the externalId is free', async () => {
    const { memory } = (await admin.put(named('doc'), whole)).body;
    await admin.delete(at(memory));
    expectProblem(await admin.put(named('doc'), { ...whole, content: 'x' }), 409, 'memory-deleted');
    await admin.delete(`${at(memory)}?mode=erase`);
    const again = await admin.put(named('doc'), { content: 'elsewhere' });
    expect(again.status).toBe(201);
    expect(again.body.memory.id).not.toBe(memory.id);
  });

  it('[A1] with 409 without the id if the caller cannot see the memory, and with 403 if it may not write it', async () => {
    const { memory } = (await admin.put(named('doc'), whole)).body;
    const bob = await tenant.key({ user: 'bob', teams: ['other'] });
    const elsewhere = { content: 'ours', layer: 'team', scope: { team: 'other' } };
    for (const reply of [
      await bob.put(named('doc'), elsewhere),
      await bob.post('/v1/memories', { ...elsewhere, externalId: 'doc' }),
    ]) {
      expectProblem(reply, 409, 'external-id-taken', 'externalId');
      expect(JSON.stringify(reply.body)).not.toContain(memory.id);
    }
    await admin.put(named('news'), { content: 'news', layer: 'company' });
    expectProblem(await bob.put(named('news'), { content: 'x', layer: 'company' }), 403, 'forbidden');
    expectProblem(await bob.put(named('news'), { content: 'x' }), 403, 'forbidden');
    const reader = await tenant.key({ role: 'reader', user: 'eve' });
    expectProblem(await reader.put(named('own'), { content: 'x' }), 403, 'forbidden');
  });

  it('[A10] with 412 if If-Match or If-None-Match do not match', async () => {
    const put = (content: string, headers: Record<string, string>) =>
      admin.put(named('doc'), { content }, headers);
    expectProblem(await put('x', { 'if-match': '*' }), 412, 'revision-mismatch');
    expectProblem(await put('x', { 'if-match': '"0"' }), 412, 'revision-mismatch');
    expect((await put('one', { 'if-none-match': '*' })).status).toBe(201);
    expectProblem(await put('two', { 'if-none-match': '*' }), 412, 'revision-mismatch');
    expectProblem(await put('two', { 'if-match': '"1"' }), 412, 'revision-mismatch');
    expectProblem(await put('two', { 'if-match': 'W/"0"' }), 412, 'revision-mismatch');
    expect((await put('two', { 'if-match': '"0"' })).status).toBe(200);
    expect((await put('three', { 'if-match': '*' })).body.memory.revision).toBe(2);
  });
});

describe('PUT with an Idempotency-Key', () => {
  const key = (name: string) => ({ 'idempotency-key': name });

  it('[A11] replays the first answer: of a store, of a change and of no change, even after later changes', async () => {
    const put = (content: string, name: string) => admin.put(named('doc'), { content }, key(name));
    const calls: [string, string][] = [
      ['one', 'a'],
      ['two', 'b'],
      ['two', 'c'],
      ['three', 'd'],
    ];
    const first = [];
    for (const [content, name] of calls) first.push(await put(content, name));
    expect(first.map(({ status }) => status)).toEqual([201, 200, 200, 200]);
    for (const [n, [content, name]] of calls.entries()) {
      const replay = await put(content, name);
      expect(replay).toMatchObject({ status: first[n]!.status, body: first[n]!.body });
      expect(replay.headers.get('idempotency-replayed')).toBe('true');
      expect(replay.headers.get('location')).toBe(first[n]!.headers.get('location'));
    }
    expect((await admin.get(at(first[0]!.body.memory))).body).toMatchObject({
      content: 'three',
      revision: 2,
    });
  });

  it('[A11] answers 422 for another body, and applies to one externalId only', async () => {
    await admin.put(named('a'), { content: 'x' }, key('k'));
    expectProblem(await admin.put(named('a'), { content: 'y' }, key('k')), 422, 'idempotency-key-reused');
    expect((await admin.put(named('b'), { content: 'y' }, key('k'))).status).toBe(201);
  });

  it('[A11] does not bring an erased memory back', async () => {
    const store = () => admin.put(named('doc'), { content: 'secret' }, key('store'));
    const change = () => admin.put(named('doc'), { content: 'a secret' }, key('change'));
    const leave = () => admin.put(named('doc'), { content: 'a secret' }, key('leave'));
    const { memory } = (await store()).body;
    await change();
    await leave();
    await admin.delete(`${at(memory)}?mode=erase`);
    for (const repeat of [store, change, leave]) expectProblem(await repeat(), 404, 'not-found');
    expect((await admin.put(named('doc'), { content: 'new' })).status).toBe(201);
    for (const repeat of [store, change, leave]) expectProblem(await repeat(), 404, 'not-found');
  });
});

describe('a race of 16 PUTs', () => {
  it.each([
    ['with different bodies', (n: number) => ({ content: `racer ${n}` }), () => ({})],
    ['with one body', () => ({ content: 'the same' }), () => ({})],
    [
      'with keys',
      (n: number) => ({ content: `racer ${n}` }),
      (n: number) => ({ 'idempotency-key': `k${n}` }),
    ],
    ['with one key', () => ({ content: 'the same' }), () => ({ 'idempotency-key': 'k' })],
  ])('[A11] %s makes one memory', async (_, body, headers) => {
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_item, n) => admin.put(named('raced'), body(n), headers(n))),
    );
    const { memory, position } = replies.at(-1)!.body;
    for (const reply of replies) {
      expect([200, 201]).toContain(reply.status);
      expect(reply.body.memory.id).toBe(memory.id);
    }
    const isFirst = ({ headers: own, status }: (typeof replies)[number]) =>
      status === 201 && own.get('idempotency-replayed') === null;
    expect(replies.filter(isFirst)).toHaveLength(1);
    expect(await listed(admin, position)).toHaveLength(1);
    const { body: last } = await admin.get(at(memory));
    const contents = replies.map((reply) => reply.body.memory.content);
    expect(contents).toContain(last.content);
  });

  it('[A11] and erasures never answers a server error', async () => {
    const { memory } = (await admin.put(named('raced'), { content: 'first' })).body;
    const replies = await Promise.all([
      ...Array.from({ length: 8 }, (_, n) => admin.put(named('raced'), { content: `racer ${n}` })),
      admin.delete(`${at(memory)}?mode=erase`),
    ]);
    for (const { status } of replies) expect([200, 201]).toContain(status);
    const last = await admin.put(named('raced'), { content: 'last' });
    const items = await listed(admin, last.body.position);
    expect(items).toEqual([last.body.memory]);
  });
});

describe('bulk lines with upsert', () => {
  it('[A12] store, replace and keep memories, and a later line replaces an earlier one', async () => {
    await admin.store({ content: 'old', externalId: 'a', tags: ['x'] });
    await admin.store({ content: 'same', externalId: 'b' });
    const lines = await admin.bulk([
      { content: 'new', externalId: 'a', upsert: true },
      { content: 'same', externalId: 'b', upsert: true },
      { content: 'one', externalId: 'c', upsert: true },
      { content: 'two', externalId: 'c', upsert: true },
      { content: 'three', externalId: 'c', upsert: true },
      { content: 'refused', externalId: 'c' },
      { content: 'refused', externalId: 'c', upsert: false },
      { content: 'plain' },
    ]);
    expect(lines.map(({ status }) => status)).toEqual([200, 200, 201, 200, 200, 409, 409, 201]);
    expect(lines.map(({ unchanged }) => unchanged ?? false)).toEqual(lines.map((_, index) => index === 1));
    expect(new Set([2, 3, 4].map((n) => lines[n].id)).size).toBe(1);
    const items = await listed(admin, lines.at(-1).position);
    expect(items.map(({ content }) => content).sort()).toEqual(['new', 'plain', 'same', 'three']);
    expect(items.find(({ externalId }) => externalId === 'a')).toMatchObject({ tags: [], revision: 1 });
  });

  it('[A12] are refused one by one: without an externalId, elsewhere, deleted', async () => {
    const { memory } = await admin.store({ content: 'gone', externalId: 'gone' });
    await admin.delete(at(memory));
    const lines = await admin.bulk([
      { content: 'x', upsert: true },
      { content: 'x', externalId: 'gone', upsert: true },
      { content: 'x', externalId: 'yes', upsert: 'yes' },
      { content: 'x', externalId: 'ok', upsert: true },
      { content: 'x', externalId: 'ok', upsert: true, layer: 'company' },
    ]);
    expect(lines.map(({ status }) => status)).toEqual([400, 409, 400, 201, 400]);
    expect(lines[0].problem.errors).toMatchObject([{ path: 'externalId' }]);
    expect(lines[1].problem.code).toBe('memory-deleted');
    expect(lines[2].problem.errors).toMatchObject([{ path: 'upsert' }]);
    expect(lines[4].problem.errors).toMatchObject([{ path: 'layer' }]);
  });

  it('[A12] resume with the same Idempotency-Key: completed lines are replayed, and nothing is written twice', async () => {
    const body = ['one', 'two', 'three', 'three'].map((content) => ({
      content,
      externalId: 'doc',
      upsert: true,
    }));
    const key = { 'idempotency-key': 'sync' };
    const begun = await admin.bulk(body.slice(0, 2), key);
    const whole = await admin.bulk(body, key);
    expect(whole.map(({ status }) => status)).toEqual([201, 200, 200, 200]);
    expect(whole.map(({ replayed }) => replayed ?? false)).toEqual([true, true, false, false]);
    const again = await admin.bulk(body, key);
    expect(again.map(({ replayed }) => replayed)).toEqual([true, true, true, true]);
    expect((await admin.get(at(begun[0]))).body).toMatchObject({ content: 'three', revision: 2 });
  });

  it('[A12] 16 uploads of one body at once make one memory for each externalId', async () => {
    const body = Array.from({ length: 8 }, (_, n) => ({
      content: `c${n}`,
      externalId: `e${n}`,
      upsert: true,
    }));
    const uploads = await Promise.all(Array.from({ length: 16 }, () => admin.bulk(body)));
    for (const lines of uploads) {
      expect(lines.map(({ status }) => [200, 201].includes(status))).toEqual(body.map(() => true));
      expect(lines.map(({ id }) => id)).toEqual(uploads[0]!.map(({ id }) => id));
    }
    expect(await listed(admin, uploads[0]!.at(-1).position)).toHaveLength(8);
  });
});
