import { afterAll, beforeAll, expect, it } from 'vitest';
import { deterministicEmbedder } from '../../src/adapters/deterministic/embedder.ts';
import { clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { stratalog } from '../support/cli.ts';
import { connectMcp } from '../support/mcp.ts';
import { metricsOf } from '../support/metrics.ts';
import { json } from '../support/scripted-endpoint.ts';
import { scriptedEmbeddings, type Script, type ScriptedEmbeddings } from '../support/scripted-embeddings.ts';
import { startServer, testProfile, type TestServer } from '../support/server.ts';

const patience = { timeout: 60_000, interval: 100 };
const base = '/v1/admin/projections';
const words = deterministicEmbedder({ dimension: 32 });

let endpoint: ScriptedEmbeddings;
let server: TestServer;
/** The data that a restarted server takes over from this one. */
let first: TestServer;
let tenant: string;
let admin: Client;
let operator: Client;

/** How the endpoint answers for a text with one of these words; it embeds all others. */
type Faults = Readonly<Record<string, 500 | 'too large' | readonly unknown[] | null>>;

function misbehave(faults: Faults): void {
  const script: Script = async ({ input }, response) => {
    const made = await words.embed(input, 'passage');
    const data: { index: number; embedding: unknown }[] = [];
    for (const [index, text] of input.entries()) {
      const [, fault] = Object.entries(faults).find(([word]) => text.includes(word)) ?? [];
      if (fault === 500) return json(response, 500, { error: { message: 'json: unsupported value: NaN' } });
      if (fault === 'too large' && text.length > 512)
        return json(response, 500, { error: { message: 'input is too large to process' } });
      const isGood = fault === undefined || fault === 'too large';
      data.push({ index, embedding: isGood ? [...made[index]!] : fault });
    }
    json(response, 200, { data });
  };
  endpoint.always(script);
}

async function connect(): Promise<void> {
  admin = await clientWithKey(server, { tenant, role: 'admin', user: 'ada' });
  operator = await clientWithKey(server, { tenant, role: 'operator' });
}

beforeAll(async () => {
  endpoint = await scriptedEmbeddings(32);
  first = server = await startServer({
    environment: {
      STRATALOG_EMBEDDER: 'openai',
      STRATALOG_EMBEDDING_BASE_URL: endpoint.baseURL,
      STRATALOG_EMBEDDING_MODEL: 'tiny',
    },
  });
  tenant = freshTenant();
  await connect();
});

afterAll(async () => {
  await server?.stop();
  await first?.remove();
  await endpoint?.close();
});

async function search(client: Client, query: string, minPosition?: string): Promise<Json> {
  const reply = await client.post('/v1/search', {
    query,
    threshold: 0,
    ...(minPosition !== undefined && { minPosition, waitMs: 30_000 }),
  });
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  return reply.body;
}
const codes = ({ warnings }: Json): string[] => warnings.map(({ code }: Json) => code);
const parked = async (): Promise<Json[]> => {
  const { items } = (await operator.get(base)).body;
  const own = items.find(({ name }: Json) => name === 'vectors').parked;
  return own.filter(({ stream }: Json) => stream.startsWith(`memory-${tenant}.`));
};
const streamOf = ({ id }: Json): string => `memory-${tenant}.${id}`;
const retry = (stream: string) => operator.post(`${base}/vectors/retry`, { stream });
const asked = (text: string): number =>
  endpoint.requests.flatMap(({ input }) => input).filter((one) => one.includes(text)).length;

it('[H4] texts that an endpoint cannot embed stop nothing else: every position is reached', async () => {
  misbehave({
    Bane: 500,
    Null: null,
    Holes: Array.from({ length: 32 }, () => null),
    Zeros: Array.from({ length: 32 }, () => 0),
    Empty: [],
    Short: [1, 2, 3],
  });
  const odd = ['Bane', 'Null', 'Holes', 'Zeros', 'Empty', 'Short'].map((word) => `${word} note of the day`);
  const plain = Array.from({ length: 12 }, (_, n) => `Pump ${n} of the harbour was serviced`);
  const contents = [...plain.slice(0, 5), ...odd, ...plain.slice(5)];
  const lines = await admin.bulk(contents.map((content) => ({ content })));
  const found = await search(admin, 'Which pump was serviced?', lines.at(-1)!.position);
  expect(codes(found)).toEqual(['partial']);
  expect(found.results.length).toBeGreaterThan(0);
  expect((await parked()).map(({ type }) => type)).toEqual(odd.map(() => 'MemoryStored'));
  expect((await parked())[0]).toMatchObject({ error: expect.stringContaining('answered 500') });
  // They are found by their words.
  expect((await search(admin, 'Bane note of the day')).results[0].memory.content).toContain('Bane');

  const other = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'eve' });
  const { position } = await other.store({ content: 'The spare key hangs behind the blue door.' });
  const theirs = await search(other, 'Where is the spare key?', position);
  expect(theirs.warnings).toEqual([]);
  expect(theirs.results).toHaveLength(1);
  const mcp = await connectMcp(server, other);
  await mcp.done('memory_store', { content: 'The bicycle pump is in the shed.', layer: 'user' });
  expect((await mcp.tool('memory_search', { query: 'bicycle pump' })).text).toContain('in the shed');
  const { embedder } = (await (await fetch(`${server.url}/readyz`)).json()) as Json;
  expect(embedder).toMatchObject({ state: 'up' });
  const series = await metricsOf(server);
  expect(series.get('stratalog_projection_parked{projection="vectors"}')).toBe(6);
}, 120_000);

it('[H4] a text that is too long for the endpoint is cut, and nothing is parked', async () => {
  misbehave({ Rehearsal: 'too large' });
  const before = (await parked()).length;
  const content = 'Rehearsal of the choir was moved to the gym. '.repeat(80);
  const { position } = await admin.store({ content });
  await search(admin, `${content} Where?`, position);
  expect(await parked()).toHaveLength(before);
}, 120_000);

it('[H4] a deletion ends it, and so does another text, until which searches say so', async () => {
  misbehave({ Bane: 500 });
  for (const { stream } of await parked()) await retry(stream);
  const [left, ...others] = await parked();
  expect(others).toEqual([]);
  expect(codes(await search(admin, 'pump'))).toEqual(['partial']);
  const id = left!.stream.slice(`memory-${tenant}.`.length);
  expect((await retry(left!.stream)).body).toMatchObject({ code: 'still-parked' });
  const { memory } = await admin.store({ content: 'Bane of the second kind' });
  await expect.poll(async () => (await parked()).length, patience).toBe(2);
  const gone = await admin.delete(`/v1/memories/${memory.id}`);
  expect((await search(admin, 'pump', gone.body.position)).warnings).toMatchObject([{ code: 'partial' }]);
  expect((await parked()).map(({ stream }) => stream)).toEqual([left!.stream]);
  const changed = await admin.patch(
    `/v1/memories/${id}`,
    { content: 'Boon of the day' },
    { 'if-match': '*' },
  );
  expect((await search(admin, 'boon', changed.body.position)).warnings).toEqual([]);
  expect(await parked()).toEqual([]);
}, 120_000);

it('[H4] what waits outlasts a kill and an outage, and is embedded once the endpoint can', async () => {
  misbehave({ Bane: 500 });
  const { memory, position } = await admin.store({ content: 'Bane of the third kind' });
  expect(codes(await search(admin, 'bane', position))).toContain('partial');
  const stream = streamOf(memory);
  await server.stop('SIGKILL');
  const { dataDir, environment, masterKey } = server;
  server = await startServer({ dataDir, environment, masterKey: masterKey! });
  await connect();
  await expect.poll(parked, patience).toMatchObject([{ stream }]);

  // An outage parks nothing.
  endpoint.always((_, response) => json(response, 500, {}));
  const waiting = await admin.store({ content: 'The lighthouse was painted white' });
  const before = asked('lighthouse');
  await expect.poll(() => asked('lighthouse'), patience).toBeGreaterThan(before + 3);
  expect(await parked()).toMatchObject([{ stream }]);
  endpoint.always();
  await search(admin, 'lighthouse', waiting.position);
  // Unless it was tried again by itself.
  expect([202, 404]).toContain((await retry(stream)).status);
  expect(await parked()).toEqual([]);
  expect((await search(admin, 'bane')).warnings).toEqual([]);
}, 120_000);

it.runIf(testProfile === 'embedded')(
  '[H4] [J8] doctor counts them',
  async () => {
    misbehave({ Bane: 500 });
    const { position } = await admin.store({ content: 'Bane of the fourth kind' });
    await search(admin, 'bane', position);
    await server.stop();
    const { stdout } = await stratalog(['doctor'], { ...server.environment, STRATALOG_PORT: '0' });
    expect(stdout).toMatch(/FAIL parked +streams are parked: 1 in vectors/);
  },
  120_000,
);
