import { describe, expect, it, vi } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { auditEvents } from '../support/events.ts';
import { newTenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

/** The stored memory, with the position of its store. */
async function store(client: Client, memory: object): Promise<Json> {
  const { memory: stored, position } = await client.store({
    layer: 'team',
    scope: { team: 'red' },
    ...memory,
  });
  return { ...stored, position };
}

async function search(client: Client, query: string, more: object = {}): Promise<Json> {
  const reply = await client.post('/v1/search', { query, threshold: 0, waitMs: 30_000, ...more });
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  return reply.body;
}

/** What the log says of the results of a search, by memory id. */
async function recordedResults(client: Client, searchId: string): Promise<Map<string, Json>> {
  return vi.waitFor(
    async () => {
      const performed = await auditEvents(client, 'type=SearchPerformed');
      const { data } = performed.find((one) => one.data.searchId === searchId)!;
      return new Map(data.results.map((result: Json) => [result.memoryId, result]));
    },
    { timeout: 10_000, interval: 50 },
  );
}

describe('[H1] temporalDecayRate', () => {
  const old = { content: 'The build cache lives on the fast disk', occurredAt: daysAgo(400) };
  const recent = { content: 'The build cache lives on the network share', occurredAt: daysAgo(1) };

  it('lowers what is old by what the search records, and changes nothing at 0', async () => {
    const { admin } = await newTenant(server);
    const { id } = await store(admin, { ...old, spaces: ['dev'] });
    const { position: minPosition } = await store(admin, { ...recent, spaces: ['dev'] });
    const logOdds = async () => {
      const { searchId } = await search(admin, 'Where does the build cache live?', { minPosition });
      const { relevance, decay = 0 } = (await recordedResults(admin, searchId)).get(id)!;
      return { decay, total: Math.log(relevance / (1 - relevance)) };
    };
    const plain = await logOdds();
    expect(plain.decay).toBe(0);
    await admin.put('/v1/spaces/dev', { temporalDecayRate: 0.8 });
    const decayed = await logOdds();
    expect(decayed.decay).toBeCloseTo(-0.97, 2);
    expect(decayed.total - plain.total).toBeCloseTo(decayed.decay, 3);
  });

  it('leaves memories of other spaces, and those also in a space without a decay', async () => {
    const { admin } = await newTenant(server);
    await admin.put('/v1/spaces/dev', { temporalDecayRate: 1 });
    await store(admin, { ...old, spaces: ['notes'] });
    const { position: minPosition } = await store(admin, {
      ...old,
      content: 'The build cache lives on the slow disk',
      spaces: ['notes', 'dev'],
    });
    const { searchId } = await search(admin, 'Where does the build cache live?', { minPosition });
    const results = [...(await recordedResults(admin, searchId)).values()];
    expect(results).toHaveLength(2);
    for (const result of results) expect(result).not.toHaveProperty('decay');
  });
});

describe('[H1] versionTracking', () => {
  const limits = (version: string, elements: string) => ({
    content: `A flow may run ${elements} elements in one interview`,
    metadata: { sf_version: version, source_title: `Flow limits ${version}` },
    spaces: ['sf'],
  });
  const question = 'How many elements may a flow run in one interview?';

  it('places the newest version first, whatever was stored first, unless the question names one', async () => {
    const { admin } = await newTenant(server);
    const newest = await store(admin, limits('Winter_25', 'ten thousand'));
    const older = await store(admin, limits('Summer_24', 'two thousand'));
    const { position: minPosition } = older;
    const first = async (query: string) => (await search(admin, query, { minPosition })).results[0].memory.id;
    expect(await first(question)).toBe(older.id);
    await admin.put('/v1/spaces/sf', { preset: 'salesforce' });
    expect(await first(question)).toBe(newest.id);
    expect(await first(`${question} (Summer 24)`)).toBe(older.id);
  });
});

describe('[H1] citationTracking', () => {
  const paper = {
    content: 'Attention is all you need: a network of attention alone translates best',
    metadata: { arxiv_id: '1706.03762' },
    spaces: ['papers'],
  };
  const survey = { content: 'A survey of attention, after arXiv:1706.03762 and KB-17', spaces: ['papers'] };

  const citing = async (client: Client, id: string): Promise<Json[]> =>
    (await client.get(`/v1/memories/${id}/related?types=cites`)).body.items;
  const untilCited = (client: Client, id: string, times: number) =>
    vi.waitFor(async () => expect(await citing(client, id)).toHaveLength(times), {
      timeout: 20_000,
      interval: 100,
    });

  it('links a text to what it refers to, whichever was stored first, and says how often a memory is cited', async () => {
    const { admin } = await newTenant(server);
    await admin.put('/v1/spaces/papers', { citationTracking: true });
    const early = await store(admin, survey);
    const cited = await store(admin, paper);
    const late = await store(admin, {
      content: 'See https://arxiv.org/abs/1706.03762v7',
      spaces: ['papers'],
    });
    const page = await store(admin, {
      content: 'How to reset the pump',
      externalId: 'KB-17',
      spaces: ['papers'],
    });
    await untilCited(admin, cited.id, 2);
    await untilCited(admin, page.id, 1);
    const links = await citing(admin, cited.id);
    expect(links.map(({ memory, direction }) => [memory.id, direction]).sort()).toEqual(
      [early.id, late.id].map((id) => [id, 'incoming']).sort(),
    );
    expect((await admin.get(`/v1/memories/${cited.id}`)).body.citations).toBe(2);
    const filter = { citations: { gte: 2 } };
    const { results } = await search(admin, 'attention', { filter });
    expect(results.map(({ memory }: Json) => [memory.id, memory.citations])).toEqual([[cited.id, 2]]);
    const listed = await admin.get(`/v1/memories?filter=${encodeURIComponent(JSON.stringify(filter))}`);
    expect(listed.body.items.map(({ id }: Json) => id)).toEqual([cited.id]);
  });

  it('unlinks what a changed text no longer refers to', async () => {
    const { admin } = await newTenant(server);
    await admin.put('/v1/spaces/papers', { citationTracking: true });
    const cited = await store(admin, paper);
    const { id } = await store(admin, survey);
    await untilCited(admin, cited.id, 1);
    const patched = await admin.patch(
      `/v1/memories/${id}`,
      { content: 'A survey of attention' },
      { 'if-match': '*' },
    );
    expect(patched.status).toBe(200);
    await untilCited(admin, cited.id, 0);
    expect((await admin.get(`/v1/memories/${cited.id}`)).body).not.toHaveProperty('citations');
  });

  it('counts only what the caller sees, and links nothing that nobody may see together', async () => {
    const tenant = await newTenant(server);
    const { admin } = tenant;
    await admin.put('/v1/spaces/papers', { citationTracking: true });
    const [red, blue] = await Promise.all(
      ['red', 'blue'].map((team) => tenant.key({ user: team, teams: [team] })),
    );
    const { memory: shared } = await admin.store({ ...paper, layer: 'company' });
    await red!.store({ ...survey, layer: 'team', scope: { team: 'red' } });
    const own = await red!.store({
      content: 'The pump manual',
      externalId: 'KB-17',
      layer: 'user',
      spaces: ['papers'],
    });
    await blue!.store({
      ...survey,
      layer: 'team',
      scope: { team: 'blue' },
      content: 'Read arXiv:1706.03762',
    });
    await untilCited(admin, shared.id, 2);
    await untilCited(red!, own.memory.id, 1);
    expect(await citing(red!, shared.id)).toHaveLength(1);
    expect((await red!.get(`/v1/memories/${shared.id}`)).body.citations).toBe(1);
    expect((await blue!.get(`/v1/memories/${shared.id}`)).body.citations).toBe(1);
    expect((await admin.get(`/v1/memories/${shared.id}`)).body.citations).toBe(2);
  });

  it('does nothing in other spaces', async () => {
    const { admin } = await newTenant(server);
    await admin.put('/v1/spaces/papers', { citationTracking: true });
    const { id } = await store(admin, { ...paper, spaces: ['notes'] });
    const tracked = await store(admin, { ...paper, content: 'Attention, once more', spaces: ['papers'] });
    await store(admin, { ...survey, spaces: ['notes'] });
    await store(admin, { content: 'Also after arXiv:1706.03762', spaces: ['papers'] });
    await untilCited(admin, tracked.id, 1);
    expect(await citing(admin, id)).toEqual([]);
  });
});
