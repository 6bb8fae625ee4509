import { describe, expect, it } from 'vitest';
import { clientWithKey, freshTenant, type Json } from '../support/api.ts';
import { comparison, SearchTenant } from '../support/search-tenant.ts';
import { useServer, useSharedServer } from '../support/use-server.ts';

const server = useSharedServer();
const newTenant = () => SearchTenant.create(server, { request: { topK: 4 } });

describe('routing settings', () => {
  it('[B9] route by threshold, then by a share of the questions, and the same question always takes the same route', async () => {
    const own = await newTenant();
    const routeOf = async (query: string): Promise<string> => (await own.ask(query)).audit.route;
    await own.configure({ threshold: 0.5 });
    expect(await routeOf('Compare the retry policies of all teams')).toBe('decomposition');
    expect((await own.ask(comparison)).audit).toMatchObject({ route: 'standard', reason: 'below-threshold' });
    await own.configure({ threshold: 0.3 });
    expect(await routeOf(comparison)).toBe('decomposition');
    await own.configure({ share: 0.5 });
    const questions = Array.from({ length: 12 }, (_, number) => `List all policies of release ${number}`);
    const first = await Promise.all(questions.map(routeOf));
    expect(new Set(first)).toEqual(new Set(['standard', 'decomposition']));
    expect(await Promise.all(questions.map(routeOf))).toEqual(first);
    await own.configure({ share: 0 });
    expect((await own.ask(comparison)).audit).toMatchObject({ route: 'standard', reason: 'not-in-share' });
  });

  it('[B9] shadow mode answers with the standard search, runs the executor in parallel, and records the difference', async () => {
    const own = await newTenant();
    const plain = await own.search(comparison, { mode: 'standard' });
    await own.configure({ shadow: true });
    const answer = await own.search(comparison);
    expect(answer.results).toEqual(
      plain.results.map((result: Json) => ({
        ...result,
        memory: expect.objectContaining({ id: result.memory.id }),
      })),
    );
    expect(answer.warnings).toEqual([]);
    await expect
      .poll(async () => (await own.audited(answer.searchId)).trajectory, { timeout: 20_000 })
      .toMatchObject({ outcome: 'complete', shown: false, difference: { shared: expect.any(Number) } });
    const audit = await own.audited(answer.searchId);
    expect(audit).toMatchObject({ route: 'standard', reason: 'shadow' });
    expect(audit.trajectory.steps.length).toBeGreaterThan(2);
    const { shared, missing } = audit.trajectory.difference;
    expect(shared + missing).toBe(answer.results.length);
  });

  it('[B8] the tenant flag and the global kill switch return routing to the standard route immediately', async () => {
    const [own, other] = [await newTenant(), await newTenant()];
    await own.configure({ enabled: false });
    expect((await own.ask(comparison)).audit).toMatchObject({ route: 'standard', reason: 'disabled' });
    expect((await other.ask(comparison)).audit.route).toBe('decomposition');
    const engage = (engaged: boolean) => own.admin.post('/v1/admin/policies/kill-switch', { engaged });
    try {
      expect((await engage(true)).body).toMatchObject({ engaged: true, position: expect.any(String) });
      expect((await other.ask(comparison)).audit).toMatchObject({ route: 'standard', reason: 'kill-switch' });
      expect((await own.admin.get('/v1/admin/routing')).body.killSwitch).toBe(true);
    } finally {
      expect((await engage(false)).status).toBe(200);
    }
    expect((await other.ask(comparison)).audit.route).toBe('decomposition');
  });

  it('[B8] can be changed by operators and admins only, and each change is an event with its reason', async () => {
    const own = await newTenant();
    const as = (role: string) => clientWithKey(server, { tenant: own.name, role, user: role });
    for (const role of ['member', 'reader', 'auditor']) {
      const client = await as(role);
      expect((await client.patch('/v1/admin/routing', { threshold: 0.5 })).status, role).toBe(403);
      expect((await client.post('/v1/admin/policies/kill-switch', {})).status, role).toBe(403);
    }
    const operator = await as('operator');
    const headers = { 'x-reason': 'lower it slowly', 'idempotency-key': 'once' };
    const changed = await operator.patch(
      '/v1/admin/routing',
      { threshold: 0.5, budgets: { queries: 9 } },
      headers,
    );
    expect(changed.body.settings).toMatchObject({
      enabled: true,
      threshold: 0.5,
      budgets: { queries: 9, depth: 3 },
    });
    const again = await operator.patch(
      '/v1/admin/routing',
      { threshold: 0.5, budgets: { queries: 9 } },
      headers,
    );
    expect(again.body).toEqual(changed.body);
    const minPosition = changed.body.position;
    const { items } = (
      await own.admin.get(`/v1/audit/events?type=RoutingConfigured&waitMs=20000&minPosition=${minPosition}`)
    ).body;
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ reason: 'lower it slowly', data: { threshold: 0.5, share: 1 } });
    for (const wrong of [{ threshold: 2 }, { share: -1 }, { nonsense: true }, { budgets: { queries: 0 } }]) {
      expect((await operator.patch('/v1/admin/routing', wrong)).status, JSON.stringify(wrong)).toBe(400);
    }
  });
});

describe('a process with routing disabled in its configuration', () => {
  const off = useServer({
    because: 'routing is switched off for the process',
    environment: { STRATALOG_ROUTING: 'off', STRATALOG_EMBEDDER: 'deterministic' },
  });

  it('[B8] takes the standard route whatever the tenants have set', async () => {
    const admin = await clientWithKey(off, { tenant: freshTenant(), role: 'admin', user: 'ada' });
    expect((await admin.patch('/v1/admin/routing', { threshold: 0 })).status).toBe(200);
    const { body } = await admin.post('/v1/search', { query: comparison, threshold: 0 });
    const audit = await admin.get(`/v1/audit/searches/${body.searchId}?waitMs=20000`);
    expect(audit.body).toMatchObject({ route: 'standard', reason: 'switched-off' });
    expect((await admin.get('/v1/admin/routing')).body.switchedOff).toBe(true);
  });
});
