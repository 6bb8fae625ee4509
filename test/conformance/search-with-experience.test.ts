import { describe, expect, it, vi } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { attempt, history, record } from '../support/attempts.ts';
import { expectInvalid, expectProblem } from '../support/problem.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer();

describe('a search with experience', () => {
  const question = attempt.query;

  async function crm(): Promise<{ tenant: Tenant; user: Client; id: string }> {
    const own = await newTenant(server);
    const user = await own.key({ user: 'nora' });
    const { memory } = await user.store({
      content: 'Salesforce Einstein best practices: score leads with two years of data.',
      spaces: ['crm'],
    });
    const elsewhere = 'Salesforce Einstein best practices of the old handbook';
    const { position } = await user.store({ content: elsewhere, spaces: ['attic'] });
    await user.post('/v1/search', { query: 'ready', minPosition: position });
    return { tenant: own, user, id: memory.id };
  }

  const ask = async (client: Client, body: Json = {}): Promise<Json> => {
    const reply = await client.post('/v1/reasoning/search', { query: question, ...body });
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
    return reply.body;
  };

  it('[C9] applies what worked for similar questions, avoids what failed, and leaves alone what the caller chose', async () => {
    const { user } = await crm();
    const first = await ask(user);
    expect(first.reasoning).toEqual({
      strategyUsed: 'default',
      learnedFrom: [],
      outcome: 'pending',
      adjustmentsMade: [],
      executionTimeMs: expect.any(Number),
    });
    const failed = await record(user, { approach: 'broad search', outcome: 'failure' });
    const worked = await record(user, { strategy: { spaces: ['crm'], secret: 1 } });
    const again = { query: 'Salesforce Einstein best practices', minPosition: worked.position };
    const { results, reasoning } = await ask(user, again);
    expect(results.length).toBeGreaterThan(0);
    expect(results.every(({ memory }: Json) => memory.spaces.includes('crm'))).toBe(true);
    expect(reasoning).toMatchObject({
      strategyUsed: 'like-trace',
      adjustmentsMade: ['spaces: crm (it worked for similar questions)'],
    });
    expect(reasoning.learnedFrom).toEqual([worked.trace.id, failed.trace.id]);
    const chosen = await ask(user, { spaces: ['attic'], topK: 1 });
    expect(chosen.results).toMatchObject([{ memory: { spaces: ['attic'] } }]);
    expect(chosen.reasoning.adjustmentsMade).toEqual([]);
    expect((await user.post('/v1/search', { query: question })).body.reasoning).toBeUndefined();
  });

  it('[C9] never shows more, or from a lower score on, than a bare search: not even what worked, unless it is sent', async () => {
    const { user } = await crm();
    await user.store({ content: 'The canteen serves soup on Mondays.' });
    await record(user, { approach: 'broad search', outcome: 'failure' });
    const open = { threshold: 0, topK: 50, order: 'relevance' };
    for (let times = 0; times < 4; times++) await record(user, { strategy: open });
    const { position } = await record(user, { strategy: { ...open, mode: 'standard' } });
    const { body: bare } = await user.post('/v1/search', { query: question, minPosition: position });
    const { results, reasoning } = await ask(user);
    expect(reasoning).toMatchObject({ strategyUsed: 'default', adjustmentsMade: [] });
    const ids = (all: Json[]) => all.map(({ memory }) => memory.id);
    expect(ids(results)).toEqual(ids(bare.results));
    const sent = await ask(user, open);
    expect(sent.results).toHaveLength(3);
  });

  it('[C9] learns from attempts with an outcome, however many searches have none', async () => {
    const { user } = await crm();
    const asked = await Promise.all(Array.from({ length: 20 }, () => ask(user)));
    expect(new Set(asked.map(({ reasoning }) => reasoning.strategyUsed))).toEqual(new Set(['default']));
    await record(user, { approach: 'broad search', outcome: 'failure' });
    const { position } = await record(user, { strategy: { spaces: ['crm'] } });
    const { reasoning } = await ask(user, { minPosition: position });
    expect(reasoning.strategyUsed).toBe('like-trace');
    expect(reasoning.learnedFrom).toHaveLength(2);
  });

  it('[C9] follows the newest attempts: older successes hide no failures', async () => {
    const { user } = await crm();
    const many = (count: number, fields: Json) =>
      Promise.all(Array.from({ length: count }, () => record(user, fields)));
    await many(20, { approach: 'broad search' });
    await many(20, { approach: 'broad search', outcome: 'failure' });
    const worked = await many(2, { strategy: { spaces: ['crm'] } });
    worked.push(await record(user, { strategy: { spaces: ['crm'] } }));
    const { reasoning } = await ask(user, { minPosition: worked.at(-1)!.position });
    expect(reasoning.strategyUsed).toBe('like-trace');
    expect(reasoning.learnedFrom).toHaveLength(20);
    expect(reasoning.learnedFrom.slice(0, 3).sort()).toEqual(worked.map(({ trace }) => trace.id).sort());
  });

  it('[C9] takes no strategy, and says who chooses it', async () => {
    const { admin } = await newTenant(server);
    for (const path of ['/v1/reasoning/search', '/v1/search']) {
      const reply = await admin.post(path, { query: question, strategy: 'exhaustive' });
      expectInvalid(reply, 'strategy');
      expect(reply.body.detail).toMatch(
        /^strategy: cannot be sent: .*reasoning\.strategy.*\/v1\/admin\/routing/,
      );
    }
  });

  it('[C9] searches the parts of a complex question with the strategy that worked', async () => {
    const { tenant: own, user } = await crm();
    const query = 'Compare the best practices of all Salesforce teams and of all Einstein teams';
    await record(user, { query, approach: 'where it points', outcome: 'failure' });
    const { position } = await record(user, { query, strategy: { strategy: 'exhaustive' } });
    await history(user, { query, minPosition: position });
    const { reasoning, searchId } = await ask(user, { query });
    expect(reasoning).toMatchObject({
      strategyUsed: 'exhaustive',
      adjustmentsMade: ['strategy: exhaustive (it worked for similar questions)'],
    });
    const { body } = await own.admin.get(`/v1/audit/searches/${searchId}?waitMs=10000`);
    expect(body.trajectory.reasoning[0]).toMatchObject({
      strategy: 'exhaustive',
      reason: 'from-experience',
    });
  });

  it("[C9] [I2] learns from nobody else's questions, and shows them to nobody", async () => {
    const { tenant: own, user } = await crm();
    await record(user, { outcome: 'failure', approach: 'broad search' });
    const { position } = await record(user, { strategy: { spaces: ['crm'] } });
    await ask(user);
    const stranger = await own.key({ user: 'oscar' });
    const { reasoning } = await ask(stranger, { minPosition: position });
    expect(reasoning).toMatchObject({ strategyUsed: 'default', learnedFrom: [] });
    const seen = async () => (await history(stranger, { threshold: 0 })).map(({ trace }) => trace.createdBy);
    await vi.waitUntil(async () => (await seen()).length > 0, { timeout: 20_000, interval: 100 });
    expect(await seen()).toEqual(['user:oscar']);
  });

  it('[C9] records its own attempt, whose outcome is what became of the answer and not that there was one', async () => {
    const { tenant: own, user, id } = await crm();
    const answer = await ask(user, { sessionId: 's-9', topK: 7, spaces: ['crm'] });
    expect(answer.results.length).toBeGreaterThan(0);
    const traceOf = async () =>
      (await history(user, { query: question })).find(({ trace }) => trace.searchId === answer.searchId)
        ?.trace;
    await vi.waitUntil(traceOf, { timeout: 20_000, interval: 100 });
    expect(await traceOf()).toMatchObject({
      query: question,
      outcome: 'pending',
      origin: 'search',
      sessionId: 's-9',
      layer: 'user',
      scope: { user: 'nora' },
      // The parameters that another attempt can repeat, whether they were sent or chosen.
      strategy: { topK: 7, spaces: ['crm'] },
    });
    const post = async (outcome: Json) =>
      expect((await user.post(`/v1/searches/${answer.searchId}/outcome`, outcome)).status).toBe(200);
    const until = (outcome: string) =>
      vi.waitUntil(async () => (await traceOf())?.outcome === outcome, { timeout: 20_000, interval: 100 });
    await post({ used: [id], quality: 1 });
    await until('success');
    expect((await traceOf())!.memoriesHelpful).toEqual([id]);
    await post({ used: [] });
    await until('failure');
    await vi.waitUntil(
      async () => (await own.admin.get('/v1/admin/experience')).body.total.with.failures === 1,
      { timeout: 20_000, interval: 100 },
    );
    const { body } = await own.admin.get('/v1/admin/experience');
    expect(body.total.with).toMatchObject({ searches: 1, successes: 0, failures: 1 });
    expect(body.total.with.successRate).toMatchObject({ value: 0, low: 0 });
    expect(body.days).toHaveLength(1);
    // The trace of a search has nothing of a memory but its id.
    await own.admin.delete(`/v1/memories/${id}?mode=erase`);
    await vi.waitUntil(async () => !JSON.stringify(await traceOf()).includes(id), { timeout: 20_000 });
  });

  it('[C11] is compared with searches without it, by a share of the sessions', async () => {
    const { tenant: own, user } = await crm();
    const settings = { enabled: true, share: 0, exploration: false };
    expect((await own.admin.put('/v1/admin/experience', settings)).body.settings).toEqual(settings);
    await record(user, { outcome: 'failure', approach: 'broad search' });
    const { position } = await record(user, { strategy: { spaces: ['crm'] } });
    await history(user, { minPosition: position });
    expect((await ask(user)).reasoning).toMatchObject({ strategyUsed: 'default', learnedFrom: [] });
    await vi.waitUntil(
      async () => (await own.admin.get('/v1/admin/experience')).body.total.without.searches === 1,
      { timeout: 20_000, interval: 100 },
    );
    await own.admin.put('/v1/admin/experience', { ...settings, share: 1 });
    expect((await ask(user)).reasoning.strategyUsed).toBe('like-trace');
    expectProblem(await user.get('/v1/admin/experience'), 403, 'forbidden');
    expectProblem(await user.put('/v1/admin/experience', settings), 403, 'forbidden');
    expectInvalid(await own.admin.put('/v1/admin/experience', { ...settings, share: 2 }), 'share');
  });
});
