import { beforeAll, describe, expect, it, vi } from 'vitest';
import { onBehalfOf, type Client, type Json } from '../support/api.ts';
import { attempt, history, record } from '../support/attempts.ts';
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

  it('[C8] compares words where the model cannot read a question, and finds none that is about other matters', async () => {
    const user = await tenant.key({ user: 'unread' });
    const office = 'สำนักงานกรุงเทพอยู่ที่ไหน';
    await record(user, { query: office });
    const { position } = await record(user, { query: '🚀' });
    const asked = async (query: string) =>
      (await history(user, { query, minPosition: position })).map(({ trace, similarity }) => [
        trace.query,
        similarity,
      ]);
    expect(await asked('ใครดูแลระบบชำระเงิน')).toEqual([]);
    expect(await asked('ስንት ሰዓት ነው')).toEqual([]);
    expect(await asked(office)).toEqual([[office, 1]]);
    expect(await asked('🚀')).toEqual([['🚀', 1]]);
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
    const factors = await post({ successFactors: 'x' });
    expect(factors.body.detail).toBe('successFactors: must be a list of texts or an object');
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

describe('the strategy of an attempt', () => {
  it.each<[Json, string]>([
    [{ topK: -1 }, 'topK: must be an integer from 1 to 1,000'],
    [{ mode: 'nonsense' }, 'mode: must be standard'],
    [{ threshold: 7 }, 'threshold: must be a number from 0 to 1'],
    [{ order: 'up' }, 'order: must be one of precedence, relevance, layer'],
    [{ spaces: [] }, 'spaces: is empty: at least 1 item is needed'],
    [{ strategy: 'bogus' }, 'strategy: must be one of targeted, exhaustive, semantic-only'],
  ])('[C8] is refused if no search can repeat it: %j', async (strategy, error) => {
    const reply = await mia.post('/v1/reasoning/traces', { ...attempt, strategy });
    expectInvalid(reply, `strategy.${Object.keys(strategy)[0]}`);
    expect(reply.body.detail).toBe(`strategy.${error}`);
  });

  it('[C8] may have any other name', async () => {
    const strategy = { topK: 5, tool: 'grep', tries: [1, 2], depth: 'deep' };
    expect((await record(mia, { strategy })).trace.strategy).toEqual(strategy);
  });
});

describe('erasing a memory', () => {
  it('[F6] erases the attempts that name it, with all of their texts', async () => {
    const user = await tenant.key({ user: 'forgotten' });
    const { memory } = await user.store({ content: 'The code of the safe is quartz.' });
    const { memory: other } = await user.store({ content: 'The safe is in the cellar.' });
    const quoting = await record(user, {
      query: 'What is the code of the safe?',
      approach: 'found canary-quartz',
      strategy: { code: 'canary-quartz' },
      failureReason: 'canary-quartz',
      successFactors: ['canary-quartz'],
      outcome: 'partial_success',
      memoriesUsed: [other.id, memory.id],
    });
    const kept = await record(user, { query: 'Where is the code of the safe?', memoriesUsed: [other.id] });
    const asked = { query: 'code of the safe', threshold: 0, minPosition: kept.position };
    expect(await history(user, asked)).toHaveLength(2);
    expect((await tenant.admin.delete(`/v1/memories/${memory.id}?mode=erase`)).status).toBe(200);
    await vi.waitUntil(async () => (await history(user, asked)).length === 1, { timeout: 60_000 });
    expect((await history(user, asked))[0].trace.id).toBe(kept.trace.id);
    const traceEvents = async () =>
      (await auditEvents(tenant.admin, 'type=ReasoningTraceRecorded&type=ReasoningTraceErased')).filter(
        ({ data }) => data.traceId === quoting.trace.id,
      );
    await vi.waitUntil(async () => (await traceEvents()).length === 2, { timeout: 60_000 });
    await vi.waitUntil(async () => !JSON.stringify(await traceEvents()).includes('quartz'), {
      timeout: 60_000,
    });
    expectInvalid(
      await user.post('/v1/reasoning/traces', { ...attempt, memoriesUsed: [memory.id] }),
      'memoriesUsed.0',
    );
  });
});
