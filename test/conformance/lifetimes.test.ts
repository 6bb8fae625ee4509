import { describe, expect, it } from 'vitest';
import { clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { useSharedServer } from '../support/use-server.ts';

const shared = useSharedServer('deterministic');

async function tenantOf(space?: object): Promise<{ admin: Client; member: Client; tenant: string }> {
  const tenant = freshTenant();
  const admin = await clientWithKey(shared, { tenant, role: 'admin', user: 'root' });
  if (space) expect((await admin.put('/v1/spaces/notes', space)).status).toBe(201);
  return { admin, tenant, member: await clientWithKey(shared, { tenant, role: 'member', user: 'ada' }) };
}

const store = (client: Client, memory: object) => client.post('/v1/memories', memory);
const stateOf = async (client: Client, id: string) => (await client.get(`/v1/memories/${id}`)).body.state;
const patch = (client: Client, id: string, changes: object) =>
  client.patch(`/v1/memories/${id}`, changes, { 'if-match': '*' });

async function idOf(client: Client, memory: object): Promise<string> {
  const { status, body } = await store(client, memory);
  expect(status, JSON.stringify(body)).toBe(201);
  return body.memory.id as string;
}

describe('[A19] a memory that expires', () => {
  const past = '2020-01-01T00:00:00.000Z';

  it('is soft-deleted, with its reason in the history, unless it is kept', async () => {
    const { member } = await tenantOf();
    const kept = await idOf(member, { content: 'kept', expiresAt: past, retention: 'keep' });
    const id = await idOf(member, { content: 'over', expiresAt: '2020-01-01T02:00:00+02:00' });
    await eventually(() => stateOf(member, id)).toBe('deleted');
    const { items } = (await member.get(`/v1/memories/${id}/history`)).body;
    expect(items.at(-1)).toMatchObject({ type: 'MemoryDeleted', cause: 'system', reason: 'expired' });
    expect((await member.get(`/v1/memories/${kept}`)).body).toMatchObject({
      state: 'active',
      expiresAt: past,
      retention: 'keep',
    });
    const restored = await member.post(`/v1/memories/${id}/restore`);
    expect(restored.body.memory.state).toBe('active');
    expect(restored.body.memory).not.toHaveProperty('expiresAt');
  });

  it('gets and loses its time with PATCH, PUT and in bulk; a wrong one is refused', async () => {
    const { member } = await tenantOf();
    const expiresAt = '2999-01-01T00:00:00.000Z';
    const id = await idOf(member, { content: 'a', externalId: 'x', expiresAt });
    const changed = await patch(member, id, { expiresAt: null, retention: 'keep' });
    expect(changed.body.memory).toMatchObject({ retention: 'keep' });
    expect(changed.body.memory).not.toHaveProperty('expiresAt');
    const put = await member.put('/v1/memories/external/x', { content: 'a', expiresAt });
    expect(put.body.memory).toMatchObject({ expiresAt });
    expect(put.body.memory).not.toHaveProperty('retention');
    for (const [body, path] of [
      [{ expiresAt: 'soon' }, 'expiresAt'],
      [{ retention: 'drop' }, 'retention'],
    ] as const)
      expect((await store(member, { content: 'b', ...body })).body.errors[0].path).toBe(path);
  });

  it('is another one than the same text that stays', async () => {
    const { member } = await tenantOf();
    const stays = await idOf(member, { content: 'the same' });
    const expires = await idOf(member, { content: 'the same', expiresAt: '2999-01-01T00:00:00Z' });
    expect(expires).not.toBe(stays);
    expect((await store(member, { content: 'the same' })).body.memory.id).toBe(stays);
  });
});

describe('[H6] an archived memory', () => {
  it('leaves searches and contexts, and is shown by get, history and lists of archived ones', async () => {
    const { member } = await tenantOf();
    const id = await idOf(member, { content: 'venus is a planet', spaces: ['notes'] });
    const { body } = await member.post(`/v1/memories/${id}/archive`);
    expect(body.memory).toMatchObject({ id, state: 'archived', revision: 1 });
    expect((await member.post(`/v1/memories/${id}/archive`)).body.memory.revision).toBe(1);
    const minPosition = body.position;
    const found = async (request: object) => {
      const answer = await member.post('/v1/search', { query: 'venus planet', ...request });
      return answer.body.results.map(({ memory }: Json) => memory.id) as string[];
    };
    expect(await found({ minPosition })).toEqual([]);
    const context = await member.post('/v1/context', { query: 'venus', tokenBudget: 500, minPosition });
    expect(JSON.stringify(context.body)).not.toContain('planet');
    const listed = async (query: string) =>
      (await member.get(`/v1/memories?minPosition=${minPosition}${query}`)).body.items.length as number;
    expect([
      await listed(''),
      await listed('&state=archived'),
      await listed('&state=archived&space=notes'),
    ]).toEqual([0, 1, 1]);
    expect((await patch(member, id, { tags: ['x'] })).body).toMatchObject({
      status: 409,
      code: 'memory-archived',
    });
    const { body: back } = await member.post(`/v1/memories/${id}/unarchive`);
    expect(back.memory.state).toBe('active');
    expect(await found({ minPosition: back.position })).toEqual([id]);
    // Before it was archived, while it was, and after that.
    const history = (await member.get(`/v1/memories/${id}/history`)).body.items as Json[];
    expect(history.map(({ type }) => type)).toEqual(['MemoryStored', 'MemoryArchived', 'MemoryUnarchived']);
    const [stored, archived, unarchived] = history.map(({ position }) => position as string);
    expect(await found({ asOf: stored })).toEqual([id]);
    expect(await found({ asOf: archived })).toEqual([]);
    expect(await found({ asOf: unarchived })).toEqual([id]);
  });

  it('can be deleted and restored; others cannot archive it', async () => {
    const { member, tenant } = await tenantOf();
    const other = await clientWithKey(shared, { tenant, role: 'member', user: 'bob' });
    const id = await idOf(member, { content: 'a' });
    expect((await other.post(`/v1/memories/${id}/archive`)).status).toBe(404);
    await member.post(`/v1/memories/${id}/archive`);
    expect((await member.delete(`/v1/memories/${id}`)).body.memory.state).toBe('deleted');
    expect((await member.post(`/v1/memories/${id}/unarchive`)).body.code).toBe('memory-deleted');
    expect((await member.post(`/v1/memories/${id}/archive`)).body.code).toBe('memory-deleted');
    expect((await member.post(`/v1/memories/${id}/restore`)).body.memory.state).toBe('active');
  });
});

describe('[H6] the quota of a space', () => {
  const notes = (content: string) => ({ content, spaces: ['notes'] });

  it('refuses what would not fit: a store, a line, an update, a move, a restore', async () => {
    const { member } = await tenantOf({ maxSizeMb: 0.0001 });
    const id = await idOf(member, notes('a'.repeat(60)));
    const full = {
      status: 409,
      code: 'space-quota-exceeded',
      space: 'notes',
      limitBytes: 100,
      usedBytes: 60,
    };
    expect((await store(member, notes('b'.repeat(60)))).body).toMatchObject(full);
    expect((await patch(member, id, { content: 'a'.repeat(101) })).body).toMatchObject(full);
    const moved = await idOf(member, { content: 'c'.repeat(60) });
    expect((await patch(member, moved, { spaces: ['notes'] })).body).toMatchObject(full);
    expect((await store(member, notes('a'.repeat(60)))).body).toMatchObject({ duplicate: true });
    const lines = [notes('short'), notes('d'.repeat(60)), notes('é'.repeat(17))];
    const answers = await member.bulk(lines);
    expect(answers.map(({ status }) => status as number)).toEqual([201, 409, 201]);
    await member.delete(`/v1/memories/${id}`);
    await idOf(member, notes('e'.repeat(60)));
    expect((await member.post(`/v1/memories/${id}/restore`)).body.code).toBe('space-quota-exceeded');
  });

  it('is not passed by many writers at once', async () => {
    const { admin, member } = await tenantOf({ maxSizeMb: 0.001 });
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, n) => store(member, notes(`note ${n} `.padEnd(100, 'x')))),
    );
    const stored = answers.filter(({ status }) => status === 201);
    expect(stored).toHaveLength(10);
    const all = stored.map((answer) => answer.body.position).join();
    const { body } = await admin.get(`/v1/spaces/notes/stats?minPosition=${all}`);
    expect(body.quota).toEqual({ limitBytes: 1_000, usedBytes: 1_000, freeBytes: 0 });
  });
});

describe('[A15] the figures of a space', () => {
  it('say what it holds, how it is used, and what a retention would delete', async () => {
    const { admin, member } = await tenantOf({ maxSizeMb: 1 });
    await idOf(member, { content: 'one', spaces: ['notes'], retention: 'keep' });
    const id = await idOf(member, { content: 'two', spaces: ['notes'], expiresAt: '2999-01-01T00:00:00Z' });
    const { body } = await member.post(`/v1/memories/${id}/archive`);
    const figures = await admin.get(`/v1/spaces/notes/stats?retentionDays=1&minPosition=${body.position}`);
    expect(figures.body).toMatchObject({
      space: 'notes',
      coverage: 'tenant',
      total: { active: 1, archived: 1, deleted: 0, characters: 6, bytes: 3 },
      quota: { limitBytes: 1_000_000, usedBytes: 3 },
      kept: 1,
      expiring: 1,
      access: { total: 0, neverUsed: 2 },
      retention: { days: 1, memories: 0, bytes: 0 },
    });
    expect((await member.get('/v1/spaces/notes/stats')).body).not.toHaveProperty('quota');
    expect((await admin.get('/v1/spaces/none/stats')).status).toBe(404);
    expect((await admin.get('/v1/spaces/notes/stats?retentionDays=0')).body.errors[0].path).toBe(
      'retentionDays',
    );
  });
});

describe('[H6] a space that is removed', () => {
  it('is taken from its memories with memories=detach', async () => {
    const { admin, member } = await tenantOf({});
    const id = await idOf(member, { content: 'a', spaces: ['notes', 'other'] });
    expect((await admin.delete('/v1/spaces/notes?memories=detach')).status).toBe(200);
    await eventually(async () => (await member.get(`/v1/memories/${id}`)).body.spaces).toEqual(['other']);
    const history = (await member.get(`/v1/memories/${id}/history`)).body.items;
    expect(history.at(-1)).toMatchObject({ cause: 'system', reason: 'space removed' });
  });
});

it('[H1] a space without reasoning memory takes no traces', async () => {
  const { member } = await tenantOf({ enableReasoningMemory: false });
  const trace = { query: 'a', approach: 'b', outcome: 'success', memoriesUsed: [] };
  const refused = await member.post('/v1/reasoning/traces', { ...trace, space: 'notes' });
  expect(refused.body).toMatchObject({ status: 400, errors: [{ path: 'space' }] });
  expect((await member.post('/v1/reasoning/traces', { ...trace, space: 'other' })).status).toBe(201);
});
