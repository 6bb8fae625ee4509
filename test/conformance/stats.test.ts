import { describe, expect, it, vi } from 'vitest';
import { clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');

const member = (tenant: string, key: Record<string, unknown>): Promise<Client> =>
  clientWithKey(server, { tenant, role: 'member', ...key });

async function stats(client: Client, minPosition?: string): Promise<Json> {
  const wait = minPosition === undefined ? '' : `?minPosition=${minPosition}&waitMs=30000`;
  const { status, body } = await client.get(`/v1/stats${wait}`);
  expect(status).toBe(200);
  return body;
}

/** A tenant with memories of two people, a team and the company. */
async function filled() {
  const tenant = freshTenant();
  const admin = await clientWithKey(server, { tenant, role: 'admin', user: 'ada' });
  const lines = await admin.bulk([
    { content: '12345', spaces: ['a', 'b'] },
    { content: '1234567', spaces: ['a'] },
    { content: '😀', scope: { user: 'bob' } },
    { content: 'team note', layer: 'team', scope: { team: 't' }, spaces: ['b'] },
    { content: 'for all of us', layer: 'company' },
  ]);
  expect(lines.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
  return { tenant, admin, ids: lines.map(({ id }) => id), position: lines.at(-1)!.position as string };
}

describe('tenant figures', () => {
  it('[A15] count memories and characters in total, by layer and by space', async () => {
    const { tenant, admin, position } = await filled();
    const figures = await stats(admin, position);
    expect(figures).toMatchObject({
      tenant,
      coverage: 'tenant',
      total: { active: 5, deleted: 0, characters: 5 + 7 + 2 + 9 + 13 },
      access: { total: 0, memories: 0 },
      feedback: { total: 0 },
    });
    expect(figures.layers).toMatchObject([
      { layer: 'company', active: 1, deleted: 0, characters: 13 },
      { layer: 'team', active: 1, deleted: 0, characters: 9 },
      { layer: 'user', active: 3, deleted: 0, characters: 14 },
    ]);
    expect(figures.spaces).toMatchObject([
      { space: 'a', active: 2, deleted: 0, characters: 12 },
      { space: 'b', active: 2, deleted: 0, characters: 14 },
    ]);
    expect(figures.position).toBeTruthy();
  });

  it('[A15] follow changes, deletes, restores and erasures', async () => {
    const { admin, ids } = await filled();
    const [first, second] = ids;
    const patch = { content: '123456789', spaces: ['c'] };
    const changed = await admin.patch(`/v1/memories/${first}`, patch, { 'if-match': '*' });
    let figures = await stats(admin, changed.body.position);
    expect(figures.total).toMatchObject({ active: 5, deleted: 0, characters: 40 });
    expect(figures.spaces).toMatchObject([
      { space: 'a', active: 1, deleted: 0, characters: 7 },
      { space: 'b', active: 1, deleted: 0, characters: 9 },
      { space: 'c', active: 1, deleted: 0, characters: 9 },
    ]);
    const deleted = await admin.delete(`/v1/memories/${second}`);
    figures = await stats(admin, deleted.body.position);
    expect(figures.total).toMatchObject({ active: 4, deleted: 1 });
    expect(figures.spaces[0]).toMatchObject({ space: 'a', active: 0, deleted: 1 });
    const restored = await admin.post(`/v1/memories/${second}/restore`);
    figures = await stats(admin, restored.body.position);
    expect(figures.total).toMatchObject({ active: 5, deleted: 0, characters: 40 });
    const erased = await admin.delete(`/v1/memories/${second}?mode=erase`);
    figures = await stats(admin, erased.body.position);
    expect(figures.total).toMatchObject({ active: 4, deleted: 0, characters: 33 });
    expect(figures.spaces.map(({ space }: Json) => space)).toEqual(['b', 'c']);
  });

  it('[A15] count accesses and feedback', async () => {
    const { admin, ids, position } = await filled();
    const before = new Date().toISOString();
    const search = { query: 'for all of us', layers: ['company'], minPosition: position, waitMs: 30_000 };
    for (let times = 0; times < 2; times++) {
      expect((await admin.post('/v1/search', search)).body.results).toHaveLength(1);
    }
    await admin.post(`/v1/memories/${ids[0]}/feedback`, { kind: 'outdated' });
    await vi.waitFor(
      async () => {
        const figures = await stats(admin);
        expect(figures).toMatchObject({ access: { total: 2, memories: 1 }, feedback: { total: 1 } });
        expect(Date.parse(figures.access.lastAt)).toBeGreaterThanOrEqual(Date.parse(before) - 1_000);
      },
      { timeout: 2_000, interval: 50 },
    );
  });

  it('[A15] are zero for an empty tenant', async () => {
    const admin = await clientWithKey(server, { tenant: freshTenant(), role: 'admin' });
    expect(await stats(admin)).toMatchObject({
      total: { active: 0, deleted: 0, characters: 0 },
      layers: [],
      spaces: [],
      access: { total: 0, memories: 0 },
      feedback: { total: 0 },
    });
  });

  it('[A15] reject an unknown parameter', async () => {
    const admin = await clientWithKey(server, { tenant: freshTenant(), role: 'admin' });
    const reply = await admin.get('/v1/stats?tenant=other');
    expect(reply).toMatchObject({ status: 400, body: { errors: [{ path: 'tenant' }] } });
  });
});

describe('visibility of figures', () => {
  it.each(['auditor', 'operator', 'admin'])(
    '[A15] an %s sees the figures of the whole tenant',
    async (role) => {
      const { tenant, admin, ids, position } = await filled();
      const client = await clientWithKey(server, { tenant, role });
      const figures = await stats(client, position);
      expect(figures).toMatchObject({ coverage: 'tenant', total: { active: 5, characters: 36 } });

      const search = {
        query: '12345',
        threshold: 0,
        layers: ['user'],
        minPosition: position,
        waitMs: 30_000,
      };
      expect((await admin.post('/v1/search', search)).body.results).toHaveLength(3);
      await admin.post(`/v1/memories/${ids[3]}/feedback`, { kind: 'outdated' });
      const used = { access: { total: 3, memories: 3 }, feedback: { total: 1 } };
      await vi.waitFor(async () => expect(await stats(client)).toMatchObject(used), {
        timeout: 2_000,
        interval: 50,
      });
    },
  );

  it('[A15] a member sees the figures of the memories it can see', async () => {
    const { tenant, position } = await filled();
    const bob = await member(tenant, { user: 'bob' });
    expect(await stats(bob, position)).toMatchObject({
      coverage: 'visible',
      total: { active: 2, deleted: 0, characters: 15 },
      layers: [
        { layer: 'company', active: 1 },
        { layer: 'user', active: 1, characters: 2 },
      ],
      spaces: [],
    });
    const inTeam = await member(tenant, { teams: ['t'] });
    expect(await stats(inTeam, position)).toMatchObject({
      total: { active: 2 },
      spaces: [{ space: 'b', active: 1, characters: 9 }],
    });
  });

  it('[A15] a reader sees the figures of shared scopes, without anyone’s personal memories', async () => {
    const { tenant, position } = await filled();
    const reader = await clientWithKey(server, { tenant, role: 'reader' });
    const figures = await stats(reader, position);
    expect(figures).toMatchObject({ coverage: 'visible', total: { active: 2 } });
    expect(figures.layers.map(({ layer }: Json) => layer)).toEqual(['company', 'team']);
  });

  it('[A15] an access to a memory that the caller cannot see is not in its figures', async () => {
    const { tenant, admin, position } = await filled();
    const search = {
      query: '1234567',
      threshold: 0,
      layers: ['user'],
      minPosition: position,
      waitMs: 30_000,
    };
    expect((await admin.post('/v1/search', search)).body.results).toHaveLength(3);
    await vi.waitFor(async () => expect((await stats(admin)).access.total).toBe(3), {
      timeout: 2_000,
      interval: 50,
    });
    expect((await stats(await member(tenant, { user: 'bob' }))).access).toMatchObject({
      total: 1,
      memories: 1,
    });
    expect((await stats(await member(tenant, {}))).access).toMatchObject({ total: 0, memories: 0 });
  });
});
