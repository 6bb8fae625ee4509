import { beforeAll, describe, expect, it } from 'vitest';
import { relevanceOf } from '../../src/domain/ranking/score-scale.ts';
import { clientWithKey, type Json } from '../support/api.ts';
import { comparison, SearchTenant, simple } from '../support/search-tenant.ts';
import { expectProblem } from '../support/problem.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer();
const newTenant = () => SearchTenant.create(server, { request: { topK: 4 } });

const namesOf = (answer: Json): string[] => answer.results.map(({ memory }: Json) => memory.externalId);
const actionsOf = (audit: Json): string[] => audit.trajectory.steps.map(({ action }: Json) => action);

describe('the route of a question', () => {
  let tenant: SearchTenant;
  beforeAll(async () => {
    tenant = await newTenant();
  });

  it('[B1] is standard below the threshold: no executor runs, and the signals are recorded', async () => {
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

  it('[B1] is the executor at or above the threshold, and the score is the weighted sum of the signals', async () => {
    const { audit } = await tenant.ask(comparison);
    expect(audit).toMatchObject({ route: 'decomposition', reason: 'complex', policyVersion: 'rules-1' });
    const sum = audit.signals.reduce((total: number, { value, weight }: Json) => total + value * weight, 0);
    expect(audit.score).toBeCloseTo(Math.min(1, sum), 5);
  });

  it('[B1] depends on the threshold of the tenant', async () => {
    const own = await newTenant();
    await own.configure({ threshold: 0.9 });
    expect((await own.ask(comparison)).audit).toMatchObject({ route: 'standard', threshold: 0.9 });
    await own.configure({ threshold: 0 });
    expect((await own.ask(simple)).audit).toMatchObject({ route: 'decomposition', threshold: 0 });
  });

  it('[D8] is standard with mode=standard, for that search only', async () => {
    const { audit: past } = await tenant.ask(comparison, { asOf: tenant.position });
    expect(past).toMatchObject({ route: 'standard', reason: 'as-of' });
    const { audit } = await tenant.ask(comparison, { mode: 'standard' });
    expect(audit).toMatchObject({ route: 'standard', reason: 'asked-for-standard' });
    expect(audit.score).toBeGreaterThanOrEqual(0.3);
    expect((await tenant.ask(comparison)).audit.route).toBe('decomposition');
  });
});

const nested = 'Compare the incidents across all Search teams and the payment policies of Billing';

describe('the steps of a complex question', () => {
  let tenant: SearchTenant;
  beforeAll(async () => {
    tenant = await newTenant();
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

  it('[D5] are planned by the rules without a language model, and cause no warning', async () => {
    const { audit } = await tenant.ask(nested, { topK: 10 });
    const calls = audit.trajectory.steps.filter(({ action }: Json) => action === 'RecursiveCall');
    const byRules = { by: 'rules', durationMs: expect.any(Number), tokens: 0 };
    expect(calls.length).toBeGreaterThan(0);
    expect(audit.trajectory.planning).toEqual([
      { ...byRules, depth: 0 },
      ...calls.map(({ step }: Json) => ({ ...byRules, depth: 1, parent: step })),
    ]);
    const spent = await tenant.admin.get('/v1/audit/events?type=LanguageModelCalled');
    expect(spent.body.items).toEqual([]);
  });

  it('[B6] of a comparison fill the results evenly from each side with real memories', async () => {
    const { answer, audit } = await tenant.ask(comparison, { order: 'relevance', topK: 4 });
    expect(audit.trajectory.strategy).toBe('compare');
    const sides = answer.results.map(({ memory }: Json) => memory.scope.org);
    expect(sides.sort()).toEqual(['billing', 'billing', 'search', 'search']);
    for (const { memory } of answer.results) {
      expect((await tenant.admin.get(`/v1/memories/${memory.id}`)).body).toMatchObject({
        id: memory.id,
        content: memory.content,
      });
    }
  });

  it('[A7] [D3] give scores that do not depend on the threshold, and all results that reach it', async () => {
    const options = { order: 'relevance', topK: 50 };
    const scored = async (threshold: number): Promise<[string, number][]> => {
      const { answer } = await tenant.ask(comparison, { ...options, threshold });
      return answer.results.map(({ memory, score }: Json) => [memory.id, score]);
    };
    const all = await scored(0);
    expect(all.map(([, score]) => score)).toEqual(all.map(([, score]) => score).sort((a, b) => b - a));
    for (const threshold of [0.05, 0.2, 0.5, all[2]![1]]) {
      expect(await scored(threshold)).toEqual(all.filter(([, score]) => score >= threshold));
    }
  });

  it('[B7] are cited by every result that they found', async () => {
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

  it('[B4] DrillDown finds the teams of the org named in the question, and narrows the search to them', async () => {
    const { answer, audit } = await tenant.ask('List the retry policies of all Billing teams', { topK: 10 });
    const drill = audit.trajectory.steps.find(({ action }: Json) => action === 'DrillDown');
    expect(drill).toMatchObject({ found: 3, arguments: { from: 'org', to: 'team' } });
    const narrowed = audit.trajectory.steps
      .filter(({ action, step }: Json) => action === 'SearchLayer' && step > drill.step)
      .map((step: Json) => step.arguments.scope.team);
    expect(narrowed.sort()).toEqual(['billing-core', 'billing-invoices', 'billing-tax']);
    expect(namesOf(answer).slice(0, 3).sort()).toEqual(['billing-core', 'billing-invoices', 'billing-tax']);
  });

  it('[B5] RecursiveCall decomposes a complex subquery again, one level deeper', async () => {
    const { audit } = await tenant.ask(nested, { topK: 10 });
    const call = audit.trajectory.steps.find(({ action }: Json) => action === 'RecursiveCall');
    expect(call).toMatchObject({ status: 'done', depth: 0 });
    const inner = audit.trajectory.steps.filter(({ parent }: Json) => parent === call.step);
    expect(inner.length).toBeGreaterThan(2);
    for (const step of inner) expect(step.depth).toBe(1);
    expect(inner.map(({ action }: Json) => action)).toContain('DrillDown');
    expect(audit.trajectory.maxDepth).toBe(1);
  });

  it('[B5] a call beyond the maximum depth is rejected and recorded, and the run continues', async () => {
    const own = await newTenant();
    await own.configure({ budgets: { depth: 0 } });
    const { answer, audit } = await own.ask(nested, { topK: 10 });
    const call = audit.trajectory.steps.find(({ action }: Json) => action === 'RecursiveCall');
    expect(call).toMatchObject({ status: 'rejected', reason: 'depth-limit', queries: 0, results: [] });
    expect(audit.trajectory).toMatchObject({ outcome: 'complete', maxDepth: 0 });
    expect(audit.route).toBe('decomposition');
    expect(answer.warnings).toEqual([]);
    expect(answer.results.length).toBeGreaterThan(0);
  });

  it('[B3] FilterByRelevance applies the threshold of the search', async () => {
    const { answer, audit } = await tenant.ask(comparison, { threshold: 0.5, topK: 10 });
    const filter = audit.trajectory.steps.find(({ action }: Json) => action === 'FilterByRelevance');
    expect(filter.arguments.min).toBeCloseTo(relevanceOf(0.5), 6);
    expect(answer.results.length).toBeGreaterThan(0);
    for (const { score } of answer.results) expect(score).toBeGreaterThanOrEqual(0.5);
    expect(answer.results.length).toBeLessThanOrEqual(filter.found);
  });

  it('[B3] FilterByRecency ranks what is older than the question asks for last', async () => {
    const own = await newTenant();
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
        topK: 10,
      },
    );
    expect(actionsOf(audit)).toContain('FilterByRecency');
    const names = namesOf(answer);
    expect(names.indexOf('fresh')).toBeLessThan(names.indexOf('ancient'));
  });
});

describe('the budget of a run', () => {
  it.each([
    ['queries', { queries: 1 }],
    ['steps', { steps: 2 }],
    ['tokens', { tokens: 20 }],
  ])('[B8] for %s ends the run with the best results so far and a warning', async (budget, budgets) => {
    const own = await newTenant();
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

describe('visibility of routing', () => {
  it('[B7] [D8] answers have the same fields whichever route was taken', async () => {
    const tenant = await newTenant();
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

  it('[B7] auditors and admins can read a trajectory, members cannot, and each read is an event', async () => {
    const tenant = await newTenant();
    const { searchId } = await tenant.search(comparison);
    const as = (role: string) => clientWithKey(server, { tenant: tenant.name, role, user: role });
    const path = `/v1/audit/searches/${searchId}?waitMs=20000`;
    for (const role of ['member', 'reader', 'operator']) {
      expect((await (await as(role)).get(path)).status, role).toBe(403);
    }
    const auditor = await as('auditor');
    expect((await auditor.get(path)).status).toBe(200);
    const { position } = await tenant.admin.store({ content: 'acknowledged' });
    expect((await auditor.get(`${path}&minPosition=${position}`)).status).toBe(200);
    expectProblem(await auditor.get(`${path}&minPosition=nonsense`), 400, 'position-unknown');
    const reads = async () => (await auditor.get('/v1/audit/events?type=AuditRead')).body.items;
    await expect
      .poll(async () => (await reads()).map(({ data }: Json) => data.what), { timeout: 20_000 })
      .toContain('audit search');
    const stranger = await newTenant();
    expect((await stranger.admin.get(path.replace('20000', '0'))).status).toBe(404);
    expect((await tenant.admin.get('/v1/audit/searches/nonsense')).status).toBe(404);
    expect((await tenant.admin.get(`/v1/audit/searches/${searchId.split('.')[0]}.0000`)).status).toBe(404);
  });

  it('[A5] a decomposed answer never contains what the caller cannot see', async () => {
    const tenant = await newTenant();
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

  it('[A5] a plan stays within the requested scope and layers', async () => {
    const tenant = await newTenant();
    const { answer } = await tenant.ask(comparison, { scope: { org: 'search' }, layers: ['team'], topK: 10 });
    expect(namesOf(answer).sort()).toEqual(['search-api', 'search-index']);
  });
});
