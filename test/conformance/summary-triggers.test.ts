import { describe, expect, it } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { auditEvents } from '../support/events.ts';
import { expectInvalid, expectProblem } from '../support/problem.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer({
  because: 'summaries are made within seconds of a change',
  environment: { STRATALOG_SUMMARY_WINDOW: '4', STRATALOG_EMBEDDER: 'deterministic' },
});

const team = { layer: 'team', scope: { team: 'search' } };
const note = (n: number) => ({
  ...team,
  content: `Release ${n} of the search service changed setting number ${n * 7}.`,
});
const within = { timeout: 30_000, interval: 200 };

interface Setting {
  readonly tenant: Tenant;
  readonly admin: Client;
}

async function configured(settings: Record<string, unknown>): Promise<Setting> {
  const tenant = await newTenant(server);
  const reply = await tenant.admin.put('/v1/admin/summaries/team', {
    depths: ['sentence', 'paragraph', 'detailed'],
    skipIfUnchanged: true,
    ...settings,
  });
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  return { tenant, admin: tenant.admin };
}

const generatedIn = async (admin: Client): Promise<Json[]> =>
  (await auditEvents(admin, 'type=SummaryGenerated')).map(({ data }) => data);

async function detailed(admin: Client): Promise<Json> {
  return (await admin.get('/v1/summaries?layer=team&scope.team=search&depth=detailed')).body;
}

describe.concurrent('Summary Configuration', () => {
  it('[E3] Configure change-based update', async ({ expect }) => {
    const { admin } = await configured({ updateOnChanges: 5 });
    const billing = { layer: 'team', scope: { team: 'billing' } };
    await admin.bulk([1, 2, 3, 4].map(note));
    await admin.bulk([1, 2, 3, 4, 5].map((n) => ({ ...note(n), ...billing })));
    // Four changes would have been summed up by now, as these five are.
    await expect.poll(() => generatedIn(admin), within).toMatchObject([{ ...billing, trigger: 'changes' }]);
    await admin.store(note(5));
    await expect
      .poll(() => generatedIn(admin), within)
      .toMatchObject([billing, { ...team, trigger: 'changes', memories: 5 }]);
    await expect
      .poll(async () => (await detailed(admin)).summary, within)
      .toMatchObject({ trigger: 'changes', freshness: { stale: false } });
  });

  it('[E3] a burst of changes makes summaries once in a window', async ({ expect }) => {
    const { admin } = await configured({ updateOnChanges: 5 });
    const before = Date.now();
    for (let from = 0; from < 1_000; from += 500)
      await admin.bulk(Array.from({ length: 500 }, (_, n) => note(from + n)));
    await expect.poll(async () => (await generatedIn(admin)).at(-1)?.memories, within).toBe(1_000);
    const windows = (Date.now() - before) / 4_000;
    expect((await generatedIn(admin)).length).toBeLessThanOrEqual(Math.ceil(windows) + 1);
  });

  it('[E3] Configure summary depths', async ({ expect }) => {
    const { admin } = await configured({ depths: ['detailed', 'sentence'] });
    await admin.store(note(1));
    await admin.post('/v1/summaries/refresh', team);
    await expect
      .poll(async () => (await admin.get('/v1/summaries')).body.items.map(({ depth }: Json) => depth), within)
      .toEqual(['sentence', 'detailed']);
  });

  it('[E3] is for operators and admins, and replaces all settings of the layer', async ({ expect }) => {
    const { tenant, admin } = await configured({ updateOnChanges: 5 });
    expect((await admin.get('/v1/admin/summaries/team')).body.settings).toEqual({
      depths: ['sentence', 'paragraph', 'detailed'],
      skipIfUnchanged: true,
      updateOnChanges: 5,
    });
    expect((await admin.get('/v1/admin/summaries/org')).body.settings).toMatchObject({
      updateOnChanges: 20,
      updateIntervalSeconds: 604_800,
    });
    const member = await tenant.key({ user: 'mia' });
    expectProblem(
      await member.put('/v1/admin/summaries/team', { depths: ['sentence'], skipIfUnchanged: true }),
      403,
      'forbidden',
    );
    expectProblem(await member.get('/v1/admin/summaries/team'), 403, 'forbidden');
    const put = (body: unknown) => admin.put('/v1/admin/summaries/team', body);
    expectInvalid(await put({ depths: [], skipIfUnchanged: true }), 'depths');
    expectInvalid(await put({ depths: ['sentence', 'sentence'], skipIfUnchanged: true }), 'depths');
    expectInvalid(await put({ depths: ['sentence'] }), 'skipIfUnchanged');
    expectInvalid(
      await put({ depths: ['sentence'], skipIfUnchanged: true, updateIntervalSeconds: 1 }),
      'updateIntervalSeconds',
    );
    expectInvalid(
      await admin.put('/v1/admin/summaries/galaxy', { depths: ['sentence'], skipIfUnchanged: true }),
      'layer',
    );
    await expect
      .poll(
        async () => (await auditEvents(admin, 'type=SummaryConfigured')).map(({ data }) => data.layer),
        within,
      )
      .toEqual(['team']);
  });
});

describe.concurrent('Summary Staleness Validation', () => {
  it('[E6] Immediate invalidation on significant change', async ({ expect }) => {
    const { admin } = await configured({});
    const notes = [
      'The gateway caches tokens for ten minutes.',
      'Releases are cut on Mondays.',
      'Incidents are reviewed on Thursdays.',
    ];
    const [deleted, replaced] = (await admin.bulk(notes.map((content) => ({ ...team, content })))).map(
      ({ id }) => id,
    );
    await admin.post('/v1/summaries/refresh', team);
    await expect.poll(async () => (await detailed(admin)).summary?.sources.length, within).toBe(3);

    const { body } = await admin.delete(`/v1/memories/${deleted}`);
    const stale = (await admin.get(`/v1/summaries?layer=team&minPosition=${body.position}&waitMs=20000`))
      .body;
    if (stale.items[2].trigger === 'refresh') {
      expect(stale.items[2].content).toContain('ten minutes');
      expect(stale.items[2].freshness).toMatchObject({ stale: true, needsRegeneration: true });
      expect(stale.warnings).toMatchObject([{ code: 'stale-summary' }]);
    }
    await expect.poll(async () => (await detailed(admin)).summary.sources.length, within).toBe(2);
    expect((await detailed(admin)).summary).toMatchObject({
      trigger: 'invalidated',
      freshness: { stale: false },
    });
    await admin.patch(
      `/v1/memories/${replaced}`,
      { content: 'Nothing is as it was in the search service.' },
      { 'if-match': '*' },
    );
    await expect
      .poll(async () => (await detailed(admin)).summary.content, within)
      .toContain('Nothing is as it was');
    const events = await auditEvents(admin, 'type=SummaryInvalidated');
    expect(events.map(({ data }) => [data.reason, data.memoryId])).toEqual([
      ['deleted', deleted],
      ['replaced', replaced],
    ]);
  });

  it('[E6] the summaries of a scope whose last memory was deleted are gone', async ({ expect }) => {
    const { admin } = await configured({});
    const { memory } = await admin.store(note(1));
    await admin.post('/v1/summaries/refresh', team);
    await expect.poll(async () => (await detailed(admin)).summary?.depth, within).toBe('detailed');
    await admin.delete(`/v1/memories/${memory.id}`);
    await expect.poll(async () => (await detailed(admin)).summary, within).toBe(null);
  });
});

describe('Context Vector Storage', () => {
  it('[E5] Query relevant layers by vector', async () => {
    const { admin } = await configured({});
    await admin.store(note(1));
    await admin.store({ layer: 'company', content: 'The canteen serves soup and bread on Fridays.' });
    await admin.post('/v1/summaries/refresh', team);
    await admin.post('/v1/summaries/refresh', { layer: 'company' });
    const about = async (query: string): Promise<Json[]> =>
      (await admin.get(`/v1/summaries?${new URLSearchParams({ depth: 'detailed', query }).toString()}`)).body
        .items;
    await expect.poll(async () => (await about('soup')).length, within).toBe(2);
    const [ofTeam, ofCompany] = await about('The canteen serves soup and bread');
    expect(ofCompany!.relevance).toBeGreaterThan(ofTeam!.relevance);
    const [otherTeam, otherCompany] = await about('Release of the search service');
    expect(otherTeam!.relevance).toBeGreaterThan(otherCompany!.relevance);
    for (const { relevance } of await about('soup')) {
      expect(relevance).toBeGreaterThanOrEqual(0);
      expect(relevance).toBeLessThanOrEqual(1);
    }
    expectInvalid(await admin.get('/v1/summaries?query='), 'query');
  });
});

describe('Summary Observability', () => {
  it('[J6] Emit generation metrics, Emit retrieval metrics', async () => {
    const { admin } = await configured({});
    await admin.store(note(1));
    await admin.post('/v1/summaries/refresh', team);
    await expect.poll(async () => (await detailed(admin)).summary?.depth, within).toBe('detailed');
    const text = await (await fetch(`${server.url}/metrics`)).text();
    expect(text).toMatch(
      /memory_summary_generation_duration_ms_count\{[^}]*layer="team"[^}]*depth="sentence"/,
    );
    expect(text).toMatch(
      /memory_summary_generations_total\{[^}]*layer="team"[^}]*depth="detailed"[^}]*trigger="refresh"/,
    );
    expect(text).toMatch(/memory_summary_retrieval_latency_ms_count/);
    expect(text).toMatch(
      /memory_summary_retrievals_total\{[^}]*layer="team"[^}]*depth="detailed"[^}]*cache_hit="true"/,
    );
  });
});
