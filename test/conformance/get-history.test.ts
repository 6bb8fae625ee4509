import { beforeAll, describe, expect, it } from 'vitest';
import type { Client, Json } from '../support/api.ts';
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

/** Encodes text the way a client puts it into a header: as its UTF-8 bytes. */
const utf8 = (text: string) => Buffer.from(text).toString('latin1');

async function stored(fields: Json = {}): Promise<Json> {
  return (await admin.store({ content: 'first', ...fields })).memory;
}

async function history(memory: Json): Promise<Json[]> {
  const reply = await admin.get(`${at(memory)}/history`);
  expect(reply.status).toBe(200);
  return reply.body.items;
}

describe('get', () => {
  it('[A4] returns the latest acknowledged state immediately', async () => {
    const memory = await stored();
    for (let n = 1; n <= 10; n++) {
      const { body } = await admin.patch(at(memory), { content: `version ${n}` }, { 'if-match': '*' });
      expect((await admin.get(at(memory))).body).toEqual(body.memory);
    }
  });

  it('[A10] answers 504 after the wait rather than return a state older than minPosition', async () => {
    const { memory, position } = await admin.store({ content: 'x' });
    const ahead = position.replace(/-[^-]+$/, '-zzzzzz');
    // Counters come from a read model, which lags.
    expect((await admin.get(`${at(memory)}?minPosition=${position}&waitMs=30000`)).status).toBe(200);
    expect((await admin.get(`${at(memory)}/history?minPosition=${position}&waitMs=0`)).status).toBe(200);
    for (const path of [at(memory), `${at(memory)}/history`]) {
      expectProblem(await admin.get(`${path}?minPosition=${ahead}&waitMs=50`), 504, 'position-timeout');
      expectProblem(await admin.get(`${path}?minPosition=abc`), 400, 'position-unknown', 'minPosition');
      expectInvalid(await admin.get(`${path}?waitMs=30001`), 'waitMs');
    }
  });

  it('[A4] answers the same for another tenant’s id, a hidden id and an unknown id', async () => {
    const other = await newTenant(server);
    const { memory: foreign } = await other.admin.store({ content: 'theirs' });
    const hidden = await stored();
    const member = await tenant.key({ user: 'bob' });
    const unknown = [
      '018f0000-0000-7000-8000-000000000000',
      'no-id',
      '%00',
      '%F0%9F%98%80',
      hidden.id.toUpperCase(),
    ];
    for (const suffix of ['', '/history', '/related']) {
      const bodies = [];
      for (const id of [...unknown, foreign.id, hidden.id]) {
        const reply = await member.get(`/v1/memories/${id}${suffix}`);
        expectProblem(reply, 404, 'not-found');
        const { requestId: _, ...body } = reply.body;
        bodies.push(body);
      }
      for (const body of bodies) expect(body).toEqual(bodies[0]);
    }
    expect((await admin.get(at(hidden))).status).toBe(200);
  });

  it('[A4] answers 400 for a path that is not valid text', async () => {
    const reply = await admin.get('/v1/memories/%E0%A4%A');
    expect([400, 404]).toContain(reply.status);
    expectProblem(reply, reply.status, reply.body.code);
  });

  it('[A4] rejects unknown parameters', async () => {
    const memory = await stored();
    expectInvalid(await admin.get(`${at(memory)}?fields=id`), 'fields');
    expectInvalid(await admin.get(`${at(memory)}/history?since=1`), 'since');
  });
});

describe('history', () => {
  it('[A4] lists every version: what changed, by whom, when, and at which position', async () => {
    const memory = await stored({ tags: ['a'], metadata: { n: 1 }, externalId: 'told' });
    const editor = await tenant.key({ role: 'admin', user: 'eve' });
    const answers = [
      await editor.patch(at(memory), { content: 'second', metadata: { n: 2 } }, { 'if-match': '*' }),
      await admin.delete(at(memory)),
      await editor.post(`${at(memory)}/restore`),
    ].map(({ body }) => body);

    const versions = await history(memory);
    expect(versions.map(({ revision, type, actor }) => [revision, type, actor])).toEqual([
      [0, 'MemoryStored', 'user:ada'],
      [1, 'MemoryUpdated', 'user:eve'],
      [2, 'MemoryDeleted', 'user:ada'],
      [3, 'MemoryRestored', 'user:eve'],
    ]);
    expect(versions[0].changes).toMatchObject({
      content: { to: 'first' },
      tags: { to: ['a'] },
      metadata: { to: { n: 1 } },
      externalId: { to: 'told' },
      layer: { to: 'user' },
    });
    expect(versions[0].changes.content).not.toHaveProperty('from');
    expect(versions[1].changes).toEqual({
      content: { from: 'first', to: 'second' },
      metadata: { from: { n: 1 }, to: { n: 2 } },
    });
    expect(versions[2].changes.state).toEqual({ from: 'active', to: 'deleted' });
    expect(versions[3].changes.state).toEqual({ from: 'deleted', to: 'active' });
    expect(versions[0].at).toBe(memory.createdAt);
    for (const [index, { memory: answered, position }] of answers.entries()) {
      expect(versions[index + 1]).toMatchObject({ at: answered.updatedAt, position });
    }
  });

  it('[A4] gives the reason and cause from X-Reason and X-Cause of each command', async () => {
    const reason = 'Korrektur: größer als 5 €, sagt 山田 👍';
    const why = { 'x-reason': utf8(reason), 'x-cause': 'llm' };
    const memory = (await admin.post('/v1/memories', { content: 'a reason' }, why)).body.memory;
    await admin.patch(at(memory), { content: 'second' }, { 'if-match': '*', 'x-cause': 'system' });
    await admin.delete(at(memory), { 'x-reason': 'cleaning up' });
    await admin.post(`${at(memory)}/restore`, {}, { 'x-reason': 'was needed', 'x-cause': 'user' });

    const versions = await history(memory);
    expect(versions.map(({ cause }) => cause)).toEqual(['llm', 'system', 'user', 'user']);
    expect(versions.map(({ reason }) => reason)).toEqual([reason, undefined, 'cleaning up', 'was needed']);
  });

  it('[A4] accepts a reason in Latin-1, as fetch sends it', async () => {
    const { memory } = (
      await admin.post('/v1/memories', { content: 'Latin-1' }, { 'x-reason': 'größer als ½' })
    ).body;
    expect((await history(memory))[0].reason).toBe('größer als ½');
  });

  it('[A4] accepts a reason of 500 characters, and rejects a longer one and an unknown cause', async () => {
    const memory = await stored();
    const patch = (headers: Record<string, string>) =>
      admin.patch(at(memory), { content: `${Math.random()}` }, { 'if-match': '*', ...headers });
    expect((await patch({ 'x-reason': utf8('🎉'.repeat(500)) })).status).toBe(200);
    expect((await patch({ 'x-reason': utf8('ä'.repeat(500)) })).status).toBe(200);
    expectInvalid(await patch({ 'x-reason': utf8('ä'.repeat(501)) }), 'X-Reason');
    expectInvalid(await patch({ 'x-cause': 'weather' }), 'X-Cause');
    expectInvalid(await patch({ 'x-cause': '' }), 'X-Cause');
    expectInvalid(await admin.post('/v1/memories', { content: 'x' }, { 'x-cause': 'USER ' }), 'X-Cause');
    expect((await history(memory)).at(-1).reason).toBe('ä'.repeat(500));
  });

  it('[A4] is paged from first to last', async () => {
    const memory = await stored();
    for (let n = 1; n <= 4; n++) {
      await admin.patch(at(memory), { content: `version ${n}` }, { 'if-match': '*' });
    }
    const revisions: number[] = [];
    let cursor = '';
    do {
      const { body } = await admin.get(`${at(memory)}/history?limit=2${cursor}`);
      expect(body.items.length).toBeLessThanOrEqual(2);
      revisions.push(...body.items.map(({ revision }: Json) => revision));
      cursor = body.nextCursor ? `&cursor=${encodeURIComponent(body.nextCursor)}` : '';
    } while (cursor !== '');
    expect(revisions).toEqual([0, 1, 2, 3, 4]);
    const { nextCursor } = (await admin.get(`${at(memory)}/history?limit=2`)).body;
    const other = await stored();
    const cursorOf = (own: string, place: string): string =>
      Buffer.from(
        Buffer.from(own, 'base64url')
          .toString()
          .replace(/[^.]*$/, place),
      ).toString('base64url');
    for (const [of, strange] of [
      [memory, 'x'],
      [memory, 'r2'],
      [memory, `${nextCursor}!`],
      [memory, nextCursor.slice(0, -1)],
      [memory, cursorOf(nextCursor, 'x')],
      [memory, cursorOf(nextCursor, '1.5')],
      [other, nextCursor],
    ])
      expectProblem(await admin.get(`${at(of)}/history?cursor=${strange}`), 400, 'cursor-invalid', 'cursor');
    expectInvalid(await admin.get(`${at(memory)}/history?limit=0`), 'limit');
  });

  it('[A4] remains available for a deleted memory', async () => {
    const memory = await stored();
    await admin.delete(at(memory));
    expect(await history(memory)).toHaveLength(2);
  });

  it('[A4] is available to every caller who can see the memory', async () => {
    const memory = await stored({ layer: 'team', scope: { team: 'api' } });
    const inside = await tenant.key({ user: 'bob', teams: ['api'] });
    const outside = await tenant.key({ user: 'bob', teams: ['web'] });
    const withoutPositions = (items: Json[]) => items.map(({ position: _, ...item }) => item);
    const { items } = (await inside.get(`${at(memory)}/history`)).body;
    expect(withoutPositions(items)).toEqual(withoutPositions(await history(memory)));
    expectProblem(await outside.get(`${at(memory)}/history`), 404, 'not-found');
  });
});
