import { afterAll, expect, it } from 'vitest';
import { clientWithKey, freshTenant } from '../support/api.ts';
import { auditEvents } from '../support/events.ts';
import { attributeOf, startOtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.ts';
import { scriptedLanguageModel } from '../support/scripted-language-model.ts';
import { useServer } from '../support/use-server.ts';

const receiver = await startOtlpReceiver();
const endpoint = await scriptedLanguageModel();
afterAll(() => Promise.all([receiver.close(), endpoint.close()]));
const server = useServer({
  because: 'records traces',
  environment: {
    STRATALOG_EMBEDDER: 'deterministic',
    STRATALOG_TRACES: 'otlp',
    STRATALOG_LLM_BASE_URL: endpoint.baseURL,
    STRATALOG_LLM_MODEL: 'root',
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_BSP_SCHEDULE_DELAY: '50',
    OTEL_SERVICE_NAME: 'memory of the shop',
  },
});

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const callerSpan = '00f067aa0ba902b7';
const headers = { traceparent: `00-${traceId}-${callerSpan}-01` };
const inTrace = (id: string) => receiver.spans.filter((span) => span.traceId === id);
const named = (id: string, name: string | RegExp) =>
  inTrace(id).filter((span) => (typeof name === 'string' ? span.name === name : name.test(span.name)));

async function oneNamed(id: string, name: string | RegExp): Promise<ReceivedSpan> {
  await expect.poll(() => named(id, name).length, { timeout: 20_000 }).toBeGreaterThan(0);
  return named(id, name)[0]!;
}

/** The names of a span and of what it is part of, up to the caller. */
function pathOf(span: ReceivedSpan): string[] {
  const parent = receiver.spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [span.name, ...(parent ? pathOf(parent) : [])];
}

it('[J7] a trace of the caller goes on through the request, the log, the database, the read models and the models', async () => {
  const client = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'ada' });
  const stored = await client.post('/v1/memories', { content: 'A secretive walrus' }, headers);
  expect(stored.status).toBe(201);
  const request = await oneNamed(traceId, 'POST /v1/memories');
  expect(request.parentSpanId).toBe(callerSpan);
  expect(attributeOf(request, 'http.route')).toBe('/v1/memories');
  expect(Number(attributeOf(request, 'http.response.status_code'))).toBe(201);
  const append = await oneNamed(traceId, 'log append memory');
  expect(pathOf(append).at(-1)).toBe('POST /v1/memories');
  expect(pathOf(await oneNamed(traceId, /^sql /)).at(-1)).toBe('POST /v1/memories');
  const applied = await oneNamed(traceId, 'apply vectors');
  expect(applied.parentSpanId).toBe(request.spanId);
  const embedded = await oneNamed(traceId, /^embeddings /);
  expect(pathOf(embedded)).toContain('apply vectors');
});

it('[J7] a complex question has a span for its decomposition, for what a model is asked, and for the search of each part', async () => {
  const client = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'ada' });
  const { position } = await client.store({ content: 'Billing never repeats a payment' });
  const id = 'a'.repeat(32);
  const query = 'Compare the retries of Search and Billing across all teams';
  const body = { query, minPosition: position, waitMs: 30_000 };
  await client.post('/v1/search', body, { traceparent: `00-${id}-${callerSpan}-01` });
  const decomposed = await oneNamed(id, 'decompose a question');
  expect(attributeOf(decomposed, 'stratalog.rlm.outcome')).toBe('partial');
  const asked = await oneNamed(id, 'chat root');
  expect(attributeOf(asked, 'stratalog.language_model.purpose')).toBe('plan');
  expect(pathOf(asked)).toContain('decompose a question');
  expect(pathOf(await oneNamed(id, 'search for a part'))).toContain('decompose a question');
  expect(pathOf(decomposed).at(-1)).toBe('POST /v1/search');
});

it('[J7] what is recorded after the answer, and each line of a stream, is part of the trace of its request', async () => {
  const client = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'ada' });
  const [bulk, searched] = ['b'.repeat(32), 'c'.repeat(32)];
  const response = await fetch(`${server.url}/v1/memories/bulk`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${client.key}`,
      'content-type': 'application/x-ndjson',
      traceparent: `00-${bulk}-${callerSpan}-01`,
    },
    body: ['one', 'two'].map((content) => JSON.stringify({ content })).join('\n'),
  });
  expect((await response.text()).trim().split('\n')).toHaveLength(2);
  await expect.poll(() => named(bulk, 'log append memory').length, { timeout: 20_000 }).toBe(2);
  await oneNamed(bulk, 'apply memories');

  await client.post('/v1/search', { query: 'one' }, { traceparent: `00-${searched}-${callerSpan}-01` });
  const recorded = await oneNamed(searched, 'log append retrieval');
  expect(pathOf(recorded)).toContain('POST /v1/search');
  await oneNamed(searched, 'apply audit');
});

it('[J7] what a request leads to is not recorded if the caller does not record it', async () => {
  const client = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'ada' });
  const id = 'd'.repeat(32);
  const { body } = await client.post(
    '/v1/memories',
    { content: 'off' },
    { traceparent: `00-${id}-${callerSpan}-00` },
  );
  const [event] = await auditEvents(client, `type=MemoryStored&memory=${body.memory.id}`, body.position);
  expect(event).toMatchObject({ traceId: id });
  const before = receiver.spans.length;
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const isAlone = ({ name, parentSpanId = '' }: ReceivedSpan) =>
    name.startsWith('apply') && parentSpanId === '';
  const alone = receiver.spans.slice(before).filter(isAlone);
  expect([alone, inTrace(id)]).toEqual([[], []]);
});

it('[J7] events name the trace and the span that appended them, whether or not the caller has a trace', async () => {
  const client = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'ada' });
  const { memory, position } = await client.store({ content: 'A walrus without a trace of its own' });
  const [event] = await auditEvents(client, `type=MemoryStored&memory=${memory.id}`, position);
  const { traceId: own } = event as unknown as { readonly traceId: string };
  expect(own).toMatch(/^[0-9a-f]{32}$/);
  const request = await oneNamed(own, 'POST /v1/memories');
  expect(request.parentSpanId ?? '').toBe('');
});

it('[I2] [J7] spans have no content, no names of streams and no parameters, and an idle server records none', async () => {
  const tenant = freshTenant();
  const client = await clientWithKey(server, { tenant, role: 'admin', user: 'ada' });
  const { position } = await client.store({
    content: 'A secretive walrus',
    externalId: 'walrus-7',
    tags: ['walrus'],
  });
  const answer = await client.post('/v1/search', {
    query: 'which walrus?',
    minPosition: position,
    waitMs: 30_000,
  });
  expect(answer.body.results).toHaveLength(1);
  await client.get('/v1/memories/by-external-id/walrus-7');
  await client.post('/v1/memories/walrus', {});
  await expect.poll(() => receiver.spans.some(({ name }) => name === 'POST /v1/search')).toBe(true);
  const settled = async () => {
    const before = receiver.spans.length;
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    return receiver.spans.length - before;
  };
  await expect.poll(settled, { timeout: 30_000 }).toBe(0);
  const text = receiver.texts.join('\n');
  expect(text).not.toContain('walrus');
  expect(text).toContain('memory of the shop');
  expect(text).not.toContain(`memory-${tenant}`);
});

it('[J7] a receiver that is away costs a warning and nothing else', async () => {
  const client = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'ada' });
  receiver.status = 404;
  await client.store({ content: 'stored while nobody takes spans' });
  const warned = () => server.log.some((line) => line.includes('spans could not be sent'));
  await expect.poll(warned, { timeout: 20_000 }).toBe(true);
  receiver.status = 200;
  const before = receiver.spans.length;
  await client.store({ content: 'stored when somebody takes them again' });
  await expect.poll(() => receiver.spans.length, { timeout: 20_000 }).toBeGreaterThan(before);
});
