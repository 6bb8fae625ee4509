import { afterAll, describe, expect, it } from 'vitest';
import { clientOf, type Json } from '../support/api.ts';
import { stratalogAs } from '../support/cli.ts';
import { auditEvents } from '../support/events.ts';
import { metricsOf } from '../support/metrics.ts';
import { expectInvalid, expectProblem } from '../support/problem.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useServer, useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');

describe('Bootstrapping', () => {
  it('[C6] synthetic decisions teach a tenant that has none of its own, once, and are marked in the log', async () => {
    const tenant = await newTenant(server);
    const operator = await tenant.key({ role: 'operator' });
    const train = (body: unknown) => operator.post('/v1/admin/policies/train', body);
    const [first, second] = await Promise.all([train({ bootstrap: true }), train({ bootstrap: true })]);
    const learned = [first.body, second.body].map(({ learnedFrom }) => learnedFrom);
    expect(learned.sort((a, b) => a - b)).toEqual([0, 24]);
    const again = await train({ bootstrap: true });
    expect(again).toMatchObject({ status: 200, body: { version: 'learned-1', learnedFrom: 0 } });
    const [event, ...others] = await auditEvents(tenant.admin, 'type=PolicyUpdated', again.body.position);
    expect(others).toEqual([]);
    expect(event).toMatchObject({ data: { version: 'learned-1', bootstrap: true, state: { steps: 1 } } });
  });

  it('[C3] [A11] training under an Idempotency-Key is answered as the first time', async () => {
    const { admin } = await newTenant(server);
    const train = () => admin.post('/v1/admin/policies/train', {}, { 'idempotency-key': 'once' });
    const first = await train();
    expect(first).toMatchObject({ status: 200, body: { learnedFrom: 0 } });
    await admin.store({ content: 'The log has moved on.' });
    const again = await train();
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  it('[C6] [C7] [J4] what was learned is listed, evaluated, promoted and rolled back by the command line', async () => {
    const { admin } = await newTenant(server);
    const version = 'learned-1';
    const { body } = await admin.post('/v1/admin/policies/train', { bootstrap: true });
    expect(body).toMatchObject({ version });
    await admin.get(`/v1/admin/policies?minPosition=${body.position}&waitMs=20000`);
    const policies = (...args: string[]) => stratalogAs(server, admin, 'policies', ...args);
    const listed = await policies('list');
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^rules-1 +in-force/m) });
    expect(listed.stdout).toMatch(/^learned-1 +learning/m);
    expect(listed.stdout).toMatch(/^base-0 +candidate/m);
    const evaluated = await policies('evaluate', version, '--json');
    expect(evaluated.json).toMatchObject({ version, figures: { matched: expect.any(Number) } });
    expect(evaluated.json).toMatchObject({ incumbent: 'rules-1', comparedWith: 'rules-1' });
    const forced = await policies('promote', version, '--force');
    expect(forced).toMatchObject({ code: 0, stdout: `in force: ${version}\n` });
    // It is the only candidate still, and is compared with what it has replaced.
    await expect
      .poll(async () => (await policies('evaluate')).stdout, { timeout: 20_000 })
      .toMatch(/^learned-1 \(in force\) instead of rules-1: keep-collecting \(.*\)$/m);
    const replaced = await policies('evaluate', 'rules-1', '--json');
    expect(replaced.json).toMatchObject({ incumbent: version, comparedWith: version });
    const back = await policies('rollback');
    expect(back).toMatchObject({ code: 0, stdout: 'in force: rules-1\n' });
  });

  it('[C7] a version that cannot be rolled back is refused with what to do instead', async () => {
    const { admin } = await newTenant(server);
    const rollBack = (version: string) => admin.post(`/v1/admin/policies/${version}/rollback`);
    const rule = await rollBack('rules-1');
    expectProblem(rule, 409, 'policy-not-live');
    expect(rule.body.detail).toBe(
      'rules-1 cannot be rolled back, because it is the rule, which has no predecessor: promote another version',
    );
    expectProblem(await rollBack('zzz'), 404, 'not-found');
    const { body } = await admin.post('/v1/admin/policies/train', { bootstrap: true });
    await admin.get(`/v1/admin/policies?minPosition=${body.position}&waitMs=20000`);
    const idle = await rollBack('learned-1');
    expectProblem(idle, 409, 'policy-not-live');
    expect(idle.body.detail).toBe(
      'learned-1 cannot be rolled back, because it has no traffic: promote another version',
    );
    expect((await admin.post('/v1/admin/policies/learned-1/promote', { force: true })).status).toBe(200);
    expect((await rollBack('rules-1')).body.detail).toBe(
      'rules-1 cannot be rolled back, because it has no traffic: promote another version or roll back learned-1',
    );
  });

  it('[C6] is for operators and admins, and says what it takes', async () => {
    const tenant = await newTenant(server);
    const member = await tenant.key({ user: 'mia' });
    expectProblem(await member.post('/v1/admin/policies/train', { bootstrap: true }), 403, 'forbidden');
    expectInvalid(await tenant.admin.post('/v1/admin/policies/train', { bootstrap: 'yes' }), 'bootstrap');
  });
});

const complex = 'Compare all decisions of the search team and the billing team, and list every difference';

/** Stores what the question asks for, and waits until searches find it. */
async function storeDecisions({ admin }: Tenant): Promise<void> {
  const contents = ['The decision of the search team is HNSW.', 'The decision of the billing team is IVF.'];
  const lines = await admin.bulk(contents.map((content) => ({ content, layer: 'company' })));
  const { position } = lines.at(-1)!;
  const asked = { query: complex, threshold: 0, minPosition: position, waitMs: 20_000 };
  expect((await admin.post('/v1/search', asked)).body.results).toHaveLength(2);
}

/** Asks the same complex questions, each in a session of its own, and says that only what was decomposed was of use. */
async function askAndReward({ admin }: Tenant, questions: number): Promise<readonly Json[]> {
  const asked: Json[] = [];
  const ask = async (number: number): Promise<void> => {
    const { body } = await admin.post('/v1/search', {
      query: complex,
      threshold: 0,
      topK: 1,
      sessionId: `s-${number}`,
    });
    const audit = await admin.get(`/v1/audit/searches/${body.searchId}?waitMs=20000`);
    const { taken } = audit.body;
    const used = taken === 'decomposition' ? [body.results[0].memory.id] : [];
    const posted = await admin.post(`/v1/searches/${body.searchId}/outcome`, { used });
    expect(posted, JSON.stringify(posted.body)).toMatchObject({ status: 200 });
    asked.push(audit.body);
  };
  const offset = Math.floor(Math.random() * 1e9);
  // Not faster than the server learns from them, so that exploration follows what is learned.
  const atOnce = 10;
  for (let from = 0; from < questions; from += atOnce)
    await Promise.all(
      Array.from({ length: Math.min(atOnce, questions - from) }, (_, index) => ask(offset + from + index)),
    );
  return asked;
}

describe('Decomposition Training', () => {
  it('[C2] Compute reward from outcome · [C3] Update policy weights · [C3] Persist trainer state · [C4] with enough reward the routing provably shifts · [C7] it is promoted when it is proven, and rolled back by one command', async () => {
    const tenant = await newTenant(server);
    const { admin } = tenant;
    const operator = await tenant.key({ role: 'operator' });
    await storeDecisions(tenant);
    expect((await admin.patch('/v1/admin/routing', { threshold: 1 })).status).toBe(200);
    const policies = async () => (await operator.get('/v1/admin/policies')).body;
    const versions = async () =>
      (await policies()).items.map(({ version, state }: Json) => [version, state]) as [string, string][];
    expect(await policies()).toMatchObject({ inForce: 'rules-1', candidate: 'base-0', needed: 50 });
    expect(await versions()).toEqual([
      ['rules-1', 'in-force'],
      ['base-0', 'candidate'],
    ]);
    const early = await operator.post('/v1/admin/policies/base-0/promote');
    expectProblem(early, 409, 'not-proven');
    expect(early.body).toMatchObject({ figures: { matched: 0 }, needed: 50 });
    const forced = await operator.post('/v1/admin/policies/base-0/promote', { force: true });
    expectProblem(forced, 403, 'forbidden');

    let asked = await askAndReward(tenant, 100);
    const unexplored = asked.filter(({ incumbent }) => incumbent === 'standard');
    expect(unexplored).toHaveLength(100);
    for (let round = 0; (await policies()).inForce === 'rules-1'; round += 1) {
      expect(round, 'rounds until the policy is promoted').toBeLessThan(12);
      asked = await askAndReward(tenant, 50);
    }
    const { inForce } = await policies();
    await expect
      .poll(async () => (await askAndReward(tenant, 1))[0]!.policyVersion, { timeout: 20_000 })
      .toBe(inForce);
    // Without exploration every question takes the route that was learned.
    expect((await admin.patch('/v1/admin/routing', { exploration: false })).status).toBe(200);
    const shifted = await askAndReward(tenant, 10);
    expect(shifted.map(({ taken }) => taken)).toEqual(Array.from({ length: 10 }, () => 'decomposition'));

    const updates = await auditEvents(admin, 'type=PolicyUpdated');
    const consumed = updates.flatMap(({ data }) => data.consumed) as readonly {
      searchId: string;
      reward: number;
    }[];
    expect(new Set(consumed.map(({ searchId }) => searchId)).size).toBe(consumed.length);
    expect(consumed.length).toBeGreaterThanOrEqual(20);
    const rewards = [...new Set(consumed.map(({ reward }) => Math.round(reward * 10) / 10))];
    expect(rewards.sort((a, b) => a - b)).toEqual([-0.2, 1]);
    const promotions = await auditEvents(admin, 'type=PolicyPromoted');
    expect(promotions.map(({ data }) => data.share).sort()).toEqual(['all', 'canary']);
    const canary = promotions.find(({ data }) => data.share === 'canary');
    expect(canary!.data.figures.interval[0]).toBeGreaterThan(0);

    const shown = await policies();
    const item = (version: string) => shown.items.find((one: Json) => one.version === version);
    // The few decisions of the canary may be too few for an interval.
    expect(item(inForce)).toMatchObject({ state: 'in-force', figures: { matched: expect.any(Number) } });
    const [standard, decomposition] = item('rules-1').observed.arms;
    expect(standard).toMatchObject({ arm: 'standard', success: 0 });
    expect(decomposition).toMatchObject({ arm: 'decomposition', success: 1 });
    expect(standard.propensity + decomposition.propensity).toBeCloseTo(1, 9);
    const evaluated = await operator.get(`/v1/admin/policies/${inForce}/evaluation`);
    expect(evaluated.body).toMatchObject({
      version: inForce,
      incumbent: inForce,
      comparedWith: 'rules-1',
      verdict: 'keep-collecting',
    });
    expect(item(inForce).comparedWith).toBe('rules-1');
    const auditor = await tenant.key({ role: 'auditor' });
    expect((await auditor.get('/v1/admin/policies')).body.inForce).toBe(inForce);
    expectProblem(await auditor.post(`/v1/admin/policies/${inForce}/rollback`), 403, 'forbidden');
    const unknown = await operator.get('/v1/admin/policies/learned-9999/evaluation');
    expectProblem(unknown, 404, 'not-found');
    expect(unknown.body.detail).toContain('GET /v1/admin/policies');

    const back = await operator.post(`/v1/admin/policies/${inForce}/rollback`);
    expect(back).toMatchObject({ status: 200, body: { inForce: 'rules-1' } });
    expectProblem(await operator.post(`/v1/admin/policies/${inForce}/rollback`), 409, 'policy-not-live');
    const again = await admin.post(`/v1/admin/policies/${inForce}/promote`, { force: true });
    expect(again).toMatchObject({ status: 200, body: { inForce } });
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toMatch(/^memory_rlm_training_reward_count.* [1-9]/m);
    expect(metrics).toMatch(/^memory_rlm_training_exploration_rate.* 0\.\d+/m);
  });
});

describe('Trainer State Persistence', () => {
  const environment = { STRATALOG_EMBEDDER: 'deterministic' };
  const first = useServer({ because: 'it is killed', environment });
  let second: TestServer | undefined;
  afterAll(() => second?.stop());

  it('[J6] Training metrics · are there before anything was learned, and count a bootstrap with its negative rewards', async () => {
    const shown = async (name: string) => (await metricsOf(first)).get(`memory_rlm_training_${name}`);
    expect([await shown('reward_count'), await shown('exploration_rate')]).toEqual([0, 0.2]);
    const { admin } = await newTenant(first);
    const headers = { 'idempotency-key': 'begin' };
    for (const learnedFrom of [24, 24]) {
      const done = await admin.post('/v1/admin/policies/train', { bootstrap: true }, headers);
      expect(done).toMatchObject({ status: 200, body: { learnedFrom } });
    }
    expect(await shown('reward_count')).toBe(24);
    expect(await shown('reward_bucket{le="-0.25"}')).toBe(0);
    expect(await shown('reward_bucket{le="0"}')).toBe(12);
    await expect.poll(() => shown('exploration_rate')).toBeCloseTo(0.2 * 0.999 ** 24, 9);
  });

  it('[C3] Restore trainer state on startup · after kill -9 while decisions are learned from, each was learned from once', async () => {
    const tenant = await newTenant(first);
    await storeDecisions(tenant);
    // Killed at any moment between finished decisions and a step that was written and marked.
    // About three tenths of them are learned from, and at least 20 must be.
    await askAndReward(tenant, 120);
    await first.stop('SIGKILL');
    second = await startServer({ dataDir: first.dataDir, environment });
    const admin = clientOf(second, tenant.admin.key);
    const policies = async () => (await admin.get('/v1/admin/policies')).body;
    await expect
      .poll(async () => (await policies()).decisions, { timeout: 30_000 })
      .toBeGreaterThanOrEqual(20);
    const { decisions, items, candidate } = await policies();
    const exploration = async () =>
      (await metricsOf(second!)).get('memory_rlm_training_exploration_rate')! -
      (await policies()).exploration;
    await expect.poll(exploration).toBeCloseTo(0, 9);
    // The base is compared first.
    expect(candidate).toBe('base-0');
    const learned = `learned-${decisions / 20}`;
    expect(items.map(({ version }: Json) => version)).toContain(learned);
    let consumed: readonly { searchId: string }[] = [];
    // The read model of the audit may lag behind that of the policies.
    await expect
      .poll(
        async () => {
          consumed = (await auditEvents(admin, 'type=PolicyUpdated')).flatMap(({ data }) => data.consumed);
          return consumed.length;
        },
        { timeout: 30_000 },
      )
      .toBeGreaterThanOrEqual(decisions);
    expect(new Set(consumed.map(({ searchId }) => searchId)).size).toBe(consumed.length);
  });
});
