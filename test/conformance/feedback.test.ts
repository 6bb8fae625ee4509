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

const path = (memory: Json) => `/v1/memories/${memory.id}/feedback`;

async function stored(fields: Json = {}): Promise<Json> {
  return (await admin.store({ content: 'The build takes nine minutes.', ...fields })).memory;
}

/** The feedback events of a memory in the log. */
async function recorded(memory: Json, position: string): Promise<Json[]> {
  const query = `memory=${memory.id}&type=FeedbackGiven&minPosition=${position}`;
  return (await admin.get(`/v1/audit/events?${query}`)).body.items;
}

describe('feedback', () => {
  it('[A13] is accepted, returns only a position, and does not change the memory', async () => {
    const memory = await stored();
    const reply = await admin.post(path(memory), { kind: 'outdated', score: -0.5, note: 'six minutes now' });
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ position: expect.any(String) });
    const after = await admin.get(`/v1/memories/${memory.id}?minPosition=${reply.body.position}`);
    expect(after.body).toEqual({ ...memory, feedback: { ...memory.feedback, outdated: 1 } });
    expect((await admin.get(`/v1/memories/${memory.id}/history`)).body.items).toHaveLength(1);
    const [event] = await recorded(memory, reply.body.position);
    expect(event).toMatchObject({
      actor: 'user:ada',
      data: { memoryId: memory.id, kind: 'outdated', score: -0.5, note: 'six minutes now' },
    });
  });

  it('[A13] gets a default score from its kind: positive for good, negative for bad', async () => {
    const memory = await stored();
    const { searchId } = (await admin.post('/v1/search', { query: 'build' })).body;
    let position = '';
    const kinds = ['helpful', 'irrelevant', 'outdated', 'inaccurate', 'duplicate'];
    for (const kind of kinds) ({ position } = (await admin.post(path(memory), { kind, searchId })).body);
    const events = await recorded(memory, position);
    expect(events.map(({ data }) => data.kind)).toEqual(kinds);
    const [helpful, ...others] = events.map(({ data }) => data.score);
    expect(helpful).toBeGreaterThan(0);
    expect(helpful).toBeLessThanOrEqual(1);
    for (const score of others) {
      expect(score).toBeLessThan(0);
      expect(score).toBeGreaterThanOrEqual(-1);
    }
  });

  it('[A13] is counted each time it is given, even concurrently', async () => {
    const memory = await stored();
    const replies = await Promise.all(
      Array.from({ length: 16 }, () => admin.post(path(memory), { kind: 'outdated' })),
    );
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    const { position } = await admin.store({ content: 'after' });
    expect(await recorded(memory, position)).toHaveLength(16);
  });

  it.each([-1, 0, 1, 0.25])('[A13] accepts the score %d', async (score) => {
    expect((await admin.post(path(await stored()), { kind: 'outdated', score })).status).toBe(200);
  });

  const bad: [title: string, body: Json, path: string][] = [
    ['no kind', {}, 'kind'],
    ['an unknown kind', { kind: 'lovely' }, 'kind'],
    ['a score below -1', { kind: 'helpful', score: -1.001 }, 'score'],
    ['a score above 1', { kind: 'helpful', score: 1.001 }, 'score'],
    ['a score that is not a number', { kind: 'helpful', score: '1' }, 'score'],
    ['a note that is not text', { kind: 'helpful', note: 1 }, 'note'],
    ['a note with U+0000', { kind: 'helpful', note: 'a\u0000' }, 'note'],
    ['a note with a lone surrogate', { kind: 'helpful', note: '\ud800' }, 'note'],
    ['a note of 100,000 characters', { kind: 'helpful', note: 'n'.repeat(100_000) }, 'note'],
    ['a searchId that is not text', { kind: 'helpful', searchId: 1 }, 'searchId'],
    ['an unknown field', { kind: 'helpful', stars: 5 }, 'stars'],
  ];

  it.each(bad)('[A13] with %s is rejected and the field named', async (_, body, field) => {
    const memory = await stored();
    expectInvalid(await admin.post(path(memory), body), field);
    const { position } = await admin.store({ content: 'after' });
    expect(await recorded(memory, position)).toEqual([]);
  });

  it('[A13] can name a search of the same caller only', async () => {
    const memory = await stored({ layer: 'company' });
    const bob = await tenant.key({ user: 'bob' });
    const eve = await tenant.key({ user: 'eve' });
    const search = async (client: Client) =>
      (await client.post('/v1/search', { query: 'build', threshold: 0 })).body.searchId;
    const own = await search(bob);
    expect((await bob.post(path(memory), { kind: 'helpful', searchId: own })).status).toBe(200);
    expectProblem(await eve.post(path(memory), { kind: 'helpful', searchId: own }), 404, 'not-found');
    const foreign = await search((await newTenant(server)).admin);
    for (const searchId of [foreign, '', 'unknown', `${own}x`, own.slice(1), own.split('.')[0]]) {
      expectProblem(await bob.post(path(memory), { kind: 'helpful', searchId }), 404, 'not-found');
    }
  });

  it('[A13] answers 404 for memories the caller cannot see', async () => {
    const bob = await tenant.key({ user: 'bob' });
    const { memory: foreign } = await (await newTenant(server)).admin.store({ content: 'theirs' });
    for (const memory of [
      await stored(),
      foreign,
      { id: '018f0000-0000-7000-8000-000000000000' },
      { id: 'x' },
    ]) {
      expectProblem(await bob.post(path(memory), { kind: 'helpful' }), 404, 'not-found');
    }
  });

  it('[A13] is allowed for callers who can see but not write the memory, except readers', async () => {
    const memory = await stored({ layer: 'company' });
    const bob = await tenant.key({ user: 'bob' });
    expect((await bob.post(path(memory), { kind: 'outdated' })).status).toBe(200);
    for (const role of ['reader', 'auditor']) {
      const client = await tenant.key({ role });
      expectProblem(await client.post(path(memory), { kind: 'helpful' }), 403, 'forbidden');
    }
  });
});
