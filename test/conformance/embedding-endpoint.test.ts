import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { expectClear, stratalog } from '../support/cli.ts';
import { metricsOf } from '../support/metrics.ts';
import { scriptedEmbeddings, type ScriptedEmbeddings } from '../support/scripted-embeddings.ts';
import { startServer, testProfile, type TestServer } from '../support/server.ts';

const patience = { timeout: 30_000, interval: 100 };
const content = 'The heron stands in the reeds';

let endpoint: ScriptedEmbeddings;
let folder: string;
let settings: Record<string, string>;

const dropConnections = () => endpoint.always((_, response) => void response.destroy());

beforeAll(async () => {
  endpoint = await scriptedEmbeddings(32);
  folder = await mkdtemp(path.join(tmpdir(), 'stratalog-endpoint-'));
  settings = {
    STRATALOG_EMBEDDER: 'openai',
    STRATALOG_EMBEDDING_BASE_URL: endpoint.baseURL,
    STRATALOG_EMBEDDING_MODEL: 'tiny',
    STRATALOG_EMBEDDING_API_KEY: 'sk-hidden',
  };
});

afterAll(async () => {
  await endpoint.close();
  await rm(folder, { recursive: true, force: true });
});

describe('an embedding endpoint that is down when the server starts', () => {
  let server: TestServer;
  let client: Client;

  beforeAll(async () => {
    dropConnections();
    server = await startServer({ environment: { ...settings, STRATALOG_EMBEDDING_DIMENSION: '32' } });
    client = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'ada' });
  });

  afterAll(() => server?.remove());

  const embedder = async (): Promise<Json> => {
    const { status, body } = await client.get('/readyz');
    expect(status).toBe(200);
    return body.embedder;
  };
  const search = async (): Promise<Json> =>
    (await client.post('/v1/search', { query: content, threshold: 0 })).body;
  const said = (text: string): Json[] =>
    server.log.map((line) => JSON.parse(line) as Json).filter(({ msg }) => msg.includes(text));

  it('[H4] memories are stored and found by their words, and the outage is reported once in warnings and in readiness', async () => {
    await client.store({ content });
    await expect.poll(async () => (await search()).results.length, patience).toBe(1);
    expect((await search()).warnings).toMatchObject([{ code: 'partial' }]);
    expect(await embedder()).toMatchObject({
      model: 'openai:tiny:32',
      state: 'down',
      error: expect.stringMatching(/tiny at http.* cannot be reached/),
    });
    // Wait for a retry in the meantime.
    const before = endpoint.requests.length;
    await expect.poll(() => endpoint.requests.length, patience).toBeGreaterThan(before + 4);
    expect(said('an embedding model does not answer')).toHaveLength(1);
    expect(said('projection waits').length).toBeLessThanOrEqual(1);
    expect(server.log.join('\n')).not.toMatch(/heron|sk-hidden/);
  }, 300_000);

  it('[H4] memories are embedded as soon as the endpoint answers', async () => {
    endpoint.always();
    await expect.poll(async () => (await search()).warnings, patience).toEqual([]);
    await expect.poll(async () => (await embedder()).state, patience).toBe('up');
    const { results } = await search();
    expect(results).toMatchObject([{ memory: { content } }]);
    await expect.poll(() => said('an embedding model answers again').length, patience).toBe(1);
    const inputs = endpoint.requests.flatMap(({ input }) => input);
    expect(inputs).toContain(content);
  }, 300_000);

  it('[H4] /metrics reports its use by model and purpose', async () => {
    type Series = ReadonlyMap<string, number>;
    const value = (all: Series, name: string, labels: string): number =>
      all.get(`${name}{model="openai:tiny:32",${labels}}`) ?? 0;
    const tokens = (all: Series) => value(all, 'stratalog_embedding_tokens_total', 'purpose="passage"');
    const before = await metricsOf(server);
    // Attempts failed until the endpoint answered.
    expect(
      value(before, 'stratalog_embedding_texts_total', 'purpose="query",outcome="failed"'),
    ).toBeGreaterThan(0);
    const { position } = await client.store({ content: 'six words that nobody stored before' });
    await client.post('/v1/search', { query: content, minPosition: position, waitMs: 30_000 });
    const after = await metricsOf(server);
    expect(tokens(after) - tokens(before)).toBe(6);
    const embedded = 'purpose="passage",outcome="embedded"';
    const texts = (all: Series) => value(all, 'stratalog_embedding_texts_total', embedded);
    expect(texts(after) - texts(before)).toBe(1);
    expect(value(after, 'stratalog_embedding_duration_count', embedded)).toBeGreaterThan(0);
    expect([...after.keys()].join('\n')).not.toContain('nobody stored');
  }, 300_000);

  it('[A5] a search as of a position does not call it for a text that has changed since', async () => {
    const [old, changed] = ['The swan crosses the pond', 'The otter dives for fish'];
    const { memory, position } = await client.store({ content: old });
    const request = { query: 'swan pond', threshold: 0, waitMs: 30_000 };
    await client.post('/v1/search', { ...request, minPosition: position });
    const { body } = await client.patch(
      `/v1/memories/${memory.id}`,
      { content: changed },
      { 'if-match': '*' },
    );
    await client.post('/v1/search', { ...request, minPosition: body.position });
    const before = endpoint.requests.length;
    const found = (await client.post('/v1/search', { ...request, asOf: position })).body;
    expect(found.warnings).toEqual([]);
    expect(found.results[0].memory.content).toBe(old);
    expect(endpoint.requests.slice(before).flatMap(({ input }) => input)).not.toContain(old);
  }, 300_000);

  it('[H4] the dimension of an unavailable model is read from the stored vectors', async () => {
    const { dataDir, masterKey } = server;
    const { STRATALOG_EMBEDDING_DIMENSION: _, ...environment } = server.environment;
    await server.stop();
    dropConnections();
    const again = await startServer({ dataDir, environment, masterKey: masterKey! });
    try {
      const other = await clientWithKey(again, { tenant: freshTenant(), role: 'admin', user: 'eve' });
      await other.store({ content });
      const found = async () => (await other.post('/v1/search', { query: content, threshold: 0 })).body;
      await expect.poll(async () => (await found()).results.length, patience).toBe(1);
      endpoint.always();
      await expect.poll(async () => (await found()).warnings, patience).toEqual([]);
    } finally {
      await again.stop();
    }
  }, 300_000);
});

/** These servers always use the embedded profile, so run them once, not once per profile. */
describe.skipIf(testProfile !== 'embedded')(
  'an embedding endpoint with an unknown or wrong dimension',
  () => {
    const environment = (more: Record<string, string> = {}) => ({
      STRATALOG_PORT: '0',
      STRATALOG_DATA: path.join(folder, 'data'),
      ...settings,
      ...more,
    });

    it('[H4] [J8] stops the start of a new database while it is down, and the message says what to set', async () => {
      dropConnections();
      const refused = await stratalog(['serve'], environment());
      expectClear(refused, 1, /tiny at http.* cannot be reached/, 'STRATALOG_EMBEDDING_DIMENSION');
      expect(refused.stdout + refused.stderr).not.toContain('sk-hidden');
    });

    it('[H4] [J8] is rejected when its dimension differs from the configured one', async () => {
      endpoint.always();
      const wrong = environment({ STRATALOG_EMBEDDING_DIMENSION: '64' });
      expectClear(
        await stratalog(['serve'], wrong),
        1,
        'STRATALOG_EMBEDDING_DIMENSION',
        /32 numbers, not 64/,
      );
    });

    it('[J8] is checked by doctor', async () => {
      dropConnections();
      const away = await stratalog(['doctor'], environment());
      expect(away.code).toBe(1);
      expect(away.stdout).toMatch(/FAIL model +the embedding model tiny at http.* cannot be reached/);
      endpoint.always();
      const there = await stratalog(['doctor'], environment());
      expect(there.stdout).toMatch(/ok +model +openai:tiny:32/);
    });
  },
);
