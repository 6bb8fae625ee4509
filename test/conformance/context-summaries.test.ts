import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { auditEvents } from '../support/events.ts';
import { expectInvalid } from '../support/problem.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer();

const within = { timeout: 30_000, interval: 200 };
const team = { layer: 'team', scope: { team: 'search' } };
const notes = [
  'Releases of the search service are cut on Mondays after the smoke tests have passed.',
  'The release manager of the search service announces each release in the channel.',
  'A release of the search service needs two approvals.',
  'Rollbacks of the search service take ten minutes and need no approval.',
];
const question = 'How are releases of the search service made?';

async function contextOf(client: Client, body: Record<string, unknown>): Promise<Json> {
  const reply = await client.post('/v1/context', {
    query: question,
    tokenBudget: 1_000,
    waitMs: 30_000,
    ...body,
  });
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  const { text, tokenCount, items } = reply.body;
  expect(tokenCount).toBe(countTokens(text));
  for (const item of items) expect(text).toContain(item.text);
  return reply.body;
}

/** Has the summaries of a scope made, and waits until the client can read them. */
async function summarize(client: Client, scope: { layer: string; scope?: object }): Promise<void> {
  const reply = await client.post('/v1/summaries/refresh', scope);
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 202 });
  const { layer, position } = reply.body;
  await vi.waitFor(async () => {
    const path = `/v1/summaries?layer=${layer}&minPosition=${position}&waitMs=20000`;
    const { items } = (await client.get(path)).body;
    expect(items.some(({ freshness }: Json) => !freshness.stale)).toBe(true);
  }, within);
}

const codesOf = ({ warnings }: Json): string[] => warnings.map(({ code }: Json) => code);

const ofKind = ({ items }: Json, kind: string): Json[] => items.filter((item: Json) => item.kind === kind);

describe('summaries in contexts', () => {
  let tenant: Tenant;
  let member: Client;
  let ids: string[];

  beforeAll(async () => {
    tenant = await newTenant(server);
    member = await tenant.key({ user: 'mia', teams: ['search'] });
    ids = (await member.bulk(notes.map((content) => ({ ...team, content })))).map(({ id }) => id);
    await tenant.admin.store({ layer: 'company', content: 'The canteen serves lentil soup on Fridays.' });
    await summarize(member, team);
    await summarize(tenant.admin, { layer: 'company' });
  });

  it('[E8] [E4] Get all summaries for context: those of the layers that matter, with tokens and sources', async () => {
    // No memory reaches this threshold, so that the summary has everything to say.
    const context = await contextOf(member, { threshold: 1 });
    expect(context.items).toMatchObject([{ kind: 'summary', layer: 'team' }]);
    const [summary] = context.items;
    expect(context.text).toContain(`Summaries:\n[1] (team search) ${summary.text}`);
    expect(summary.sources.map(({ id }: Json) => id).sort()).toEqual([...ids].sort());
    expect(summary.tokens).toBeLessThanOrEqual(context.tokenCount);
    expect(context.text).not.toContain('lentil');
  });

  it('[E5] Query relevant layers by vector: another question has another summary, and one without an answer none', async () => {
    const soup = await contextOf(member, { query: 'Which soup does the canteen serve?', threshold: 1 });
    expect(soup.items).toMatchObject([{ kind: 'summary', layer: 'company' }]);
    const none = await contextOf(member, { query: 'What is the melting point of lead?' });
    expect(none).toMatchObject({ text: '', items: [] });
  });

  it('[E8] repeat no memory of the context', async () => {
    const context = await contextOf(member, { threshold: 0 });
    const quoted = context.items.filter(({ kind }: Json) => kind !== 'summary').map(({ id }: Json) => id);
    for (const { sources } of ofKind(context, 'summary'))
      for (const { id } of sources) expect(quoted).not.toContain(id);
    const tight = await contextOf(member, { threshold: 0, tokenBudget: 40 });
    expect(ofKind(tight, 'summary')).toEqual([]);
  });

  it('[E8] [C12] a memory that was judged inaccurate says so', async () => {
    const other = await tenant.key({ user: 'eve', teams: ['valves'] });
    const content = 'The gas valve is behind the boiler.';
    const { memory } = await other.store({ layer: 'team', scope: { team: 'valves' }, content });
    const judged = await other.post(`/v1/memories/${memory.id}/feedback`, { kind: 'inaccurate' });
    const { position: minPosition } = judged.body;
    const query = 'Where is the gas valve?';
    const { text } = await contextOf(other, { query, threshold: 0, minPosition });
    expect(text).toContain(`(judged inaccurate) ${content}`);
  });

  it('[E8] [D1] are shown to those who see the scope, and keep to layers, scope, spaces and asOf', async () => {
    const stranger = await tenant.key({ user: 'tom', teams: ['other'] });
    const summariesFor = async (client: Client, body: Record<string, unknown> = {}) =>
      ofKind(await contextOf(client, { threshold: 1, ...body }), 'summary').length;
    expect(await summariesFor(member)).toBe(1);
    expect(await summariesFor(stranger)).toBe(0);
    expect(await summariesFor(stranger, { scope: { team: 'search' } })).toBe(0);
    expect(await summariesFor(member, { layers: ['user'] })).toBe(0);
    expect(await summariesFor(member, { scope: { team: 'search' } })).toBe(1);
    expect(await summariesFor(member, { spaces: ['notes'] })).toBe(0);
    const { position } = (await member.get('/v1/summaries')).body;
    expect(await summariesFor(member, { asOf: position })).toBe(1);
    expect(await summariesFor(stranger, { asOf: position })).toBe(0);
  });

  it('[E8] [A9] [F1] are in the event of the context, and no access of their sources', async () => {
    const { searchId, items } = await contextOf(member, { threshold: 1 });
    await expect
      .poll(
        async () =>
          (await auditEvents(tenant.admin, 'type=ContextAssembled')).find(
            ({ data }) => data.searchId === searchId,
          )?.data,
        within,
      )
      .toMatchObject({
        items: [],
        blocks: [
          {
            kind: 'summary',
            ...team,
            tokens: items[0].tokens,
            sources: items[0].sources.map(({ id }: Json) => id),
            stale: false,
          },
        ],
      });
    const accessed = await auditEvents(tenant.admin, 'type=MemoriesAccessed');
    expect(accessed.filter(({ data }) => data.searchId === searchId)).toEqual([]);
  });

  it('[E8] any budget: none, one token, and more than everything', async () => {
    const answer = await member.post('/v1/context', { query: question, tokenBudget: 0 });
    expectInvalid(answer, 'tokenBudget');
    expect(await contextOf(member, { threshold: 1, tokenBudget: 1 })).toMatchObject({ text: '', items: [] });
    expect((await contextOf(member, { threshold: 1, tokenBudget: 1e9 })).items).toHaveLength(1);
  });

  it('[E6] Staleness check on retrieval', async () => {
    const own = await newTenant(server);
    const { admin } = own;
    const stored = await admin.bulk(notes.map((content) => ({ ...team, content })));
    await summarize(admin, team);
    const fresh = await contextOf(admin, { threshold: 1 });
    expect(fresh.items).toMatchObject([{ kind: 'summary' }]);
    expect(codesOf(fresh)).not.toContain('stale-summary');
    const { position } = await admin.store({
      ...team,
      content: 'Releases of the search service are signed.',
    });
    const stale = await contextOf(admin, { threshold: 1, minPosition: position });
    expect(stale.items[0].text).toBe(fresh.items[0].text);
    expect(stale.warnings).toContainEqual({
      code: 'stale-summary',
      detail: expect.stringContaining('team search'),
    });
    const deleted = await admin.delete(`/v1/memories/${stored[0]!.id}`);
    const after = await contextOf(admin, { threshold: 1, minPosition: deleted.body.position });
    expect(after.text).not.toContain(notes[0]);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toMatch(
      /memory_summary_retrievals_total\{[^}]*layer="team"[^}]*cache_hit="false"[^}]*\} [1-9]/,
    );
  });
});

describe('the summary of a session', () => {
  it('[E3] [E8] is made on the first context of the session, once, and the next one has it', async () => {
    const tenant = await newTenant(server);
    const [mia, tom] = [await tenant.key({ user: 'mia' }), await tenant.key({ user: 'tom' })];
    const subjects = [
      'the gateway',
      'the canteen',
      'the harbour',
      'the archive',
      'the workshop',
      'the garden',
    ];
    const lines = await mia.bulk(
      subjects.map((subject, n) => ({
        layer: 'session',
        scope: { session: 's1' },
        content: `user: Remark ${n} of this morning is about the opening hours of ${subject}.`,
      })),
    );
    const asked = {
      query: 'What is the melting point of lead?',
      tokenBudget: 200,
      sessionId: 's1',
      minPosition: lines.at(-1)!.position,
    };
    const first = await contextOf(mia, asked);
    expect(ofKind(first, 'turn').length).toBeGreaterThan(0);
    expect(ofKind(first, 'summary')).toEqual([]);
    await Promise.all([contextOf(mia, asked), contextOf(mia, asked), contextOf(tom, asked)]);
    const next = await vi.waitFor(async () => {
      const context = await contextOf(mia, asked);
      expect(ofKind(context, 'summary')).toHaveLength(1);
      return context;
    }, within);
    const [summary] = ofKind(next, 'summary');
    expect(summary).toMatchObject({ layer: 'session', citation: expect.stringContaining('session s1') });
    const turns = ofKind(next, 'turn').map(({ id }) => id);
    for (const { id } of summary!.sources) expect(turns).not.toContain(id);
    await contextOf(mia, asked);
    const events = await auditEvents(tenant.admin, 'type=SummaryRequested&type=SummaryGenerated');
    expect(events.map(({ type, actor, data }) => [type, actor, data.trigger])).toEqual([
      ['SummaryRequested', 'system', undefined],
      ['SummaryGenerated', 'system', 'context'],
    ]);
    expect(events[0]!.data.scope).toEqual({ session: 's1', user: 'mia' });
    expect(ofKind(await contextOf(tom, asked), 'summary')).toEqual([]);
  });
});

describe('a profile in contexts', () => {
  it('[E8] says what is stably true of the user, without a question that matches', async () => {
    const tenant = await newTenant(server);
    const [mia, tom] = [await tenant.key({ user: 'mia' }), await tenant.key({ user: 'tom' })];
    const lines = await mia.bulk([
      { layer: 'user', content: 'Mia prefers short answers with an example.', externalId: 'style' },
      { layer: 'user', content: 'Mia lives in Oslo and works from home on Mondays.' },
      { layer: 'user', content: 'Mia sees the dentist tomorrow at nine.' },
      { layer: 'user', content: 'Mia is left-handed.', externalId: 'hand' },
      { layer: 'user', content: 'The nursery rota: Mia on Mondays, Tom on Tuesdays.' },
      { layer: 'user', content: 'The spare key of the cellar hangs behind the boiler.' },
      { layer: 'session', scope: { session: 's1' }, content: 'Mia asked for the time.' },
    ]);
    await tom.store({ layer: 'user', content: 'Tom prefers long answers.' });
    const judged = await mia.post(`/v1/memories/${lines[3]!.id}/feedback`, { kind: 'inaccurate' });
    const asked = { query: 'What is the melting point of lead?', minPosition: judged.body.position };
    const context = await contextOf(mia, { ...asked, profile: true });
    expect(context.items).toMatchObject([
      { kind: 'profile', layer: 'user', citation: '[1] profile of user mia, from 2 memories' },
    ]);
    expect(context.text).toMatch(/^About the user:\n\[1\] /);
    expect(context.text).toContain('short answers');
    expect(context.text).toContain('Oslo');
    expect(context.text).not.toMatch(/dentist|left-handed|rota|spare key/);
    expect(context.items[0].sources).toContainEqual({ id: lines[0]!.id, externalId: 'style' });
    expect(context.tokenCount).toBeLessThanOrEqual(200);
    expect((await contextOf(mia, { ...asked, profile: true })).text).toBe(context.text);
    expect((await contextOf(mia, asked)).items).toEqual([]);
    expect((await contextOf(mia, { ...asked, profile: true, layers: ['team'] })).items).toEqual([]);
    // The profile of another user, and of nobody.
    expect((await contextOf(tom, { ...asked, profile: true, scope: { user: 'mia' } })).items).toEqual([]);
    expect((await contextOf(tenant.admin, { ...asked, profile: true })).items).toEqual([]);
    const ofSpaces = { query: question, tokenBudget: 400, profile: true, spaces: ['notes'] };
    expectInvalid(await mia.post('/v1/context', ofSpaces), 'profile');
  });
});
