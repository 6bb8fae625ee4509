import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { stratalogAs } from '../support/cli.ts';
import { auditEvents } from '../support/events.ts';
import { scriptedEmbeddings, type ScriptedEmbeddings } from '../support/scripted-embeddings.ts';
import { startServer, type TestServer } from '../support/server.ts';

const words = 'deterministic-words-384';
const bge = 'bge-small-en-v1.5-int8-6c9c6101';
const base = '/v1/admin/projections';
/** Generous: texts are embedded by a real model, and servers are restarted. */
const longMs = 300_000;

/** Shares only stop words with its question, as do the other notes: only a model of meaning finds it. */
const meant = 'She must not be given penicillin: it caused a rash in 2019.';
const question = 'allergies of the patient';
const note = (number: number) =>
  `Note ${number}: the pump of hall ${number % 7} was serviced by the team of ${number % 5}`;

let server: TestServer;
/** The data and back ends that a restarted server takes over from this one. */
let first: TestServer;
let admin: Client;
let operator: Client;

async function vectorsOf(client: Client): Promise<Json> {
  const { status, body } = await client.get(base);
  expect(status).toBe(200);
  return body.items.find(({ name }: Json) => name === 'vectors');
}

const live = async (): Promise<Json> =>
  (await vectorsOf(operator)).generations.find(({ active }: Json) => active);

/** Starts a change of the model and returns the new generation once the shadow comparison is done. */
async function changeTo(embedder: string, queries?: readonly string[]): Promise<Json> {
  const started = await operator.post(`${base}/vectors/rebuild`, { embedder, ...(queries && { queries }) });
  expect(started).toMatchObject({ status: 202, body: { projection: 'vectors' } });
  return compared(started.body.generation);
}

async function compared(number: number): Promise<Json> {
  let own: Json;
  await expect
    .poll(
      async () => {
        const { generations, rebuilding } = await vectorsOf(operator);
        own = generations.find(({ generation }: Json) => generation === number);
        return rebuilding ? 'building' : own.state;
      },
      { timeout: 200_000, interval: 200 },
    )
    .not.toBe('building');
  return own;
}

async function search(query: string, more: Record<string, unknown> = {}): Promise<Json> {
  const request = { query, threshold: 0, order: 'relevance', waitMs: 30_000, ...more };
  const { status, body } = await admin.post('/v1/search', request);
  expect(status).toBe(200);
  return body;
}

const firstOf = async (query: string, more?: Record<string, unknown>): Promise<string> =>
  (await search(query, more)).results[0].memory.content;

/** The model that a search used, as recorded in its event. */
async function modelOf({ searchId }: Json): Promise<string> {
  let found: Json;
  await expect
    .poll(
      async () => {
        const events = await auditEvents(admin, 'type=SearchPerformed');
        found = events.find(({ data }) => data.searchId === searchId);
        return found;
      },
      { timeout: 20_000 },
    )
    .toBeDefined();
  return found.data.embeddingModel;
}

async function repeatUntilDone<T>(work: Promise<T>, meanwhile: () => Promise<void>): Promise<T> {
  let over = false;
  const done = work.finally(() => (over = true));
  while (!over) await meanwhile();
  return done;
}

beforeAll(async () => {
  first = server = await startServer({ environment: { STRATALOG_EMBEDDER: 'deterministic' } });
  const tenant = freshTenant();
  admin = await clientWithKey(server, { tenant, role: 'admin', user: 'ada' });
  operator = await clientWithKey(server, { tenant, role: 'operator' });
  const contents = [meant, ...Array.from({ length: 120 }, (_, number) => note(number))];
  const lines = await admin.bulk(contents.map((content) => ({ content })));
  const { results, searchId } = await search(question, {
    topK: 200,
    minPosition: lines.at(-1)!.position,
  });
  expect(results.length).toBeGreaterThanOrEqual(100);
  const match = results.find(({ memory }: Json) => memory.content === meant);
  // Beyond rank ten of the live model.
  expect(match.rank).toBeGreaterThan(10);
  const judged = await admin.post(`/v1/memories/${match.memory.id}/feedback`, {
    kind: 'helpful',
    searchId,
  });
  expect(judged.status).toBe(200);
  await admin.get(`/v1/audit/events?limit=1&minPosition=${judged.body.position}`);
});

afterAll(async () => {
  await server?.stop();
  await first?.remove();
});

describe('a change of the embedding model', () => {
  it(
    '[F5] answers every search during the change, compares both models in shadow, and reports the comparison',
    async () => {
      const seen = new Set<string>();
      const own = await repeatUntilDone(changeTo('bge-small-en-v1.5'), async () => {
        const answer = await search('the pump of hall 3');
        expect(answer).toMatchObject({ warnings: [] });
        expect(answer.results).toHaveLength(10);
        seen.add(await modelOf(answer));
      });
      expect(seen).toEqual(new Set([words]));
      expect(own).toMatchObject({
        state: 'ready',
        active: false,
        comparison: { model: bge, liveModel: words, judged: { queries: 1, ndcg: 1, liveNdcg: 0 } },
      });
      expect(own.signature).toContain(bge);
      expect(own.equal).toBeUndefined();
      const { queries, overlap } = own.comparison;
      expect(queries).toBeGreaterThanOrEqual(2);
      expect(overlap).toBeGreaterThanOrEqual(0);
      expect(overlap).toBeLessThan(1);
      expect(await live()).toMatchObject({
        lag: expect.any(Number),
        signature: expect.stringContaining(words),
      });
      const lastComparison = async () => (await auditEvents(admin, 'type=ModelsCompared')).at(-1)?.data;
      await expect
        .poll(lastComparison, { timeout: 20_000 })
        .toMatchObject({ generation: own.generation, ...own.comparison });
    },
    longMs,
  );

  it(
    '[F5] uses the new model from the switch on and the previous one after a rollback, without a gap',
    async () => {
      const early = await admin.store({ content: 'The lighthouse keeper counts ships at dusk' });
      const ships = { minPosition: early.position };
      expect(await firstOf('boats seen from the beacon', ships)).not.toContain('lighthouse');

      const models: string[] = [];
      const duringSwitch = async (act: 'switch' | 'rollback') =>
        repeatUntilDone(operator.post(`${base}/vectors/${act}`), async () => {
          const answer = await search(question);
          expect(answer).toMatchObject({ warnings: [] });
          // Each answer comes from one model only.
          const first = answer.results[0].memory.content;
          models.push(await modelOf(answer));
          expect(first === meant).toBe(models.at(-1) === bge);
        });
      expect((await duringSwitch('switch')).status).toBe(202);
      expect(await firstOf(question)).toBe(meant);
      expect(await modelOf(await search(question))).toBe(bge);
      // Written while the new generation was on standby.
      expect(await firstOf('boats seen from the beacon', ships)).toContain('lighthouse');

      const late = await admin.store({ content: 'Bread rises overnight in the cellar of the mill' });
      expect(await firstOf('dough left to ferment', { minPosition: late.position })).toContain('Bread');
      expect((await duringSwitch('rollback')).status).toBe(202);
      expect(await firstOf(question)).not.toBe(meant);
      expect(await modelOf(await search(question))).toBe(words);
      // The previous generation kept projecting: it has vectors for what was written meanwhile.
      const quoted = await search('Bread rises overnight in the cellar of the mill', {
        minPosition: late.position,
      });
      expect(quoted.results[0].memory.content).toContain('Bread');
      expect(quoted.warnings).toEqual([]);
      const acts = async () =>
        (await auditEvents(admin, 'type=ProjectionSwitched')).slice(-2).map(({ data }) => data.rollback);
      await expect.poll(acts, { timeout: 20_000 }).toEqual([false, true]);
    },
    longMs,
  );

  it(
    '[F5] survives a restart with either configured model, including the way to roll back',
    async () => {
      expect((await live()).signature).toContain(words);
      expect((await operator.post(`${base}/vectors/rollback`)).status).toBe(202);
      expect(await firstOf(question)).toBe(meant);
      const { environment, dataDir, masterKey } = server;
      await server.stop();
      const again = await startServer({ dataDir, environment, masterKey: masterKey! });
      try {
        const client = await clientWithKey(again, { tenant: freshTenant(), role: 'admin', user: 'eve' });
        const { position } = await client.store({ content: meant });
        const request = { query: question, threshold: 0, minPosition: position };
        const { body } = await client.post('/v1/search', request);
        expect(body).toMatchObject({ warnings: [], results: [{ memory: { content: meant } }] });
        const { generations } = await vectorsOf(client);
        expect(generations.map(({ state, signature }: Json) => [state, signature.split('/')[1]])).toEqual([
          ['standby', words],
          ['live', bge],
        ]);
        expect((await client.post(`${base}/vectors/rollback`)).status).toBe(202);
        const back = await client.post('/v1/search', { ...request, query: meant });
        expect(back.body).toMatchObject({ warnings: [], results: [{ memory: { content: meant } }] });
      } finally {
        await again.stop();
        server = await startServer({ dataDir, environment, masterKey: masterKey! });
        admin = {
          ...admin,
          ...(await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'eve' })),
        };
        operator = await clientWithKey(server, { tenant: freshTenant(), role: 'operator' });
      }
    },
    longMs,
  );

  it(
    '[F5] can be run from the command line with custom questions and an immediate switch',
    async () => {
      const isWords = (await live()).signature.includes(words);
      const [liveModel, model] = isWords ? [words, bge] : [bge, words];
      const args = ['projections', 'rebuild', '--embedder', model, '--switch'];
      const queries = ['--query', 'the pump of hall 3', question];
      const { code, json } = await stratalogAs(server, operator, ...args, ...queries, '--json');
      expect(code).toBe(0);
      expect(json).toMatchObject({ switched: true, comparison: { model, liveModel, queries: 2 } });
      expect((await live()).generation).toBe(json.generation);
      expect((await vectorsOf(operator)).generations).toHaveLength(2);
    },
    longMs,
  );
});

describe('a custom model', () => {
  let endpoint: ScriptedEmbeddings;
  let own: TestServer;
  beforeAll(async () => {
    endpoint = await scriptedEmbeddings(32);
    const models = [
      { id: 'plain', dimension: 384, folder: 'models/bge-small-en-v1.5', pooling: 'mean' },
      {
        id: 'remote',
        dimension: 32,
        baseURL: endpoint.baseURL,
        model: 'tiny',
        prefix: { query: 'Q: ' },
        apiKey: 'k',
      },
    ];
    own = await startServer({
      environment: {
        STRATALOG_EMBEDDER: 'onnx',
        STRATALOG_EMBEDDING_MODEL: 'plain',
        STRATALOG_EMBEDDING_MODELS: JSON.stringify(models),
      },
    });
  });
  afterAll(async () => {
    await own.remove();
    await endpoint.close();
  });

  it(
    '[H4] is registered in the configuration with its files or endpoint, dimension and prefixes',
    async () => {
      const client = await clientWithKey(own, { tenant: freshTenant(), role: 'admin', user: 'ada' });
      const { position } = await client.store({ content: 'The lighthouse keeper counts ships' });
      const request = { query: 'lighthouse ships', threshold: 0, minPosition: position };
      expect((await client.post('/v1/search', request)).body.results).toHaveLength(1);
      expect((await vectorsOf(client)).generations[0].signature).toContain('/plain');
      const args = ['projections', 'rebuild', '--embedder', 'remote', '--switch', '--json'];
      const { json } = await stratalogAs(own, client, ...args);
      expect(json).toMatchObject({ switched: true, comparison: { model: 'remote', liveModel: 'plain' } });
      const { body } = await client.post('/v1/search', { ...request, query: 'ships of the lighthouse' });
      expect(body).toMatchObject({
        warnings: [],
        results: [{ memory: { content: expect.stringMatching(/lighthouse/) } }],
      });
      const inputs = endpoint.requests.flatMap(({ input }) => input);
      expect(inputs).toContain('The lighthouse keeper counts ships');
      expect(inputs).toContain('Q: ships of the lighthouse');
      expect(
        endpoint.requests.every(
          ({ model, authorization }) => model === 'tiny' && authorization === 'Bearer k',
        ),
      ).toBe(true);
    },
    longMs,
  );
});

describe('invalid model changes', () => {
  it.each([
    ['an unknown model', 'vectors', { embedder: 'magic' }, 'embedder', /bge-small-en-v1\.5/],
    [
      'a model whose files are missing',
      'vectors',
      { embedder: 'e5-small-v2' },
      'embedder',
      /STRATALOG_EMBEDDING_MODELS_DIR/,
    ],
    ['a model for another read model', 'links', { embedder: words }, 'embedder', /vectors/],
    ['questions without a model', 'vectors', { queries: ['x'] }, 'queries', /embedder/],
    ['an empty list of questions', 'vectors', { embedder: words, queries: [] }, 'queries', /./],
  ])('[F5] %s answers 400 and builds nothing', async (_, name, body, path, message) => {
    const before = await vectorsOf(operator);
    const reply = await operator.post(`${base}/${name}/rebuild`, body);
    expect(reply).toMatchObject({ status: 400, body: { errors: [{ path }] } });
    expect(reply.body.errors[0].message).toMatch(message);
    expect((await vectorsOf(operator)).generations).toHaveLength(before.generations.length);
  });
});
