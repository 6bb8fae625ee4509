import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deterministicEmbedder } from '../../src/adapters/deterministic/embedder.ts';
import { clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { json } from '../support/scripted-endpoint.ts';
import { scriptedEmbeddings, type ScriptedEmbeddings } from '../support/scripted-embeddings.ts';
import { startServer, type TestServer } from '../support/server.ts';

const vectors = '/v1/admin/projections/vectors';
const longMs = 120_000;
const patience = { timeout: 60_000, interval: 50 };

const tenant = freshTenant();
let endpoint: ScriptedEmbeddings;
let server: TestServer;
/** The data and back ends that a restarted server takes over from this one. */
let first: TestServer;
let admin: Client;
let operator: Client;

async function connect(): Promise<void> {
  admin = await clientWithKey(server, { tenant, role: 'admin', user: 'ada' });
  operator = await clientWithKey(server, { tenant, role: 'operator' });
}

beforeAll(async () => {
  endpoint = await scriptedEmbeddings(32);
  const models = [{ id: 'remote', dimension: 32, baseURL: endpoint.baseURL, model: 'tiny' }];
  first = server = await startServer({
    environment: {
      STRATALOG_EMBEDDER: 'deterministic',
      STRATALOG_EMBEDDING_MODELS: JSON.stringify(models),
    },
  });
  await connect();
});

afterAll(async () => {
  await server?.stop();
  await first?.remove();
  await endpoint?.close();
});

async function search(query: string, more: object = {}): Promise<Json> {
  const request = { query, threshold: 0, order: 'relevance', waitMs: 30_000, ...more };
  const reply = await admin.post('/v1/search', request);
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  return reply.body;
}

const state = async (): Promise<Json> =>
  (await operator.get('/v1/admin/projections')).body.items.find(({ name }: Json) => name === 'vectors');

it(
  '[F5] [A5] a model that is exchanged during an import loses nothing, and finds every memory afterwards',
  async () => {
    const stored: string[] = [];
    // The same text would only be affirmed if the test is run again.
    const run = randomBytes(3).toString('hex');
    let position: string;
    let isOver = false;
    const importing = async () => {
      for (let n = 0; !isOver || n < 100; n += 10) {
        const contents = Array.from(
          { length: 10 },
          (_, at) => `order${n + at} of harbour${n + at} was paid in ${run}`,
        );
        const lines = await admin.bulk(contents.map((content) => ({ content })));
        expect(lines.map(({ status }) => status)).toEqual(contents.map(() => 201));
        ({ position } = lines.at(-1)!);
        stored.push(...contents);
        await search('order was paid');
        // A model that is slower than the import would stay behind, and could not be switched to.
        await sleep(100);
      }
    };
    const exchanging = async () => {
      const started = await operator.post(`${vectors}/rebuild`, { embedder: 'remote', queries: ['order0'] });
      expect(started).toMatchObject({ status: 202 });
      const own = async () => {
        const { generations, rebuilding } = await state();
        if (rebuilding) return 'building';
        return generations.find(({ generation }: Json) => generation === started.body.generation).state;
      };
      await expect.poll(own, patience).toBe('ready');
      const switched = async () => (await operator.post(`${vectors}/switch`)).status;
      await expect.poll(switched, patience).toBe(202);
      const before = stored.length;
      await expect.poll(() => stored.length, patience).toBeGreaterThan(before + 20);
    };
    await Promise.all([importing(), exchanging().finally(() => (isOver = true))]);

    expect((await state()).generations.find(({ active }: Json) => active)).toMatchObject({
      signature: expect.stringContaining('remote'),
    });
    const missed: string[] = [];
    const find = async (content: string) => {
      const { results, warnings } = await search(content, { minPosition: position!, topK: 1 });
      expect(warnings).toEqual([]);
      if (results[0]?.memory.content !== content) missed.push(content);
    };
    for (let from = 0; from < stored.length; from += 10)
      await Promise.all(stored.slice(from, from + 10).map(find));
    expect(missed).toEqual([]);
    // By meaning alone, which only the new model compares: each has a vector of its own.
    const inputs = new Set(endpoint.requests.flatMap(({ input }) => input));
    expect(stored.filter((content) => !inputs.has(content))).toEqual([]);
  },
  longMs,
);

const section = (n: number) =>
  [
    `## Section ${n}`,
    ...Array.from({ length: 13 }, (_, at) => `Paragraph ${n} notes that partition ${n + at} moved to ${at}.`),
  ].join('\n\n');

it(
  '[A5] a process that is killed while passages wait embeds them after a restart, and none of those before',
  async () => {
    const embedder = deterministicEmbedder({ dimension: 32 });
    const isPassage = (text: string) => text.length < 2_000 && /Paragraph|heron/.test(text);
    let isFree = Promise.resolve();
    endpoint.always(async ({ input }, response) => {
      if (input.some(isPassage)) await Promise.all([sleep(25), isFree]);
      const made = await embedder.embed(input, 'passage');
      json(response, 200, { data: made.map((v, index) => ({ index, embedding: Array.from(v) })) });
    });
    const detail = 'The heron of the last page stands in the reeds.';
    const content = [...Array.from({ length: 300 }, (_, n) => section(n)), `## Last\n\n${detail}`].join(
      '\n\n',
    );
    const embedded = () => endpoint.requests.flatMap(({ input }) => input).filter(isPassage);
    const codes = async () => (await search('partition moved')).warnings.map(({ code }: Json) => code);

    const { memory, position } = await admin.store({ content });
    await search('partition moved', { minPosition: position });
    expect(await codes()).toEqual(['indexing']);
    // The first 64 with their text, and more than are written at a time.
    await expect.poll(() => embedded().length, patience).toBeGreaterThan(64 + 80);
    await server.stop('SIGKILL');
    const before = embedded();
    endpoint.requests.length = 0;
    let free!: () => void;
    isFree = new Promise((resolve) => (free = resolve));
    const { dataDir, environment, masterKey } = server;
    server = await startServer({ dataDir, environment, masterKey: masterKey! });
    await connect();

    await expect.poll(() => embedded().length, patience).toBeGreaterThan(0);
    expect(await codes()).toEqual(['indexing']);
    free();
    await expect.poll(codes, patience).toEqual([]);
    const after = embedded();
    expect(new Set(after).size).toBe(after.length);
    // Up to one write of 64 was lost.
    const repeated = after.filter((text) => before.includes(text));
    expect(repeated.length).toBeLessThanOrEqual(64);
    expect(before.slice(0, 128).filter((text) => after.includes(text))).toEqual([]);
    expect(after.some((text) => text.includes(detail))).toBe(true);
    const { results } = await search(detail);
    const [best, ...others] = results;
    expect(best.memory.id).toBe(memory.id);
    expect(content.slice(best.passage.start, best.passage.end)).toContain(detail);
    expect(others.map((result: Json) => result.memory.id)).not.toContain(memory.id);
  },
  longMs,
);
