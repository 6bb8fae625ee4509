/** @module-tag servers */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { onBehalfOf, type Client, type Json } from '../support/api.ts';
import { auditEvents } from '../support/events.ts';
import { expectInvalid, expectProblem } from '../support/problem.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer();
let tenant: Tenant;
let mia: Client;
let ben: Client;

beforeAll(async () => {
  tenant = await newTenant(server);
  mia = await tenant.key({ user: 'mia', projects: ['helios'] });
  ben = await tenant.key({ user: 'ben', projects: ['helios'] });
});

const attempt = {
  query: 'Find Salesforce Einstein best practices',
  approach: 'narrow filter on the space crm',
  outcome: 'success',
  memoriesUsed: [],
};

async function record(client: Client, fields: Json = {}): Promise<{ trace: Json; position: string }> {
  const reply = await client.post('/v1/reasoning/traces', { ...attempt, ...fields });
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
  return reply.body;
}

async function history(client: Client, fields: Json = {}): Promise<Json[]> {
  const body = { query: 'Salesforce Einstein best practices', waitMs: 25_000, ...fields };
  const reply = await client.post('/v1/reasoning/history', body);
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  return reply.body.items;
}

describe('the history of attempts', () => {
  it('[C8] shows that a broad search failed and a narrow filter succeeded, the success first', async () => {
    const user = await tenant.key({ user: 'seed' });
    const { memory } = await user.store({ content: 'Einstein scores leads best with two years of data.' });
    const worked = await record(user, {
      strategy: { mode: 'standard', spaces: ['crm'], topK: 5 },
      successFactors: { filter: 'the space alone' },
      memoriesUsed: [memory.id, memory.id],
      memoriesHelpful: [memory.id],
      executionTimeMs: 41.5,
      model: 'gpt-4.1',
      space: 'crm',
      sessionId: 's-1',
    });
    const failed = await record(user, {
      approach: 'broad search',
      outcome: 'failure',
      failureReason: 'too many results about other products',
    });
    const items = await history(user, { minPosition: failed.position });
    expect(items.map(({ trace }) => trace.id)).toEqual([worked.trace.id, failed.trace.id]);
    expect(items[0].trace).toEqual(worked.trace);
    expect(items[0].trace).toMatchObject({
      query: attempt.query,
      approach: attempt.approach,
      outcome: 'success',
      strategy: { mode: 'standard', spaces: ['crm'], topK: 5 },
      successFactors: { filter: 'the space alone' },
      memoriesUsed: [memory.id],
      memoriesHelpful: [memory.id],
      executionTimeMs: 41.5,
      model: 'gpt-4.1',
      layer: 'user',
      scope: { user: 'seed' },
      space: 'crm',
      sessionId: 's-1',
      origin: 'caller',
      createdBy: 'user:seed',
    });
    expect(items[1].trace).toMatchObject({ outcome: 'failure', failureReason: failed.trace.failureReason });
    expect(await history(user, { outcome: 'failure' })).toEqual([items[1]]);
    expect(await history(user, { space: 'crm' })).toEqual([items[0]]);
    expect(await history(user, { limit: 1 })).toEqual([items[0]]);
  });

  it('[C8] finds other words for the same question, and nothing about other matters', async () => {
    const user = await tenant.key({ user: 'paraphrase' });
    const { trace, position } = await record(user, { query: 'When are releases cut?' });
    const seen = { minPosition: position };
    const [found] = await history(user, { ...seen, query: 'On which day do we cut a release?' });
    expect(found.trace.id).toBe(trace.id);
    expect(found.similarity).toBeGreaterThanOrEqual(0.8);
    expect((await history(user, { ...seen, query: 'When are releases cut?' }))[0].similarity).toBe(1);
    expect(await history(user, { ...seen, query: 'Who owns the billing service?' })).toEqual([]);
    expect(
      await history(user, { ...seen, query: 'Who owns the billing service?', threshold: 0 }),
    ).toHaveLength(1);
  });

  it('[C8] links an attempt to the most similar earlier one of the same scope', async () => {
    const user = await tenant.key({ user: 'linked' });
    const first = await record(user);
    expect(first.trace.similarTo).toBeUndefined();
    await history(user, { minPosition: first.position });
    const { trace } = await record(user, { query: 'Salesforce Einstein: best practices' });
    expect(trace.similarTo).toEqual({ traceId: first.trace.id, similarity: expect.any(Number) });
    expect(trace.similarTo.similarity).toBeGreaterThan(0.8);
  });

  it('[C8] is recorded once under an idempotency key', async () => {
    const key = { 'idempotency-key': 'once' };
    const first = await mia.post('/v1/reasoning/traces', { ...attempt, query: 'once' }, key);
    const second = await mia.post('/v1/reasoning/traces', { ...attempt, query: 'once' }, key);
    expect(second.status).toBe(201);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expectProblem(await mia.post('/v1/reasoning/traces', attempt, key), 422, 'idempotency-key-reused');
  });
});

describe('who sees an attempt', () => {
  it("[I2] only the caller's user by default, even in a shared project", async () => {
    const own = await record(mia, { query: 'canary of mia' });
    const shared = await record(mia, { query: 'canary of helios', scope: { project: 'helios' } });
    const placed = await record(mia, {
      query: 'canary of mia in helios',
      scope: { project: 'helios', user: 'mia' },
    });
    expect(placed.trace.layer).toBe('user');
    const seen = { query: 'canary', threshold: 0, minPosition: placed.position };
    const seenBy = async (client: Client, fields: Json = {}) =>
      (await history(client, { ...seen, ...fields })).map(({ trace }) => trace.query);
    expect(await seenBy(mia)).toEqual(
      expect.arrayContaining([own.trace.query, shared.trace.query, placed.trace.query]),
    );
    expect(await seenBy(ben)).toEqual([shared.trace.query]);
    expect(await seenBy(await tenant.key({ user: 'eve' }))).toEqual([]);
    expect(await seenBy((await newTenant(server)).admin, { minPosition: undefined })).toEqual([]);
    expect((await seenBy(mia, { scope: { project: 'helios' } })).sort()).toEqual(
      [shared.trace.query, placed.trace.query].sort(),
    );
  });

  it('[I5] an agent records and reads for the user that it acts for', async () => {
    const agent = await tenant.key({ role: 'agent', agents: ['helper'], users: ['*'] });
    const forZoe = await record(onBehalfOf(server, agent, 'zoe'), { query: 'an attempt for zoe' });
    expect(forZoe.trace).toMatchObject({ scope: { user: 'zoe' }, createdBy: 'agent:helper' });
    const asked = { query: 'an attempt for zoe', minPosition: forZoe.position };
    expect(await history(onBehalfOf(server, agent, 'zoe'), asked)).toHaveLength(1);
    expect(await history(onBehalfOf(server, agent, 'max'), asked)).toEqual([]);
    expect(await history(agent, asked)).toEqual([]);
    const own = await record(agent, { query: 'an attempt of the agent' });
    expect(own.trace).toMatchObject({ layer: 'agent', scope: { agent: 'helper' } });
  });

  it('[C8] shows of the memories only those that the reader can see', async () => {
    const { memory: hidden } = await mia.store({ content: 'a private note' });
    const { memory } = await mia.store({
      content: 'a note of helios',
      layer: 'project',
      scope: { project: 'helios' },
    });
    const fields = {
      query: 'memories of a shared attempt',
      scope: { project: 'helios' },
      memoriesUsed: [hidden.id, memory.id],
      memoriesHelpful: [hidden.id],
    };
    const { position } = await record(mia, fields);
    const asked = { query: fields.query, minPosition: position };
    const [forBen] = await history(ben, asked);
    expect(forBen.trace).toMatchObject({ memoriesUsed: [memory.id], memoriesHelpful: [] });
    const [forMia] = await history(mia, asked);
    expect(forMia.trace.memoriesUsed).toEqual([hidden.id, memory.id]);
  });
});

describe('an attempt that cannot be recorded', () => {
  it('[J2] names each field that is wrong', async () => {
    const post = (fields: Json) => mia.post('/v1/reasoning/traces', { ...attempt, ...fields });
    expectInvalid(await post({ query: ' ' }), 'query');
    expectInvalid(await post({ approach: '' }), 'approach');
    expectInvalid(await post({ outcome: 'pending' }), 'outcome');
    expectInvalid(await post({ outcome: 'great' }), 'outcome');
    expectInvalid(await post({ strategy: { text: 'x'.repeat(20_000) } }), 'strategy');
    expectInvalid(await post({ strategy: [] }), 'strategy');
    expectInvalid(await post({ executionTimeMs: -1 }), 'executionTimeMs');
    expectInvalid(await post({ memoriesUsed: undefined }), 'memoriesUsed');
    expectInvalid(await post({ scope: { company: 'another' } }), 'scope.company');
    expectInvalid(await post({ secret: 1 }), 'secret');
    const { memory } = await ben.store({ content: 'a note of ben' });
    const never = '018f0000-0000-7000-8000-000000000000';
    const reply = await post({ memoriesUsed: [memory.id, never, 'no id'] });
    expectInvalid(reply, 'memoriesUsed.0', 'memoriesUsed.1', 'memoriesUsed.2');
    expect(new Set(reply.body.errors.map(({ message }: Json) => message)).size).toBe(1);
    expectInvalid(await post({ memoriesUsed: [], memoriesHelpful: [memory.id] }), 'memoriesHelpful.0');
    expectInvalid(await mia.post('/v1/reasoning/history', { query: 'a', threshold: 2 }), 'threshold');
    expectInvalid(await mia.post('/v1/reasoning/history', { query: 'a', outcome: 'good' }), 'outcome');
  });

  it('[I2] needs the right to write there', async () => {
    const post = (client: Client, fields: Json = {}) =>
      client.post('/v1/reasoning/traces', { ...attempt, ...fields });
    expectProblem(await post(await tenant.key({ role: 'reader' })), 403, 'forbidden');
    expectProblem(await post(await tenant.key({ role: 'auditor' })), 403, 'forbidden');
    expectProblem(await post(mia, { scope: { project: 'other' } }), 403, 'forbidden');
    expectProblem(await post(mia, { scope: { user: 'ben' } }), 403, 'forbidden');
    expectProblem(await post(mia, { scope: { company: tenant.id } }), 403, 'forbidden');
    expectInvalid(await post(await tenant.key({ role: 'member' })), 'scope.user');
  });
});

describe('erasing a memory', () => {
  it('[F6] erases the attempts that name it, with all of their texts', async () => {
    const user = await tenant.key({ user: 'forgotten' });
    const { memory } = await user.store({ content: 'The code of the safe is 7319.' });
    const { memory: other } = await user.store({ content: 'The safe is in the cellar.' });
    const quoting = await record(user, {
      query: 'What is the code of the safe?',
      approach: 'found canary-7319',
      strategy: { code: 'canary-7319' },
      failureReason: 'canary-7319',
      successFactors: ['canary-7319'],
      outcome: 'partial_success',
      memoriesUsed: [other.id, memory.id],
    });
    const kept = await record(user, { query: 'Where is the code of the safe?', memoriesUsed: [other.id] });
    const asked = { query: 'code of the safe', threshold: 0, minPosition: kept.position };
    expect(await history(user, asked)).toHaveLength(2);
    expect((await tenant.admin.delete(`/v1/memories/${memory.id}?mode=erase`)).status).toBe(200);
    await vi.waitUntil(async () => (await history(user, asked)).length === 1, { timeout: 20_000 });
    expect((await history(user, asked))[0].trace.id).toBe(kept.trace.id);
    const traceEvents = async () =>
      (await auditEvents(tenant.admin, 'type=ReasoningTraceRecorded&type=ReasoningTraceErased')).filter(
        ({ data }) => data.traceId === quoting.trace.id,
      );
    await vi.waitUntil(async () => (await traceEvents()).length === 2, { timeout: 20_000 });
    await vi.waitUntil(async () => !JSON.stringify(await traceEvents()).includes('7319'), {
      timeout: 20_000,
    });
    expectInvalid(
      await user.post('/v1/reasoning/traces', { ...attempt, memoriesUsed: [memory.id] }),
      'memoriesUsed.0',
    );
  });
});

describe('lessons', () => {
  const strategies = async (client: Client): Promise<Json[]> =>
    (await client.get('/v1/reasoning/strategies')).body.items;

  async function until(client: Client, isReached: (lessons: Json[]) => boolean): Promise<Json[]> {
    await vi.waitUntil(async () => isReached(await strategies(client)), { timeout: 30_000, interval: 100 });
    return strategies(client);
  }

  it('[C10] are drawn from a failure and a success, for those who see the attempts, and never found as memories', async () => {
    const user = await tenant.key({ user: 'learner', projects: ['helios'] });
    const broad = { approach: 'broad search', outcome: 'failure', failureReason: 'too many results' };
    await record(user, { ...broad, strategy: { topK: 50 } });
    const { position } = await record(user, { strategy: { topK: 5 } });
    // The same question in a project is another lesson.
    const shared = { scope: { project: 'helios' } };
    await record(user, { ...broad, ...shared, approach: 'asked everybody' });
    await record(user, { ...shared, approach: 'asked the owner' });
    const [own, project] = (await until(user, (all) => all.length === 2)).sort((left) =>
      left.layer === 'user' ? -1 : 1,
    );
    expect(own).toMatchObject({
      title: 'Questions like: Find Salesforce Einstein best practices',
      content: [
        'Do: narrow filter on the space crm',
        'Unlike what failed: topK 5 instead of 50',
        'Avoid: broad search (too many results)',
      ].join('\n'),
      support: 1,
      failures: 0,
      layer: 'user',
      scope: { user: 'learner' },
    });
    const { body } = await user.post('/v1/reasoning/history', {
      query: 'Salesforce Einstein best practices',
      scope: { user: 'learner' },
      minPosition: position,
    });
    expect(body.lessons.map(({ id }: Json) => id)).toContain(own.id);
    const other = await tenant.key({ user: 'colleague', projects: ['helios'] });
    expect(await strategies(other)).toEqual([project]);
    expect(JSON.stringify(project)).not.toContain('broad search');
    expect(await strategies(await tenant.key({ user: 'stranger' }))).toEqual([]);
    const found = await user.post('/v1/search', { query: attempt.query, threshold: 0 });
    expect(JSON.stringify(found.body)).not.toContain('broad search');
  });

  it('[C10] are revised by later attempts, and become one where their questions are the same', async () => {
    const user = await tenant.key({ user: 'reviser' });
    await record(user);
    await record(user);
    const [first] = await until(user, ([lesson]) => lesson?.support === 2);
    await record(user, { outcome: 'failure', failureReason: 'the space was renamed' });
    const [second] = await until(user, ([lesson]) => lesson?.failures === 1);
    expect(second).toMatchObject({ id: first.id, support: 2, failures: 1 });
    await record(user, { outcome: 'failure', failureReason: 'the space was renamed' });
    const [third] = await until(user, ([lesson]) => lesson?.support === 0);
    expect(third).toMatchObject({ id: first.id, failures: 2 });
    expect(third.content).toBe('Avoid: narrow filter on the space crm (the space was renamed)');
  });

  it('[F6] are erased with their attempts, in every version', async () => {
    const user = await tenant.key({ user: 'unlearner' });
    const { memory } = await user.store({ content: 'The code of the safe is 7320.' });
    const secret = { outcome: 'failure', failureReason: 'canary-7320', memoriesUsed: [memory.id] };
    await record(user, { ...secret, approach: 'canary-7320' });
    await record(user);
    await until(user, (lessons) => JSON.stringify(lessons).includes('canary-7320'));
    await record(user);
    await until(user, ([lesson]) => lesson?.support === 2);
    await tenant.admin.delete(`/v1/memories/${memory.id}?mode=erase`);
    const [left] = await until(user, ([lesson]) => lesson !== undefined && !lesson.content.includes('7320'));
    expect(left).toMatchObject({ support: 2, failures: 0 });
    const types = ['LessonLearned', 'LessonRevised', 'ReasoningTraceRecorded'];
    const events = await auditEvents(tenant.admin, types.map((type) => `type=${type}`).join('&'));
    expect(JSON.stringify(events)).not.toContain('7320');
  });
});

describe('a search with experience', () => {
  const question = 'Find Salesforce Einstein best practices';

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
    await history(user, { minPosition: worked.position });
    const { results, reasoning } = await ask(user, { query: 'Salesforce Einstein best practices' });
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
    const answer = await ask(user, { sessionId: 's-9' });
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
