import { expect, it, vi } from 'vitest';
import { clientOf, clientWithKey, freshTenant } from '../support/api.ts';
import { metricsOf } from '../support/metrics.ts';
import { startServer } from '../support/server.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer({
  because: 'counts requests of the whole process',
  environment: { STRATALOG_EMBEDDER: 'deterministic' },
});

const requests = (method: string, status: number, route: string) =>
  `http_server_request_duration_count{http_request_method="${method}",http_response_status_code="${status}",http_route="${route}"}`;

it('[J7] /metrics counts requests by method, declared path and status, and measures their duration', async () => {
  const client = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'ada' });
  const { memory } = await client.store({ content: 'counted' });
  await client.get(`/v1/memories/${memory.id}`);
  await client.get(`/v1/memories/${memory.id}`);
  await client.get('/v1/memories/0190aaaa-0000-7000-8000-000000000000');
  const now = await metricsOf(server);
  expect(now.get(requests('POST', 201, '/v1/memories'))).toBe(1);
  expect(now.get(requests('GET', 200, '/v1/memories/:id'))).toBe(2);
  expect(now.get(requests('GET', 404, '/v1/memories/:id'))).toBe(1);
});

it('[J7] /metrics shows the lag and parked streams of each read model, and the pending writes', async () => {
  const tenant = freshTenant();
  const client = await clientWithKey(server, { tenant, role: 'admin', user: 'ada' });
  const { position } = await client.store({ content: 'watched by Prometheus' });
  await client.post('/v1/search', { query: 'Prometheus', minPosition: position, waitMs: 30_000 });
  await vi.waitFor(async () => {
    const now = await metricsOf(server);
    for (const name of ['memories', 'lexical', 'vectors', 'usage', 'audit']) {
      expect(now.get(`stratalog_projection_lag{projection="${name}"}`)).toBe(0);
      expect(now.get(`stratalog_projection_parked{projection="${name}"}`)).toBe(0);
    }
    expect(now.get('stratalog_retrieval_facts_waiting')).toBe(0);
    expect(now.get('stratalog_retrieval_facts_dropped_total')).toBe(0);
    expect([...now.keys()].join('\n')).not.toContain(tenant);
  }, 10_000);
});

it('[J6] Routing decision metrics, Execution metrics', async () => {
  const client = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'ada' });
  const { position } = await client.store({ content: 'Billing never repeats a payment' });
  const names = [
    'routing_decision_total{route="standard"}',
    'routing_decision_total{route="rlm"}',
    'complexity_score_count',
    ...['duration_ms', 'depth', 'tokens'].map((what) => `execution_${what}_count{outcome="complete"}`),
  ];
  const counts = async () => {
    const now = await metricsOf(server);
    return names.map((name) => now.get(`memory_rlm_${name}`) ?? 0);
  };
  const before = await counts();
  const minPosition = { minPosition: position, waitMs: 30_000 };
  await client.post('/v1/search', { query: 'billing', ...minPosition });
  const query = 'Compare the retries of Search and Billing across all teams';
  expect((await client.post('/v1/search', { query, ...minPosition })).status).toBe(200);
  const after = await counts();
  expect(after.map((count, at) => count - before[at]!)).toEqual([1, 1, 2, 1, 1, 1]);
});

it('[J6] /metrics counts what quotas and limits refuse', async () => {
  const tenant = freshTenant();
  const admin = await clientWithKey(server, { tenant, role: 'admin', user: 'ada' });
  const refused = async () => {
    const now = await metricsOf(server);
    return ['stratalog_quotas_refused_total', 'stratalog_requests_limited_total'].map((name) =>
      now.get(name)!,
    );
  };
  const before = await refused();
  await admin.put('/v1/spaces/notes', { maxSizeMb: 0.0001 });
  const large = await admin.post('/v1/memories', { content: 'a'.repeat(200), spaces: ['notes'] });
  expect(large.body.code).toBe('space-quota-exceeded');
  await admin.put('/v1/admin/limits', { perTenant: { concurrency: 1 } });
  const replies = await Promise.all(Array.from({ length: 4 }, () => admin.get('/v1/memories')));
  const limited = replies.filter(({ status }) => status === 429).length;
  expect(limited).toBeGreaterThan(0);
  expect(await refused()).toEqual([before[0]! + 1, before[1]! + limited]);
});

it('[J7] /metrics needs no credential on loopback, like /livez and /readyz', async () => {
  expect((await clientOf(server).get('/livez')).status).toBe(200);
  expect((await metricsOf(server)).size).toBeGreaterThan(10);
});

it('[I2] /metrics needs a role where other machines reach it, or has a port of its own', async () => {
  const environment = { STRATALOG_EMBEDDER: 'deterministic', STRATALOG_HOST: '0.0.0.0' };
  const exposed = await startServer({ environment });
  try {
    const tenant = freshTenant();
    const admin = await clientWithKey(exposed, { tenant, role: 'admin' });
    const operator = await clientWithKey(exposed, { tenant, role: 'operator' });
    const member = await clientWithKey(exposed, { tenant, role: 'member', user: 'bob' });
    const statuses = [clientOf(exposed), member, operator, admin, clientOf(exposed, exposed.masterKey)].map(
      async (client) => (await client.get('/metrics')).status,
    );
    expect(await Promise.all(statuses)).toEqual([401, 403, 200, 200, 200]);
  } finally {
    await exposed.remove();
  }
  const apart = await startServer({ environment: { ...environment, STRATALOG_METRICS_PORT: '0' } });
  try {
    const urls = apart.log.map((line) => JSON.parse(line).url as string | undefined);
    const own = urls.find((url) => url?.endsWith('/metrics'))!;
    expect((await metricsOf({ url: own.replace('/metrics', '') })).size).toBeGreaterThan(10);
    expect((await clientOf(apart, apart.masterKey).get('/metrics')).status).toBe(404);
    expect((await clientOf({ url: own.replace('/metrics', '') }).get('/v1/stats')).status).toBe(404);
  } finally {
    await apart.remove();
  }
}, 60_000);
