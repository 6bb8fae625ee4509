import { afterAll, describe, expect, it } from 'vitest';
import { clientOf, clientWithKey, type Client, type Json } from '../support/api.ts';
import { record } from '../support/attempts.ts';
import { auditEvents } from '../support/events.ts';
import { fails, inputOf, says, type ChatRequest } from '../support/scripted-language-model.ts';
import { json } from '../support/scripted-endpoint.ts';
import { scriptedEmbeddings } from '../support/scripted-embeddings.ts';
import { startServer } from '../support/server.ts';
import { askedIn, useSummarizingServer } from '../support/summarizing-server.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';

const endpoint = await scriptedEmbeddings(32);
afterAll(() => endpoint.close());
const registered = [{ id: 'remote', dimension: 32, baseURL: endpoint.baseURL, model: 'tiny' }];
const { llm, server } = await useSummarizingServer({
  STRATALOG_EMBEDDING_MODELS: JSON.stringify(registered),
  STRATALOG_LLM_SPACE_MODELS: 'gpt-4o-nano, gpt-5',
  STRATALOG_SUMMARIES: 'model',
});

const bge = 'bge-small-en-v1.5';
const e5 = 'multilingual-e5-small';
const within = { timeout: 60_000, interval: 200 };
/** Shares no word that counts with its question: only a model of meaning finds it. */
const meant = 'She must not be given penicillin: it caused a rash in 2019.';
const question = 'allergies of the patient';
const others = [1, 2, 3, 4].map((n) => `The pump of hall ${n} was serviced on Monday.`);

async function tenantWith(spaces: Record<string, object>): Promise<Tenant> {
  const tenant = await newTenant(server);
  for (const [id, config] of Object.entries(spaces)) await configure(tenant.admin, id, config);
  return tenant;
}

async function configure(admin: Client, id: string, config: object): Promise<Json> {
  const reply = await admin.put(`/v1/spaces/${id}`, config);
  expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
  return reply.body.space;
}

/** Waits until the memories of a space have their vectors. */
async function ready(admin: Client, space: string, minPosition: string): Promise<void> {
  const stats = async () => (await admin.get(`/v1/spaces/${space}/stats?minPosition=${minPosition}`)).body;
  await expect.poll(async () => (await stats()).embedding?.waiting, within).toBe(0);
}

async function search(client: Client, query: string, more: object = {}): Promise<Json> {
  const request = { query, threshold: 0, order: 'relevance', topK: 20, waitMs: 30_000, ...more };
  const reply = await client.post('/v1/search', request);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.body;
}

const contentsOf = ({ results }: Json): string[] => results.map(({ memory }: Json) => memory.content);

describe('[H4] the embedding model of a space', () => {
  it('is one of the server, whose models say which are in use; a preset keeps what the server lacks', async () => {
    const { admin } = await tenantWith({ mine: { embeddingModel: bge } });
    const { items } = (await admin.get('/v1/models')).body;
    expect(
      items.filter(({ inUse, kind }: Json) => inUse && kind === 'embedding').map(({ id }: Json) => id),
    ).toEqual([bge, 'deterministic-words-384']);
    const wrong = await admin.put('/v1/spaces/other', { embeddingModel: 'ada-3' });
    expect(wrong.body).toMatchObject({ status: 400, errors: [{ path: 'embeddingModel' }] });
    expect(wrong.body.errors[0].message).toMatch(/bge-small-en-v1\.5.*remote/);
    const absent = await admin.put('/v1/spaces/other', { embeddingModel: 'e5-small-v2' });
    expect(absent.body).toMatchObject({
      status: 400,
      errors: [{ path: 'embeddingModel', message: /cannot be loaded/ }],
    });
    const patched = await admin.patch('/v1/spaces/mine', { llmModel: 'gpt-9' });
    expect(patched.body).toMatchObject({ status: 400, errors: [{ path: 'llmModel' }] });
    expect(patched.body.errors[0].message).toMatch(/gpt-4o, gpt-4o-mini, gpt-4o-nano, gpt-5/);
    const preset = await configure(admin, 'papers', { preset: 'research' });
    expect(preset.missingModels).toEqual(['embeddingModel', 'llmModel']);
    const { id: _, configured, revision, usage, updatedAt, missingModels, ...config } = preset;
    expect((await configure(admin, 'papers', { ...config, retentionDays: 9 })).retentionDays).toBe(9);
    expect((await search(admin, question)).warnings).toEqual([]);
  });

  it('makes the vectors of its memories: they are found by meaning, once, in one list with all others', async () => {
    const { admin } = await tenantWith({ ward: { embeddingModel: bge }, files: { embeddingModel: e5 } });
    const lines = await admin.bulk([
      { content: meant, spaces: ['ward', 'files'] },
      ...others.map((content) => ({ content, spaces: ['ward'] })),
      { content: 'The patient was moved to room 7.' },
      { content: 'Peanuts make him sneeze.', spaces: ['plain'] },
    ]);
    const { position } = lines.at(-1)!;
    await ready(admin, 'ward', position);
    await ready(admin, 'files', position);
    const contents = contentsOf(await search(admin, question));
    expect(contents.slice(0, 2).sort()).toEqual([meant, 'The patient was moved to room 7.']);
    expect(contents.filter((content) => content === meant)).toHaveLength(1);
    expect(contentsOf(await search(admin, question, { spaces: ['files'] }))).toEqual([meant]);
    // A space without a model is compared by the model of the server.
    const [only] = (await search(admin, 'peanuts', { spaces: ['plain'] })).results;
    expect(only.memory.content).toBe('Peanuts make him sneeze.');
    const context = (await admin.post('/v1/context', { query: question, tokenBudget: 500 })).body;
    expect(JSON.stringify(context)).toContain('penicillin');
  });

  it('changes without a gap, and follows memories that change, leave the space, and are erased', async () => {
    const { admin } = await tenantWith({ ward: {} });
    const stored = await admin.store({ content: meant, spaces: ['ward'] });
    await admin.bulk(others.map((content) => ({ content, spaces: ['ward'] })));
    const relevance = async (): Promise<number> => {
      const { results } = await search(admin, question);
      return results.find(({ memory }: Json) => memory.id === stored.memory.id)?.relevance;
    };
    const byWords = await relevance();
    await configure(admin, 'ward', { embeddingModel: bge });
    // Searches go on meanwhile.
    await expect.poll(relevance, within).toBeGreaterThan(byWords * 2);
    await configure(admin, 'ward', { embeddingModel: e5 });
    expect(await relevance()).toBeGreaterThanOrEqual(byWords);
    await ready(admin, 'ward', stored.position);
    const path = `/v1/memories/${stored.memory.id}`;
    const moved = await admin.patch(path, { spaces: [] }, { 'if-match': '*' });
    await expect.poll(relevance, within).toBeCloseTo(byWords, 6);
    expect(moved.status).toBe(200);
    const back = await admin.patch(
      path,
      { spaces: ['ward'], content: 'Antibiotics such as amoxicillin made her ill.' },
      { 'if-match': '*' },
    );
    await ready(admin, 'ward', back.body.position);
    const held = async (): Promise<Json> => (await admin.get(`${path}/surfaces`)).body.items;
    const vectors = async () => (await held()).find(({ name }: Json) => name === 'vectors').count;
    expect(await vectors()).toBeGreaterThanOrEqual(3);
    expect((await admin.delete(`${path}?mode=erase`)).status).toBeLessThan(300);
    await expect.poll(vectors, within).toBe(0);
  });

  it('survives a rebuild of the read model, whose digest is the same', async () => {
    const { admin, id } = await tenantWith({ ward: { embeddingModel: bge } });
    const { position } = await admin.store({ content: meant, spaces: ['ward'] });
    await ready(admin, 'ward', position);
    const before = (await search(admin, question)).results[0].relevance;
    const operator = await clientWithKey(server, { tenant: id, role: 'operator' });
    const rebuilt = await operator.post('/v1/admin/projections/vectors/rebuild', {});
    expect(rebuilt.status, JSON.stringify(rebuilt.body)).toBe(202);
    const own = async (): Promise<Json> =>
      (await operator.get('/v1/admin/projections')).body.items.find(({ name }: Json) => name === 'vectors');
    const generation = async (): Promise<Json> =>
      (await own()).generations.find((one: Json) => one.generation === rebuilt.body.generation);
    await expect.poll(async () => (await generation())?.state, within).toBe('ready');
    expect((await generation()).equal).toBe(true);
    expect((await operator.post('/v1/admin/projections/vectors/switch', {})).status).toBe(202);
    await expect.poll(async () => (await generation()).active, within).toBe(true);
    expect((await search(admin, question)).results[0].relevance).toBe(before);
    await ready(admin, 'ward', position);
  });
});

describe('[H1] the language model of a space', () => {
  it('writes the lessons of its attempts, and the summaries of memories that are all in it', async () => {
    const { admin, key } = await tenantWith({ crm: { llmModel: 'gpt-4o-nano' } });
    llm.otherwise(
      says((request: ChatRequest) => {
        if ('attempts' in inputOf(request))
          return {
            title: { text: 'Narrow filters', attempts: [2] },
            description: { text: 'A narrow filter worked.', attempts: [2] },
            do: [],
            avoid: [],
          };
        return {
          summaries: askedIn(request).map(({ number, lengths, memories }) => ({
            number,
            texts: Object.keys(lengths).map((depth) => ({
              depth,
              sentences: memories.map((memory) => ({ text: memory.text, sources: [memory.number] })),
            })),
          })),
        };
      }),
    );
    const asked = (key: string) =>
      llm.requests.filter((request) => key in inputOf(request)).map(({ model }) => model);
    const user = await key({ user: 'mia' });
    await record(user, { space: 'crm', approach: 'broad search', outcome: 'failure' });
    await record(user, { space: 'crm' });
    await expect.poll(() => asked('attempts'), within).toContain('gpt-4o-nano');
    const team = { layer: 'team', scope: { team: 'sales' } };
    await admin.bulk(others.map((content) => ({ ...team, content, spaces: ['crm'] })));
    await admin.post('/v1/summaries/refresh', team);
    await expect.poll(() => asked('summaries'), within).toContain('gpt-4o-nano');
    llm.requests.length = 0;
    await admin.store({ ...team, content: 'The contract of Acme ends in May.' });
    await admin.post('/v1/summaries/refresh', team);
    await expect.poll(async () => asked('summaries').at(-1), within).toBe('gpt-4o');
    await expect
      .poll(
        async () => (await auditEvents(admin, 'type=SummaryGenerated')).map(({ data }) => data.model),
        within,
      )
      .toEqual(expect.arrayContaining(['gpt-4o-nano', 'gpt-4o']));
    llm.otherwise(fails(400));
  });
});

describe('[H4] a model of a space that does not answer', () => {
  it('leaves its memories to the model of the server, and says so; without it a server starts and shows it', async () => {
    const { admin } = await tenantWith({
      ward: { embeddingModel: 'remote' },
      local: { embeddingModel: bge },
    });
    const { position } = await admin.store({ content: meant, spaces: ['ward'] });
    await ready(admin, 'ward', position);
    endpoint.always((_, response) => json(response, 400, { error: { message: 'no such deployment' } }));
    // It keeps no other model waiting.
    const both = await admin.store({ content: others[0]!, spaces: ['ward', 'local'] });
    await ready(admin, 'local', both.position);
    const found = await search(admin, 'penicillin rash');
    expect(contentsOf(found)[0]).toBe(meant);
    expect(found.warnings).toMatchObject([{ code: 'partial', detail: /remote/ }]);
    await server.stop();
    const { STRATALOG_EMBEDDING_MODELS: _, ...environment } = server.environment;
    const second = await startServer({ dataDir: server.dataDir, environment });
    try {
      const same = clientOf(second, admin.key);
      expect((await same.get('/v1/spaces/ward')).body.missingModels).toEqual(['embeddingModel']);
      const { results, warnings } = await search(same, 'penicillin rash');
      expect([results[0].memory.content, warnings]).toEqual([meant, []]);
    } finally {
      await second.stop();
    }
  });
});
