import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { onBehalfOf } from '../support/api.ts';
import { auditEvents } from '../support/events.ts';
import { expectInvalid, expectProblem } from '../support/problem.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');

/** The reactor that follows changes soon says more exactly what happened to a quoted memory. */
const changedOrReplaced = expect.stringMatching(/^(changed|replaced)$/) as string;

const tokensOf: Readonly<Record<string, number>> = { sentence: 50, paragraph: 200, detailed: 500 };

/** Notes of a team, each about another matter. */
const notes = [
  'Releases of Helios are cut on Mondays after the smoke tests have passed.',
  'The gateway caches access tokens for ten minutes.',
  'Kafka partitions of the billing topic were raised to twelve in March.',
  'Incident reviews happen on Thursday afternoons with the whole team.',
  'The staging database is restored from production every Sunday night.',
  'Feature flags live in the Atlas repository and expire after ninety days.',
];

function query(parameters: Readonly<Record<string, string>>): string {
  return new URLSearchParams({ waitMs: '30000', ...parameters }).toString();
}

async function list(client: Client, parameters: Readonly<Record<string, string>> = {}): Promise<Json> {
  const reply = await client.get(`/v1/summaries?${query(parameters)}`);
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  return reply.body;
}

/** Has the summaries of a scope made and returns them. */
async function refreshed(client: Client, body: Record<string, unknown>): Promise<Json[]> {
  const reply = await client.post('/v1/summaries/refresh', body);
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 202 });
  const { layer, scope, position } = reply.body;
  let events: Json[] = [];
  await expect
    .poll(
      async () => {
        events = await auditEvents(
          auditorOf.get(client)!,
          'type=SummaryGenerated&type=SummaryRequested',
          position,
        );
        const requested = events.filter(({ type }) => type === 'SummaryRequested').length;
        return events.length === 2 * requested;
      },
      { timeout: 30_000, interval: 100 },
    )
    .toBe(true);
  const minPosition = events.map(({ position }) => position).at(-1);
  const scoped = Object.fromEntries(
    Object.entries(scope).map(([key, value]) => [`scope.${key}`, value as string]),
  );
  return (await list(client, { layer, ...scoped, minPosition })).items;
}

/** Who reads the audit of the tenant that a client belongs to. */
const auditorOf = new Map<Client, Client>();

async function keyOf(tenant: Tenant, rights: Record<string, unknown>): Promise<Client> {
  const client = await tenant.key(rights);
  auditorOf.set(client, tenant.admin);
  return client;
}

async function tenantWithTeam(): Promise<{ tenant: Tenant; member: Client; ids: string[] }> {
  const tenant = await newTenant(server);
  auditorOf.set(tenant.admin, tenant.admin);
  const member = await keyOf(tenant, { user: 'mia', teams: ['search'] });
  const lines = await member.bulk(
    notes.map((content) => ({ layer: 'team', scope: { team: 'search' }, content })),
  );
  return { tenant, member, ids: lines.map(({ id }: Json) => id) };
}

const team = { layer: 'team', scope: { team: 'search' } };

describe('Layer Summary Storage', () => {
  let member: Client;
  let ids: string[];

  beforeAll(async () => {
    ({ member, ids } = await tenantWithTeam());
  });

  it('[E1] Store summary with depth levels', async () => {
    const items = await refreshed(member, team);
    expect(items.map(({ depth }) => depth)).toEqual(['sentence', 'paragraph', 'detailed']);
    for (const item of items) {
      expect(item).toMatchObject({
        ...team,
        model: 'extractive-1',
        tokenizer: 'o200k_base',
        trigger: 'refresh',
      });
      expect(item.tokenCount).toBe(countTokens(item.content));
      expect(item.tokenCount).toBeLessThanOrEqual(tokensOf[item.depth]!);
      expect(Date.now() - Date.parse(item.generatedAt)).toBeLessThan(60_000);
      expect(item.sourceHash).toMatch(/^6:[0-9a-f]+$/);
      for (const [index, { id, revision }] of item.sources.entries()) {
        expect(revision).toBe(0);
        expect(item.content).toContain(`${notes[ids.indexOf(id)]} [${index + 1}]`);
      }
    }
    expect(items[2]!.sources).toHaveLength(notes.length);
    expect(items[0]!.sources.length).toBeLessThan(notes.length);
  });

  it('[E6] Content hash comparison, Detect stale summary', async () => {
    const before = await list(member, { layer: 'team' });
    expect(before.items[0].freshness).toMatchObject({ stale: false, needsRegeneration: false });
    const changed = await member.patch(
      `/v1/memories/${ids[0]}`,
      { content: 'Releases of Helios are cut on Tuesdays after the smoke tests have passed.' },
      { 'if-match': '*' },
    );
    const after = await list(member, { layer: 'team', minPosition: changed.body.position });
    for (const item of after.items)
      expect(item.freshness).toMatchObject({
        stale: true,
        needsRegeneration: true,
        reason: changedOrReplaced,
      });
    expect(after.items[2].content).toContain('Mondays');
    const [, , detailed] = await refreshed(member, team);
    expect(detailed!.content).toContain('Tuesdays');
    expect(detailed!.content).not.toContain('Mondays');
    expect(detailed!.freshness.stale).toBe(false);
    expect(detailed!.sources.find(({ id }: Json) => id === ids[0]).revision).toBe(1);
  });

  it('[E1] [C12] Superseded, outdated and inaccurate memories do not speak', async () => {
    const stored = await member.post('/v1/memories', {
      ...team,
      content: 'The gateway caches access tokens for an hour now.',
    });
    await member.put(`/v1/memories/${stored.body.memory.id}/links/supersedes/${ids[1]}`);
    await member.post(`/v1/memories/${ids[2]}/feedback`, { kind: 'outdated' });
    const judged = await member.post(`/v1/memories/${ids[5]}/feedback`, { kind: 'inaccurate' });
    const before = await list(member, { layer: 'team', minPosition: judged.body.position });
    for (const item of before.items)
      expect(item.freshness).toMatchObject({ stale: true, reason: changedOrReplaced });
    const [, , detailed] = await refreshed(member, team);
    expect(detailed!.content).toContain('for an hour now');
    expect(detailed!.content).not.toContain('ten minutes');
    expect(detailed!.content).not.toContain('Kafka');
    expect(detailed!.content).not.toContain('Feature flags');
  });

  it('[E3] Configure summary depths', async () => {
    const items = await refreshed(member, { ...team, depths: ['detailed', 'sentence'] });
    expect(items.map(({ depth }) => depth)).toEqual(['sentence', 'detailed']);
  });
});

describe('Summary Retrieval', () => {
  it('[E4] Get summary by layer and depth', async () => {
    const { member } = await tenantWithTeam();
    const asked = { layer: 'team', 'scope.team': 'search', depth: 'paragraph' };
    expect((await list(member, asked)).summary).toBe(null);
    expect((await list(member)).items).toEqual([]);
    const [, paragraph] = await refreshed(member, team);
    const { summary } = await list(member, asked);
    expect(summary).toEqual({
      ...paragraph,
      freshness: { ...paragraph!.freshness, ageSeconds: expect.any(Number) },
    });
    expect((await list(member, { ...asked, 'scope.team': 'other' })).summary).toBe(null);
  });

  it('[E4] Get all summaries for context', async () => {
    const { tenant, member } = await tenantWithTeam();
    const { admin } = tenant;
    await admin.post('/v1/memories', {
      layer: 'company',
      content: 'The company closes in the last week of the year.',
    });
    await admin.post('/v1/memories', {
      layer: 'project',
      scope: { project: 'helios' },
      content: 'Helios replaces the old gateway by autumn.',
    });
    await member.post('/v1/memories', {
      layer: 'user',
      content: 'Mia prefers short answers with an example.',
    });
    await refreshed(admin, { layer: 'company' });
    await refreshed(admin, { layer: 'project', scope: { project: 'helios' } });
    await refreshed(member, { layer: 'user' });
    await refreshed(member, team);
    const { items } = await list(member, { depth: 'detailed' });
    expect(items.map(({ layer }: Json) => layer)).toEqual(['user', 'team', 'company']);
    for (const item of items) expect(item.tokenCount).toBe(countTokens(item.content));
    const all = await list(admin, { depth: 'detailed' });
    expect(all.items.map(({ layer }: Json) => layer)).toEqual(['user', 'project', 'team', 'company']);
  });

  it('[E4] an empty scope has no summary, and asking for one is no error', async () => {
    const { tenant, member } = await tenantWithTeam();
    expect(await refreshed(tenant.admin, { layer: 'team', scope: { team: 'nobody' } })).toEqual([]);
    expect(await refreshed(member, { layer: 'user' })).toEqual([]);
  });

  it('[E2] the summary of a session or agent never mixes users', async () => {
    const { tenant } = await tenantWithTeam();
    const [mia, tom] = await Promise.all(
      ['mia', 'tom'].map((user) => keyOf(tenant, { user, sessions: ['standup'], agents: ['scribe'] })),
    );
    for (const layer of ['session', 'agent']) {
      const scope = layer === 'session' ? { session: 'standup' } : { agent: 'scribe' };
      await mia!.post('/v1/memories', { layer, scope, content: 'Mia will write the migration plan.' });
      await tom!.post('/v1/memories', { layer, scope, content: 'Tom will call the hosting company.' });
      const [own] = await refreshed(mia!, { layer, scope });
      expect(own).toMatchObject({ scope: { ...scope, user: 'mia' } });
      expect(own!.content).toContain('migration plan');
      expect(own!.content).not.toContain('hosting company');
    }
  });

  it('[G1] is not shown to who does not see its scope', async () => {
    const { tenant, member } = await tenantWithTeam();
    await refreshed(member, team);
    const stranger = await keyOf(tenant, { user: 'eve', teams: ['sales'] });
    const asked = { layer: 'team', 'scope.team': 'search', depth: 'sentence' };
    expect((await list(stranger)).items).toEqual([]);
    expect((await list(stranger, asked)).summary).toBe(null);
    expectProblem(await stranger.post('/v1/summaries/refresh', team), 404, 'not-found');
    const reader = await keyOf(tenant, { role: 'reader', user: 'rob' });
    expect((await list(reader, asked)).summary).toMatchObject({ depth: 'sentence' });
    expectProblem(await reader.post('/v1/summaries/refresh', team), 403, 'forbidden');
    const other = await newTenant(server);
    expect((await list(other.admin)).items).toEqual([]);
  });

  it('[G1] hides what quotes memories that name a user from an agent that acts for nobody', async () => {
    const tenant = await newTenant(server);
    auditorOf.set(tenant.admin, tenant.admin);
    const agent = await keyOf(tenant, { role: 'agent', agents: ['scribe'], teams: ['search'], users: ['*'] });
    await tenant.admin.post('/v1/memories', {
      layer: 'team',
      scope: { team: 'search', user: 'mia' },
      content: 'Mia owns the search index of the team.',
    });
    await refreshed(tenant.admin, team);
    expect((await list(agent)).items).toEqual([]);
    expect((await list(onBehalfOf(server, agent, 'tom'))).items).toHaveLength(3);
  });

  it('[F1] the reading of an auditor is recorded', async () => {
    const { tenant, member } = await tenantWithTeam();
    await refreshed(member, team);
    const auditor = await tenant.key({ role: 'auditor', user: 'otto' });
    await list(auditor);
    await expect
      .poll(async () => (await auditEvents(tenant.admin, 'type=AuditRead')).map(({ data }) => data.what), {
        timeout: 20_000,
      })
      .toContain('summaries');
  });

  it('says what is wrong with a request', async () => {
    const { tenant, member } = await tenantWithTeam();
    const refresh = (body: unknown) => member.post('/v1/summaries/refresh', body);
    expectInvalid(await refresh({ layer: 'team' }), 'scope.team');
    expectInvalid(
      await refresh({ layer: 'team', scope: { team: 'search', project: 'helios' } }),
      'scope.project',
    );
    expectInvalid(await refresh({ layer: 'nowhere' }), 'layer');
    expectInvalid(await refresh({ ...team, depths: ['chapter'] }), 'depths.0');
    expectInvalid(await refresh({ ...team, depths: [] }), 'depths');
    expectInvalid(await member.get('/v1/summaries?depth=chapter'), 'depth');
    const unscoped = await tenant.key({ role: 'operator' });
    expect((await list(unscoped)).items).toEqual([]);
  });

  it('[F3] a repeated request has the summaries made once', async () => {
    const { tenant, member } = await tenantWithTeam();
    const headers = { 'idempotency-key': 'once' };
    const first = await member.post('/v1/summaries/refresh', team, headers);
    const second = await member.post('/v1/summaries/refresh', team, headers);
    expect(second.body).toEqual(first.body);
    await refreshed(member, team);
    expect(await auditEvents(tenant.admin, 'type=SummaryGenerated')).toHaveLength(2);
  });
});

describe('erasure', () => {
  it('[F6] no sentence of an erased memory survives in a summary, of today or before', async () => {
    const { tenant, member, ids } = await tenantWithTeam();
    const { admin } = tenant;
    await refreshed(member, team);
    await refreshed(member, team);
    const generated = await auditEvents(admin, 'type=SummaryGenerated');
    expect(JSON.stringify(generated)).toContain('restored from production');
    const erased = await admin.delete(`/v1/memories/${ids[4]}?mode=erase`, { 'if-match': '*' });
    expect(erased.status).toBe(200);
    const { position } = erased.body;
    const left = await list(member, { minPosition: position });
    expect(JSON.stringify(left)).not.toContain('restored from production');
    const events = await auditEvents(admin, '', position);
    expect(JSON.stringify(events)).not.toContain('restored from production');
    await expect
      .poll(() => auditEvents(admin, 'type=SummaryInvalidated'), { timeout: 20_000 })
      .toMatchObject([{ data: { ...team, reason: 'erased', memoryId: ids[4] } }]);
    const [, , detailed] = await refreshed(member, team);
    expect(detailed!.sources).toHaveLength(notes.length - 1);
    expect(detailed!.content).not.toContain('restored from production');
  });
});
