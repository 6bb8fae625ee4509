import { afterAll, beforeAll, expect, it } from 'vitest';
import { clientWithKey, freshTenant } from '../support/api.ts';
import { freshBackEnds, type FreshBackEnds } from '../support/back-ends.ts';
import { attributeOf, startOtlpReceiver, type OtlpReceiver } from '../support/otlp-receiver.ts';
import { startServer, type TestServer } from '../support/server.ts';

let receiver: OtlpReceiver;
let backEnds: FreshBackEnds;
let server: TestServer;

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  backEnds = await freshBackEnds('cluster');
  server = await startServer({
    environment: {
      STRATALOG_PROFILE: 'cluster',
      STRATALOG_EMBEDDER: 'deterministic',
      STRATALOG_TRACES: 'otlp',
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_BSP_SCHEDULE_DELAY: '50',
      ...backEnds.environment,
    },
  });
});

afterAll(async () => {
  await server?.remove();
  await backEnds?.remove();
  await receiver?.close();
});

it('[J7] the trace of a store goes on through Kafka to the read models and OpenSearch', async () => {
  const client = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'ada' });
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
  expect((await client.post('/v1/memories', { content: 'Found in a trace' }, headers)).status).toBe(201);
  const names = () =>
    new Set(receiver.spans.filter((span) => span.traceId === traceId).map(({ name }) => name));
  const prefix = backEnds.environment['STRATALOG_KAFKA_TOPIC_PREFIX'];
  const wanted = [
    'POST /v1/memories',
    'log append memory',
    `publish ${prefix}.events`,
    `process ${prefix}.events`,
    'apply lexical',
    'opensearch bulk',
  ];
  await expect.poll(() => wanted.filter((name) => !names().has(name)), { timeout: 60_000 }).toEqual([]);
  const published = receiver.spans.find(({ name }) => name === `publish ${prefix}.events`)!;
  expect(attributeOf(published, 'messaging.system')).toBe('kafka');
});
