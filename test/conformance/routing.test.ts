import { beforeAll, describe, expect, it } from 'vitest';
import { clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { useServer } from '../support/server.ts';

const server = useServer();

const comparison = 'What is the difference between the retry policies of Search and Billing?';
const simple = 'How are signing keys rotated?';

const memories = [
  ...['search-api', 'search-index'].map((team) => ({
    externalId: team,
    layer: 'team',
    scope: { org: 'search', team },
    content: `Search retry policies: ${team} tries a failed request three times with a growing pause`,
  })),
  ...['billing-core', 'billing-invoices', 'billing-tax'].map((team) => ({
    externalId: team,
    layer: 'team',
    scope: { org: 'billing', team },
    content: `Billing retry policies: ${team} never repeats a payment by itself`,
  })),
  { externalId: 'keys', layer: 'company', content: 'Signing keys are rotated every month by the platform' },
];

interface Asked {
  readonly answer: Json;
  readonly audit: Json;
}

/** A tenant with memories of two orgs, and what its admin, who is also the auditor, asks it. */
class Tenant {
  readonly admin: Client;
  readonly name: string;
  readonly position: string;

  private constructor(admin: Client, name: string, position: string) {
    this.admin = admin;
    this.name = name;
    this.position = position;
  }

  static async create(): Promise<Tenant> {
    const name = freshTenant();
    const admin = await clientWithKey(server, { tenant: name, role: 'admin', user: 'ada' });
    const lines = await admin.bulk(memories);
    expect(lines.map(({ status }) => status)).toEqual(memories.map(() => 201));
    return new Tenant(admin, name, lines.at(-1)!.position);
  }

  async search(query: string, more: Record<string, unknown> = {}): Promise<Json> {
    const body = { query, threshold: 0, topK: 4, minPosition: this.position, ...more };
    const reply = await this.admin.post('/v1/search', body);
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
    return reply.body;
  }

  async audited(searchId: string): Promise<Json> {
    const reply = await this.admin.get(`/v1/audit/searches/${searchId}?waitMs=20000`);
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
    return reply.body;
  }

  async ask(query: string, more: Record<string, unknown> = {}): Promise<Asked> {
    const answer = await this.search(query, more);
    return { answer, audit: await this.audited(answer.searchId) };
  }

  async configure(change: Record<string, unknown>): Promise<Json> {
    const reply = await this.admin.patch('/v1/admin/routing', change);
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
    return reply.body;
  }
}

const namesOf = (answer: Json): string[] => answer.results.map(({ memory }: Json) => memory.externalId);
const actionsOf = (audit: Json): string[] => audit.trajectory.steps.map(({ action }: Json) => action);

describe('the route of a question', () => {
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await Tenant.create();
  });

  it('[B1] is the standard one below the threshold: no executor, its signals on record', async () => {
    const { audit } = await tenant.ask(simple);
    expect(audit).toMatchObject({ route: 'standard', reason: 'below-threshold', threshold: 0.3 });
    expect(audit.trajectory).toBeUndefined();
    expect(audit.score).toBeLessThan(0.3);
    const weights = audit.signals.map(({ name, weight }: Json) => [name, weight]);
    expect(Object.fromEntries(weights)).toEqual({
      layers: 0.3,
      aggregation: 0.25,
      comparison: 0.25,
      structure: 0.2,
    });
  });

  it('[B1] is the executor at or above it, and the score is the weighted sum of the signals', async () => {
    const { audit } = await tenant.ask(comparison);
    expect(audit).toMatchObject({ route: 'decomposition', reason: 'complex', policyVersion: 'rules-1' });
    const sum = audit.signals.reduce((total: number, { value, weight }: Json) => total + value * weight, 0);
    expect(audit.score).toBeCloseTo(Math.min(1, sum), 5);
  });

  it('[B1] follows the threshold of the tenant', async () => {
    const own = await Tenant.create();
    await own.configure({ threshold: 0.9 });
    expect((await own.ask(comparison)).audit).toMatchObject({ route: 'standard', threshold: 0.9 });
    await own.configure({ threshold: 0 });
    expect((await own.ask(simple)).audit).toMatchObject({ route: 'decomposition', threshold: 0 });
  });

  it('[D8] is the standard one with mode standard, for that search alone', async () => {
    const { audit: past } = await tenant.ask(comparison, { asOf: tenant.position });
    expect(past).toMatchObject({ route: 'standard', reason: 'as-of' });
    const { audit } = await tenant.ask(comparison, { mode: 'standard' });
    expect(audit).toMatchObject({ route: 'standard', reason: 'asked-for-standard' });
    expect(audit.score).toBeGreaterThanOrEqual(0.3);
    expect((await tenant.ask(comparison)).audit.route).toBe('decomposition');
  });
});

describe('the steps of a complex question', () => {
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await Tenant.create();
  });

  it('[B3] are recorded with time, duration, tokens, propensity, action set and features', async () => {
    const { audit } = await tenant.ask(comparison);
    const { steps, ...trajectory } = audit.trajectory;
    expect(trajectory).toMatchObject({ outcome: 'complete', shown: true, strategy: 'compare', maxDepth: 0 });
    expect(actionsOf(audit)).toEqual([
      'SearchLayer',
      'SearchLayer',
      'SearchLayer',
      'FilterByRelevance',
      'Aggregate',
    ]);
    for (const [index, step] of steps.entries()) {
      expect(step).toMatchObject({ step: index + 1, status: 'done', propensity: 1, depth: 0 });
      expect(Date.parse(step.at)).toBeGreaterThanOrEqual(Date.parse(trajectory.startedAt));
      expect(step.durationMs).toBeGreaterThanOrEqual(0);
      expect(step.choices).toContain(step.action);
      expect(step.features).toMatchObject({ score: audit.score, operands: 2 });
    }
    const searches = steps.filter(({ action }: Json) => action === 'SearchLayer');
    for (const step of searches) {
      expect(step).toMatchObject({ queries: 1 });
      expect(step.tokens).toBeGreaterThan(0);
      expect(step.arguments.query).toEqual(expect.any(String));
    }
    expect(trajectory.tokens).toBe(searches.reduce((sum: number, { tokens }: Json) => sum + tokens, 0));
  });

  it('[B6] compare brings each side in turn, of real memories', async () => {
    const { answer, audit } = await tenant.ask(comparison, { order: 'relevance' });
    expect(audit.trajectory.strategy).toBe('compare');
    const sides = answer.results.map(({ memory }: Json) => memory.scope.org);
    expect(new Set(sides.slice(0, 2))).toEqual(new Set(['search', 'billing']));
    expect(new Set(sides.slice(2, 4))).toEqual(new Set(['search', 'billing']));
    for (const { memory } of answer.results) {
      expect((await tenant.admin.get(`/v1/memories/${memory.id}`)).body).toMatchObject({
        id: memory.id,
        content: memory.content,
      });
    }
  });

  it('[B7] every result cites the steps that found it', async () => {
    const { answer, audit } = await tenant.ask(comparison);
    const searched = new Map(audit.trajectory.steps.map((step: Json) => [step.step, step]));
    expect(audit.results.map(({ memoryId }: Json) => memoryId)).toEqual(
      answer.results.map(({ memory }: Json) => memory.id),
    );
    for (const { memoryId, steps } of audit.results) {
      expect(steps.length).toBeGreaterThan(0);
      for (const number of steps) {
        const { results } = searched.get(number) as Json;
        expect(results.map((result: Json) => result.memoryId)).toContain(memoryId);
      }
    }
  });

  it('[B4] DrillDown finds the teams of the org that the question names, and narrows to them', async () => {
    const { answer, audit } = await tenant.ask('List the retry policies of all Billing teams', { topK: 10 });
    const drill = audit.trajectory.steps.find(({ action }: Json) => action === 'DrillDown');
    expect(drill).toMatchObject({ found: 3, arguments: { from: 'org', to: 'team' } });
    const narrowed = audit.trajectory.steps
      .filter(({ action, step }: Json) => action === 'SearchLayer' && step > drill.step)
      .map((step: Json) => step.arguments.scope.team);
    expect(narrowed.sort()).toEqual(['billing-core', 'billing-invoices', 'billing-tax']);
    expect(namesOf(answer).slice(0, 3).sort()).toEqual(['billing-core', 'billing-invoices', 'billing-tax']);
  });

  const nested = 'Compare the incidents across all Search teams and the payment policies of Billing';

  it('[B5] RecursiveCall takes a part that is complex itself apart again, one level deeper', async () => {
    const { audit } = await tenant.ask(nested, { topK: 10 });
    const call = audit.trajectory.steps.find(({ action }: Json) => action === 'RecursiveCall');
    expect(call).toMatchObject({ status: 'done', depth: 0 });
    const inner = audit.trajectory.steps.filter(({ parent }: Json) => parent === call.step);
    expect(inner.length).toBeGreaterThan(2);
    for (const step of inner) expect(step.depth).toBe(1);
    expect(inner.map(({ action }: Json) => action)).toContain('DrillDown');
    expect(audit.trajectory.maxDepth).toBe(1);
  });

  it('[B5] beyond the depth the call is rejected and recorded, and the run goes on', async () => {
    const own = await Tenant.create();
    await own.configure({ budgets: { depth: 0 } });
    const { answer, audit } = await own.ask(nested, { topK: 10 });
    const call = audit.trajectory.steps.find(({ action }: Json) => action === 'RecursiveCall');
    expect(call).toMatchObject({ status: 'rejected', reason: 'depth-limit', queries: 0, results: [] });
    expect(audit.trajectory).toMatchObject({ outcome: 'complete', maxDepth: 0 });
    expect(audit.route).toBe('decomposition');
    expect(answer.warnings).toEqual([]);
    expect(answer.results.length).toBeGreaterThan(0);
  });

  it('[B3] FilterByRelevance keeps to the threshold of the search', async () => {
    const { answer, audit } = await tenant.ask(comparison, { threshold: 0.5, topK: 10 });
    const filter = audit.trajectory.steps.find(({ action }: Json) => action === 'FilterByRelevance');
    expect(filter.arguments).toEqual({ min: 0.5 });
    for (const { score } of answer.results) expect(score).toBeGreaterThanOrEqual(0.5);
    expect(answer.results.length).toBeLessThanOrEqual(filter.found);
  });

  it('[B3] FilterByRecency puts what is older than the question says behind the rest', async () => {
    const own = await Tenant.create();
    const at = (occurredAt: string, externalId: string) => ({
      externalId,
      occurredAt,
      layer: 'company',
      content: `Changes of the deployment calendar: ${externalId}`,
    });
    const now = new Date().toISOString();
    const lines = await own.admin.bulk([at('2019-01-01T00:00:00Z', 'ancient'), at(now, 'fresh')]);
    const { answer, audit } = await own.ask(
      'List all changes of the deployment calendar in the last 30 days',
      {
        minPosition: lines.at(-1)!.position,
        order: 'relevance',
      },
    );
    expect(actionsOf(audit)).toContain('FilterByRecency');
    const names = namesOf(answer);
    expect(names.indexOf('fresh')).toBeLessThan(names.indexOf('ancient'));
  });
});

describe('what a run may spend', () => {
  it.each([
    ['queries', { queries: 1 }],
    ['steps', { steps: 2 }],
    ['tokens', { tokens: 20 }],
  ])('[B8] the budget of %s ends it with the best so far and a warning', async (budget, budgets) => {
    const own = await Tenant.create();
    await own.configure({ budgets });
    const { answer, audit } = await own.ask(comparison);
    expect(audit.trajectory).toMatchObject({ outcome: 'partial', interruption: budget, shown: true });
    expect(answer.warnings).toEqual([{ code: 'partial', detail: expect.any(String) }]);
    expect(answer.results.length).toBeGreaterThan(0);
    const { steps, queries, tokens } = audit.trajectory;
    const spent: Record<string, number> = { steps: steps.length, queries, tokens };
    expect(spent[budget]).toBeLessThanOrEqual(Object.values(budgets)[0]!);
  });
});

describe('what users see of it', () => {
  it('[B7] [D8] nothing: the keys of an answer are the same by every route', async () => {
    const tenant = await Tenant.create();
    const shapes = new Set<string>();
    const routes = new Set<string>();
    for (const mode of [undefined, 'standard']) {
      for (const query of [
        comparison,
        simple,
        'List all retry policies across the teams',
        'Billing vs Search',
      ]) {
        for (const order of ['precedence', 'relevance']) {
          const { answer, audit } = await tenant.ask(query, { order, ...(mode && { mode }) });
          routes.add(audit.route);
          shapes.add(
            JSON.stringify([Object.keys(answer), answer.results.map((one: Json) => Object.keys(one))[0]]),
          );
          expect(JSON.stringify(answer)).not.toMatch(/route|trajector|decompos|executor|complex/i);
          expect(answer.results.length).toBeLessThanOrEqual(4);
          expect(answer.results.map(({ rank }: Json) => rank)).toEqual(
            answer.results.map((_: Json, index: number) => index + 1),
          );
          const scores = answer.results.map(({ score }: Json) => score);
          if (order === 'relevance') expect(scores).toEqual([...scores].sort((a, b) => b - a));
          for (const score of scores) expect(score >= 0 && score <= 1).toBe(true);
        }
      }
    }
    expect([...shapes]).toHaveLength(1);
    expect([...routes].sort()).toEqual(['decomposition', 'standard']);
  });

  it('[B7] members may not read a trajectory, auditors and admins may, and each look is an event', async () => {
    const tenant = await Tenant.create();
    const { searchId } = await tenant.search(comparison);
    const as = (role: string) => clientWithKey(server, { tenant: tenant.name, role, user: role });
    const path = `/v1/audit/searches/${searchId}?waitMs=20000`;
    for (const role of ['member', 'reader', 'operator']) {
      expect((await (await as(role)).get(path)).status, role).toBe(403);
    }
    const auditor = await as('auditor');
    expect((await auditor.get(path)).status).toBe(200);
    const looks = async () => (await auditor.get('/v1/audit/events?type=AuditRead')).body.items;
    await expect
      .poll(async () => (await looks()).map(({ data }: Json) => data.what), { timeout: 20_000 })
      .toContain('audit search');
    const stranger = await Tenant.create();
    expect((await stranger.admin.get(path.replace('20000', '0'))).status).toBe(404);
    expect((await tenant.admin.get('/v1/audit/searches/nonsense')).status).toBe(404);
    expect((await tenant.admin.get(`/v1/audit/searches/${searchId.split('.')[0]}.0000`)).status).toBe(404);
  });

  it('[A5] a decomposed answer never holds what the caller may not see', async () => {
    const tenant = await Tenant.create();
    const member = await clientWithKey(server, {
      tenant: tenant.name,
      role: 'member',
      user: 'mia',
      teams: ['search-api'],
    });
    const body = { threshold: 0, topK: 100, minPosition: tenant.position };
    for (const query of [comparison, 'List the retry policies of all Billing teams', 'compare all teams']) {
      const reply = await member.post('/v1/search', { query, ...body });
      const audit = await tenant.audited(reply.body.searchId);
      expect(audit.route).toBe('decomposition');
      expect(namesOf(reply.body).sort()).toEqual(['keys', 'search-api']);
      expect(JSON.stringify(audit.trajectory)).not.toMatch(/billing-|search-index/);
    }
  });

  it('[A5] a plan stays inside the scope and the layers that were asked for', async () => {
    const tenant = await Tenant.create();
    const { answer } = await tenant.ask(comparison, { scope: { org: 'search' }, layers: ['team'], topK: 10 });
    expect(namesOf(answer).sort()).toEqual(['search-api', 'search-index']);
  });
});

describe('settings', () => {
  it('[B9] route only what is well above the threshold first, then a share, the same question always alike', async () => {
    const own = await Tenant.create();
    await own.configure({ share: 0.5 });
    const questions = Array.from({ length: 12 }, (_, number) => `List all policies of release ${number}`);
    const routeOf = async (query: string): Promise<string> => (await own.ask(query)).audit.route;
    const first = await Promise.all(questions.map(routeOf));
    expect(new Set(first)).toEqual(new Set(['standard', 'decomposition']));
    expect(await Promise.all(questions.map(routeOf))).toEqual(first);
    await own.configure({ share: 0 });
    expect((await own.ask(comparison)).audit).toMatchObject({ route: 'standard', reason: 'not-in-share' });
  });

  it('[B9] shadow shows the standard search, runs the executor beside it, and records the difference', async () => {
    const own = await Tenant.create();
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

  it('[B8] the flag of a tenant and the kill switch of all return routing to the standard route at once', async () => {
    const [own, other] = [await Tenant.create(), await Tenant.create()];
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

  it('[B8] are changed by operators and admins alone, and each change is an event with its reason', async () => {
    const own = await Tenant.create();
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

describe('a process whose configuration switches routing off', () => {
  const off = useServer({ environment: { STRATALOG_ROUTING: 'off' } });

  it('[B8] takes the standard route whatever its tenants have set', async () => {
    const admin = await clientWithKey(off, { tenant: freshTenant(), role: 'admin', user: 'ada' });
    expect((await admin.patch('/v1/admin/routing', { threshold: 0 })).status).toBe(200);
    const { body } = await admin.post('/v1/search', { query: comparison, threshold: 0 });
    const audit = await admin.get(`/v1/audit/searches/${body.searchId}?waitMs=20000`);
    expect(audit.body).toMatchObject({ route: 'standard', reason: 'switched-off' });
    expect((await admin.get('/v1/admin/routing')).body.switchedOff).toBe(true);
  });
});
