import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { expectClear, stratalogAs } from '../support/cli.ts';
import { auditEvents } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { metricsOf } from '../support/metrics.ts';
import { json } from '../support/scripted-endpoint.ts';
import { scriptedEmbeddings, type ScriptedEmbeddings } from '../support/scripted-embeddings.ts';
import { startServer, type TestServer } from '../support/server.ts';

const base = '/v1/admin/projections';
const patience = { timeout: 30_000, interval: 100 };
const content = 'The heron stands in the reeds';

let endpoint: ScriptedEmbeddings;
let server: TestServer;
let operator: Client;
let auditor: Client;

beforeAll(async () => {
  endpoint = await scriptedEmbeddings(32);
  const remote = { dimension: 32, baseURL: endpoint.baseURL, model: 'tiny', apiKey: 'sk-hidden' };
  const models = [
    { ...remote, id: 'remote' },
    { ...remote, id: 'narrow', dimension: 16 },
    { ...remote, id: 'nobody', baseURL: 'http://127.0.0.1:9/v1' },
  ];
  server = await startServer({
    environment: {
      STRATALOG_EMBEDDER: 'deterministic',
      STRATALOG_EMBEDDING_MODELS: JSON.stringify(models),
    },
  });
  const tenant = freshTenant();
  const admin = await clientWithKey(server, { tenant, role: 'admin', user: 'ada' });
  operator = await clientWithKey(server, { tenant, role: 'operator' });
  auditor = admin;
  for (let number = 0; number < 5; number++) await admin.store({ content: `${content} ${number}` });
});

afterEach(() => endpoint.always());

afterAll(async () => {
  await server?.remove();
  await endpoint?.close();
});

async function statusOf(name: string): Promise<Json> {
  const { items } = (await operator.get(base)).body;
  return items.find((item: Json) => item.name === name);
}

const generationOf = async (name: string, number: number): Promise<Json> =>
  (await statusOf(name)).generations.find(({ generation }: Json) => generation === number);

const start = (name: string, embedder?: string) =>
  operator.post(`${base}/${name}/rebuild`, embedder === undefined ? {} : { embedder });

const waits = (): Json[] =>
  server.log
    .map((line) => JSON.parse(line) as Json)
    .filter(({ level, projection }) => level >= 40 && projection === 'vectors');

/** Answers health checks, and is too busy for every other request, with its body in the error. */
function failAtTexts(): void {
  endpoint.always(({ input }, response) => {
    const isProbe = input.length === 1 && !input[0]!.includes('heron');
    if (!isProbe) return json(response, 503, { error: { message: `sk-hidden cannot read ${input[0]}` } });
    json(response, 200, { data: [{ index: 0, embedding: Array.from({ length: 32 }, () => 1) }] });
  });
}

describe('a model that fails its check', () => {
  it.each([
    ['remote', 503, 'unavailable', /tiny at http.* answered 500/, () => failAtAll()],
    ['nobody', 503, 'unavailable', /tiny at http.* cannot be reached/, () => {}],
    ['narrow', 400, 'validation-failed', /32 dimensions instead of 16/, () => {}],
  ])('[F5] %s is rejected before anything is built: %i', async (model, status, code, detail, prepare) => {
    prepare();
    const reply = await start('vectors', model);
    expect(reply).toMatchObject({ status, body: { code } });
    expect(reply.body.detail).toMatch(detail);
    expect((await statusOf('vectors')).generations).toHaveLength(1);
  });

  function failAtAll(): void {
    endpoint.always((_, response) => json(response, 500, { error: { message: 'sk-hidden' } }));
  }
});

describe('a rebuild whose model fails while it runs', () => {
  it('[F4] [F5] reports why and since when, blocks no other rebuild, and ends with a rollback', async () => {
    failAtTexts();
    const before = waits().length;
    const started = await start('vectors', 'remote');
    const other = await start('links');
    expect([started.status, other.status]).toEqual([202, 202]);
    const { generation } = started.body;
    const own = () => generationOf('vectors', generation);
    await expect.poll(async () => (await own()).error, patience).toMatch(/tiny at http.* answered 503/);
    const since = (await own()).failingSince;
    expect(Date.now() - Date.parse(since)).toBeLessThan(60_000);
    expect(await own()).toMatchObject({ state: 'building', active: false });
    await expect
      .poll(async () => (await generationOf('links', other.body.generation)).state, patience)
      .toBe('ready');
    expect((await start('vectors')).body.code).toBe('rebuild-in-progress');

    const shown = await stratalogAs(server, operator, 'projections', 'status');
    expect(shown.stdout).toContain(`vectors: generation ${generation} waits since ${since}`);
    // Wait for a retry in the meantime.
    const tries = endpoint.requests.length;
    await expect.poll(() => endpoint.requests.length, patience).toBeGreaterThan(tries);
    expect((await own()).failingSince).toBe(since);
    expect(waits()).toHaveLength(before + 1);
    expect(server.log.join('\n')).not.toMatch(/heron|sk-hidden/);

    const ended = await operator.post(`${base}/vectors/rollback`);
    expect(ended).toMatchObject({ status: 202, body: { from: generation, to: 1, ended: true } });
    expect((await statusOf('vectors')).generations).toMatchObject([{ generation: 1, active: true }]);
    const lastEnding = async () => (await auditEvents(auditor, 'type=ProjectionRebuildEnded')).at(-1)?.data;
    await eventually(lastEnding).toEqual({ projection: 'vectors', generation });
    const again = await operator.post(`${base}/vectors/rollback`);
    expect(again).toMatchObject({ status: 409, body: { code: 'rebuild-not-ready' } });
  }, 300_000);

  it('[F5] continues when the model answers again, and can be ended from the command line', async () => {
    failAtTexts();
    const { generation } = (await start('vectors', 'remote')).body;
    const own = () => generationOf('vectors', generation);
    await expect.poll(async () => (await own()).failingSince, patience).toBeDefined();
    endpoint.always();
    await expect.poll(async () => (await own()).comparison, patience).toBeDefined();
    expect(await own()).toMatchObject({ state: 'ready' });
    expect((await own()).error).toBeUndefined();
    expect((await own()).failingSince).toBeUndefined();

    failAtTexts();
    await operator.post(`${base}/vectors/rebuild`);
    await expect.poll(async () => (await statusOf('vectors')).rebuilding, patience).toBeUndefined();
    await auditor.store({ content: 'Another heron stands in the reeds' });
    const second = (await start('vectors', 'remote')).body;
    const ended = await stratalogAs(server, operator, 'projections', 'rollback', 'vectors');
    expectClear(ended, 0);
    expect(ended.stdout).toContain(`the rebuild of generation ${second.generation} was ended`);
  }, 300_000);
});

describe('a rebuild with an event that cannot be applied', () => {
  it('[F4] [G4] shows the stream that it parked before queries use the new generation', async () => {
    const { memory } = await auditor.store({ content: 'A heron that the model never takes' });
    endpoint.always(async ({ input }, response) => {
      if (input.some((text) => text.includes('never takes'))) return json(response, 400, {});
      json(response, 200, {
        data: input.map((_, index) => ({ index, embedding: Array.from({ length: 32 }, () => 1) })),
      });
    });
    const { generation } = (await start('vectors', 'remote')).body;
    await expect.poll(async () => (await generationOf('vectors', generation)).state, patience).toBe('ready');
    const { parked } = await statusOf('vectors');
    expect(parked).toMatchObject([
      { generation, type: 'MemoryStored', error: expect.stringContaining('answered 400') },
    ]);
    const [{ stream }] = parked;
    expect(stream).toContain(memory.id);
    const { stdout } = await stratalogAs(server, operator, 'projections', 'status');
    expect(stdout).toMatch(new RegExp(`^vectors +1 +live +yes .* 0$`, 'm'));
    expect(stdout).toMatch(new RegExp(`^vectors +${generation} +ready .* 1$`, 'm'));
    // The live generation is complete, so nobody needs to be paged.
    const ready: Json = (await operator.get('/readyz')).body;
    const own = ready.projections.find(({ name }: Json) => name === 'vectors');
    expect(own).toMatchObject({ parked: 0 });
    expect((await metricsOf(server)).get('stratalog_projection_parked{projection="vectors"}')).toBe(0);

    endpoint.always();
    const retried = await operator.post(`${base}/vectors/retry`, { stream });
    expect(retried.status).toBe(202);
    expect((await statusOf('vectors')).parked).toEqual([]);
  }, 300_000);
});
