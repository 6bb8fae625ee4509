import { describe, expect, it, vi } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { auditEvents } from '../support/events.ts';
import { expectInvalid, expectProblem } from '../support/problem.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer();

const within = { timeout: 30_000, interval: 200 };
const team = { layer: 'team', scope: { team: 'search' } };
const scoped = 'layer=team&scope.team=search';
const canary = 'Mia keeps the canary Tweety of the search team at her desk.';
const notes = [
  { content: 'Releases of the search service are cut on Mondays after the smoke tests have passed.' },
  { content: 'Incident reviews of the search service happen on Thursday afternoons.' },
  { content: 'The search index of the team is rebuilt every night at two.' },
  { content: canary, scope: { team: 'search', user: 'mia' } },
];

interface Setting {
  readonly tenant: Tenant;
  readonly mia: Client;
  readonly tom: Client;
  readonly ids: readonly string[];
}

async function personalized(): Promise<Setting> {
  const tenant = await newTenant(server);
  const reply = await tenant.admin.put('/v1/admin/summaries/team', {
    depths: ['sentence', 'paragraph', 'detailed'],
    skipIfUnchanged: true,
    personalized: true,
  });
  expect(reply.body.settings).toMatchObject({ personalized: true });
  const [mia, tom] = [
    await tenant.key({ user: 'mia', teams: ['search'] }),
    await tenant.key({ user: 'tom', teams: ['search'] }),
  ];
  const lines = await tenant.admin.bulk(notes.map((note) => ({ ...team, ...note })));
  return { tenant, mia, tom, ids: lines.map(({ id }) => id) };
}

async function read(client: Client, query: string): Promise<Json> {
  const { status, body } = await client.get(`/v1/summaries?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

/** Has summaries made, and waits until the client can read them. */
async function made(client: Client, body: Record<string, unknown>, query: string): Promise<Json[]> {
  const { status, body: answer } = await client.post('/v1/summaries/refresh', body);
  expect(status, JSON.stringify(answer)).toBe(202);
  return vi.waitFor(async () => {
    const { items } = await read(client, query);
    expect(items.length).toBeGreaterThan(0);
    expect(items[0].freshness.stale).toBe(false);
    return items as Json[];
  }, within);
}

describe('Layer Summary Storage', () => {
  it('[E2] Store personalized summary', async () => {
    const { mia, tom, ids } = await personalized();
    for (const [client, id] of [
      [tom, ids[0]],
      [mia, ids[2]],
    ] as const) {
      const judged = await client.post(`/v1/memories/${id}/feedback`, { kind: 'inaccurate' });
      expect(judged.status).toBe(200);
    }
    await made(tom, team, 'layer=team');
    const items = await made(mia, { ...team, user: 'mia' }, `${scoped}&user=mia`);
    expect(items.map(({ depth }) => depth)).toEqual(['sentence', 'paragraph', 'detailed']);
    for (const item of items)
      expect(item).toMatchObject({
        ...team,
        personalized: true,
        personalization: { user: 'mia', judged: 1, own: 1 },
      });
    expect(items[0]!.content).toContain('Tweety');
    const common = await read(mia, 'layer=team');
    expect(common.items).toHaveLength(3);
    for (const item of common.items) {
      expect(item.personalized).toBe(false);
      expect(item).not.toHaveProperty('personalization');
    }
    const { summary } = await read(mia, `${scoped}&depth=sentence&user=mia`);
    expect(summary).toMatchObject({ personalized: true, depth: 'sentence' });
    await made(mia, { ...team, session: 's1' }, `${scoped}&session=s1`);
    const ofSession = await read(mia, `${scoped}&session=s1&depth=detailed`);
    expect(ofSession.summary.personalization).toMatchObject({ user: 'mia', session: 's1' });
  });

  it('[E2] [D1] is never shown to another, and not to a session of another', async () => {
    const { tenant, mia, tom } = await personalized();
    await made(mia, { ...team, user: 'mia' }, `${scoped}&user=mia`);
    expect((await read(tom, `${scoped}&user=mia`)).items).toEqual([]);
    expect((await read(tom, `${scoped}&user=mia&depth=detailed`)).summary).toBe(null);
    expect((await read(tom, `${scoped}&session=s1`)).items).toEqual([]);
    expect((await read(mia, `${scoped}&session=s1`)).items).toEqual([]);
    expect((await read(mia, scoped)).items).toEqual([]);
    expectProblem(await tom.post('/v1/summaries/refresh', { ...team, user: 'mia' }), 404, 'not-found');
    const outsider = await tenant.key({ user: 'mia', teams: ['other'] });
    expect((await read(outsider, 'user=mia')).items).toEqual([]);
    const agent = await tenant.key({ role: 'agent', agents: ['scribe'], teams: ['search'], users: ['*'] });
    expect((await read(agent, `${scoped}&user=mia`)).items).toEqual([]);
  });

  it('[E2] [E8] a context asks for the variant of its caller, and the next one has it', async () => {
    const { tenant, mia, tom } = await personalized();
    await made(mia, team, 'layer=team');
    const context = async (client: Client): Promise<Json> => {
      const body = { query: 'What does the search team do in the week?', tokenBudget: 400, threshold: 1 };
      return (await client.post('/v1/context', body)).body;
    };
    expect((await context(mia)).items).toMatchObject([{ kind: 'summary', layer: 'team' }]);
    await vi.waitFor(async () => {
      const [item] = (await context(mia)).items;
      expect(item.citation).toContain('summary of team search, for mia');
    }, within);
    const [item] = (await context(tom)).items;
    expect(item.citation).not.toContain('for mia');
    const requested = await auditEvents(tenant.admin, 'type=SummaryRequested');
    expect(requested.filter(({ data }) => data.person?.user === 'mia')).toHaveLength(1);
  });

  it('[E2] [F6] is erased with a memory that it quotes, of today or before', async () => {
    const { tenant, mia, tom, ids } = await personalized();
    await made(tom, team, 'layer=team');
    await made(mia, { ...team, user: 'mia' }, `${scoped}&user=mia`);
    expect(JSON.stringify(await auditEvents(tenant.admin, 'type=SummaryGenerated'))).toContain('Tweety');
    const { body } = await tenant.admin.delete(`/v1/memories/${ids[3]}?mode=erase`, { 'if-match': '*' });
    for (const query of [scoped, `${scoped}&user=mia`])
      expect(
        JSON.stringify(await read(mia, `${query}&minPosition=${body.position}&waitMs=20000`)),
      ).not.toContain('Tweety');
    expect(JSON.stringify(await auditEvents(tenant.admin, '', body.position))).not.toContain('Tweety');
    const again = await made(mia, { ...team, user: 'mia' }, `${scoped}&user=mia`);
    expect(again[0]!.personalization).toMatchObject({ own: 0 });
  });

  it('[E2] says what is wrong with a request', async () => {
    const { tenant, mia } = await personalized();
    const refresh = (body: unknown) => mia.post('/v1/summaries/refresh', body);
    expectInvalid(await refresh({ layer: 'user', scope: { user: 'mia' }, user: 'mia' }), 'user');
    expectInvalid(await refresh({ ...team, user: '' }), 'user');
    const nobody = await tenant.key({ teams: ['search'] });
    expectInvalid(await nobody.post('/v1/summaries/refresh', { ...team, session: 's1' }), 'user');
    for (const layer of ['user', 'session', 'agent'])
      expectInvalid(
        await tenant.admin.put(`/v1/admin/summaries/${layer}`, {
          depths: ['sentence'],
          skipIfUnchanged: true,
          personalized: true,
        }),
        'personalized',
      );
    await made(mia, { ...team, user: 'mia' }, `${scoped}&user=mia`);
    await tenant.admin.put('/v1/admin/summaries/team', { depths: ['sentence'], skipIfUnchanged: true });
    expect((await read(mia, `${scoped}&user=mia`)).items).toEqual([]);
  });
});
