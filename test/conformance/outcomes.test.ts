import { beforeAll, describe, expect, it } from 'vitest';
import { drawArm, uniformOf } from '../../src/domain/learning/exploration.ts';
import { signSearchId } from '../../src/domain/retrieval/search-id.ts';
import type { Client, Json } from '../support/api.ts';
import { auditEvents } from '../support/events.ts';
import { expectInvalid, expectProblem } from '../support/problem.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer({
  because: 'the window of a search ends within seconds',
  environment: { STRATALOG_EMBEDDER: 'deterministic', STRATALOG_OUTCOME_WINDOW: '8' },
});

const within = { timeout: 30_000, interval: 200 };

const contents = ['The build takes nine minutes.', 'The build runs on two cores.', 'Deploys need two keys.'];

interface Setting {
  readonly tenant: Tenant;
  readonly admin: Client;
  readonly ids: readonly string[];
  readonly position: string;
}

async function prepared(): Promise<Setting> {
  const tenant = await newTenant(server);
  const { admin } = tenant;
  const lines = await admin.bulk(contents.map((content) => ({ content, layer: 'company' })));
  return { tenant, admin, ids: lines.map(({ id }) => id), position: lines.at(-1)!.position };
}

async function asked(setting: Setting, body: Json = {}, client = setting.admin): Promise<Json> {
  const whole = {
    query: 'How long does the build take?',
    threshold: 0,
    minPosition: setting.position,
    ...body,
  };
  const reply = await client.post('/v1/search', whole);
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  return reply.body;
}

const firstOf = ({ results }: Json): string => results[0].memory.id;

async function audited({ admin }: Setting, searchId: string): Promise<Json> {
  const reply = await admin.get(`/v1/audit/searches/${searchId}?waitMs=20000`);
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  return reply.body;
}

describe('the outcome of a search', () => {
  let setting: Setting;
  let admin: Client;
  beforeAll(async () => {
    setting = await prepared();
    ({ admin } = setting);
  });

  const post = (searchId: string, body: unknown, client = admin) =>
    client.post(`/v1/searches/${searchId}/outcome`, body);

  it('[C1] is posted by its caller, and the latest one counts', async () => {
    const answer = await asked(setting);
    const used = [firstOf(answer)];
    const first = await post(answer.searchId, { used, quality: 0.4 });
    expect(first).toMatchObject({ status: 200, body: { position: expect.any(String) } });
    expect(Object.keys(first.body)).toEqual(['position']);
    expect(await audited(setting, answer.searchId)).toMatchObject({
      outcome: { kind: 'used', quality: 0.4, explicit: true },
      outcomes: [{ source: 'caller', kind: 'used', memoryIds: used, quality: 0.4 }],
    });
    expect((await post(answer.searchId, { used: [], refined: true })).status).toBe(200);
    const { outcome, outcomes } = await audited(setting, answer.searchId);
    expect(outcome).toEqual({ kind: 'refined', explicit: true });
    expect(outcomes).toHaveLength(2);
  });

  it('[C1] is nothing for a search that was only answered', async () => {
    const { searchId } = await asked(setting);
    expect(await audited(setting, searchId)).toMatchObject({
      outcome: { kind: 'none', explicit: false },
      outcomes: [],
    });
  });

  it('[C1] [F1] is an event in a stream of its own, with its actor and the memories that it names', async () => {
    const answer = await asked(setting);
    const reply = await post(answer.searchId, { used: [firstOf(answer)] });
    const events = await auditEvents(
      admin,
      `memory=${firstOf(answer)}&type=OutcomeObserved`,
      reply.body.position,
    );
    const own = events.filter(({ data }) => data.searchId === answer.searchId);
    expect(own).toMatchObject([
      { actor: 'user:ada', revision: 0, data: { kind: 'used', quality: 1, source: 'caller' } },
    ]);
    expect(own[0]!.stream).toBe(`outcome-${setting.tenant.id}.${answer.searchId.split('.')[0]}`);
  });

  it('[C1] posted again with the same content appends nothing, in any order of its ids', async () => {
    const answer = await asked(setting);
    const used = answer.results.map(({ memory }: Json) => memory.id);
    expect(used.length).toBeGreaterThan(1);
    const first = await post(answer.searchId, { used });
    const again = await post(answer.searchId, { used: [...used].reverse().concat(used) });
    expect(again.body.position).toBe(first.body.position);
    expect((await audited(setting, answer.searchId)).outcomes).toHaveLength(1);
  });

  it('[C1] ten thousand different outcomes of one search leave fifty, and a problem says so', async () => {
    const answer = await asked(setting);
    const replies = [];
    for (let n = 0; n < 60; n++)
      replies.push(await post(answer.searchId, { used: [firstOf(answer)], quality: n / 100 }));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(50);
    expectProblem(replies.at(-1)!, 409, 'too-many-outcomes');
    const { outcome, outcomes } = await audited(setting, answer.searchId);
    expect(outcomes).toHaveLength(50);
    expect(outcome).toEqual({ kind: 'used', quality: 0.49, explicit: true });
  });

  it('[C1] is of the same caller only: an unknown, foreign or forged searchId is not found', async () => {
    const { tenant } = setting;
    const [bob, eve] = [await tenant.key({ user: 'bob' }), await tenant.key({ user: 'eve' })];
    const own = (await asked(setting, {}, bob)).searchId;
    const other = await prepared();
    const foreign = (await asked(other)).searchId;
    const forger = { pseudonym: () => 'f'.repeat(32) };
    const forged = signSearchId(
      forger,
      { tenant: tenant.id, principal: 'key:x' } as never,
      own.split('.')[0],
    );
    expectProblem(await post(own, { used: [] }, eve), 404, 'not-found');
    for (const searchId of [foreign, 'unknown', `${own}x`, own.split('.')[0], forged])
      expectProblem(await post(searchId, { used: [] }, bob), 404, 'not-found');
    expect((await post(own, { used: [] }, bob)).status).toBe(200);
  });

  it('[C1] names only memories of the answer, which may be erased meanwhile', async () => {
    const own = await prepared();
    const answer = await asked(own);
    await audited(own, answer.searchId);
    const stranger = (await own.admin.store({ content: 'Later.', layer: 'company' })).memory.id;
    const used = [firstOf(answer), stranger];
    expectInvalid(await post(answer.searchId, { used }, own.admin), 'used.1');
    expect((await own.admin.delete(`/v1/memories/${firstOf(answer)}?mode=erase`)).status).toBe(200);
    expect((await post(answer.searchId, { used: [firstOf(answer)] }, own.admin)).status).toBe(200);
  });

  it('[C1] is accepted at once after the answer', async () => {
    const answer = await asked(setting);
    expect((await post(answer.searchId, { used: [firstOf(answer)] })).status).toBe(200);
    expect((await audited(setting, answer.searchId)).outcome).toMatchObject({ kind: 'used' });
  });

  it('[C1] is carried out once under an Idempotency-Key', async () => {
    const answer = await asked(setting);
    const path = `/v1/searches/${answer.searchId}/outcome`;
    const headers = { 'idempotency-key': 'outcome-1' };
    const send = (body: Json) => admin.post(path, body, headers);
    const first = await send({ used: [firstOf(answer)] });
    await post(answer.searchId, { used: [] });
    const again = await send({ used: [firstOf(answer)] });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expectProblem(await send({ used: [] }), 422, 'idempotency-key-reused');
    expect((await audited(setting, answer.searchId)).outcomes).toHaveLength(2);
  });

  const bad: [title: string, body: unknown, path: string][] = [
    ['no used', {}, 'used'],
    ['used that is no list', { used: 'a' }, 'used'],
    ['an id that is no text', { used: [1] }, 'used.0'],
    ['1,001 ids', { used: Array.from({ length: 1_001 }, (_, n) => `m${n}`) }, 'used'],
    ['a quality above 1', { used: [], quality: 1.001 }, 'quality'],
    ['a quality below 0', { used: [], quality: -0.001 }, 'quality'],
    ['a quality of nothing', { used: [], quality: 0.5 }, 'quality'],
    ['refined that is no boolean', { used: [], refined: 'yes' }, 'refined'],
    ['an unknown field', { used: [], reward: 1 }, 'reward'],
  ];

  it.each(bad)('[C1] with %s is refused and the field named', async (_, body, path) => {
    const { searchId } = await asked(setting);
    expectInvalid(await post(searchId, body), path);
    expect((await audited(setting, searchId)).outcomes).toEqual([]);
  });

  it('[C1] needs a credential that may write', async () => {
    const reader = await setting.tenant.key({ role: 'reader', user: 'rita' });
    const { searchId } = await asked(setting, {}, reader);
    expectProblem(await post(searchId, { used: [] }, reader), 403, 'forbidden');
    expectProblem(await reader.post('/v1/sessions/s/end'), 403, 'forbidden');
  });
});

describe('the end of a session', () => {
  it('[C1] [F1] is an event whose session id only its tenant can read', async () => {
    const { admin, tenant } = await prepared();
    const sessionId = 'Grüße: 😀 / 7';
    const reply = await admin.post(`/v1/sessions/${encodeURIComponent(sessionId)}/end`);
    expect(reply).toMatchObject({ status: 200, body: { position: expect.any(String) } });
    const [event] = await auditEvents(admin, 'type=SessionEnded', reply.body.position);
    expect(event).toMatchObject({ actor: 'user:ada', data: { sessionId } });
    expect(event!.stream).toMatch(new RegExp(`^session-${tenant.id}\\.[0-9a-f]{32}$`));
    const other = await tenant.key({ user: 'bob' });
    await other.post(`/v1/sessions/${encodeURIComponent(sessionId)}/end`);
    const { body } = await admin.post('/v1/sessions/s/end');
    const streams = (await auditEvents(admin, 'type=SessionEnded', body.position)).map(
      ({ stream }) => stream,
    );
    expect(new Set(streams).size).toBe(3);
  });

  it('[C1] names a bad session id', async () => {
    const { admin } = await prepared();
    expectInvalid(await admin.post(`/v1/sessions/${'s'.repeat(257)}/end`), 'id');
    expectInvalid(await admin.post('/v1/sessions/%FF/end'), 'id');
    expectInvalid(await admin.post('/v1/sessions/s/end', { now: true }), 'now');
  });
});

describe.concurrent('Training outcome signals', () => {
  const outcomesOf = async (setting: Setting, { searchId }: Json): Promise<Json[]> =>
    (await audited(setting, searchId)).outcomes;
  const end = (setting: Setting, sessionId: string) =>
    setting.admin.post(`/v1/sessions/${sessionId}/end`, {});
  const contextOf = async (setting: Setting, body: Json): Promise<Json> =>
    (
      await setting.admin.post('/v1/context', {
        query: 'How long does the build take?',
        tokenBudget: 200,
        threshold: 0,
        minPosition: setting.position,
        ...body,
      })
    ).body;

  it('[C1] search result is subsequently used in context assembly: a positive signal', async ({ expect }) => {
    const setting = await prepared();
    const context = await contextOf(setting, { sessionId: 's' });
    expect(context.items.length).toBeGreaterThan(0);
    expect((await audited(setting, context.searchId)).outcome).toEqual({
      kind: 'used',
      quality: 0.6,
      explicit: false,
    });
    await end(setting, 's');
    const ids = context.items.map(({ id }: Json) => id);
    await expect
      .poll(() => outcomesOf(setting, context), within)
      .toMatchObject([{ source: 'context', kind: 'used', quality: 0.6, memoryIds: ids }]);
  });

  it('[C1] user refines query after search: a partial success', async ({ expect }) => {
    const setting = await prepared();
    const session = { sessionId: 's', query: 'build time' };
    const first = await asked(setting, session);
    const other = await asked(setting, { ...session, query: 'keys of deploys' });
    const elsewhere = await asked(setting, { ...session, sessionId: 't' });
    const again = await asked(setting, session);
    const refined = await asked(setting, { ...session, query: 'build time in minutes on two cores' });
    await expect
      .poll(() => outcomesOf(setting, again), within)
      .toMatchObject([{ source: 'refinement', kind: 'refined' }]);
    expect((await audited(setting, again.searchId)).outcome).toEqual({ kind: 'refined', explicit: false });
    await end(setting, 's');
    for (const search of [first, other, refined])
      await expect
        .poll(() => outcomesOf(setting, search), within)
        .toMatchObject([{ source: 'session-end', kind: 'ignored' }]);
    expect(await outcomesOf(setting, again)).toHaveLength(1);
    expect((await outcomesOf(setting, elsewhere)).map(({ source }) => source)).not.toContain('refinement');
  });

  it('[C1] search result is ignored: a negative signal, when its session ends or its window passes', async ({
    expect,
  }) => {
    const setting = await prepared();
    const silent = await asked(setting);
    const ended = await asked(setting, { sessionId: 's' });
    const used = await asked(setting, { sessionId: 's' });
    await setting.admin.post(`/v1/searches/${used.searchId}/outcome`, { used: [firstOf(used)] });
    await end(setting, 's');
    const late = await asked(setting, { sessionId: 's' });
    await expect
      .poll(() => outcomesOf(setting, ended), within)
      .toMatchObject([{ source: 'session-end', kind: 'ignored' }]);
    await expect
      .poll(() => outcomesOf(setting, late), within)
      .toMatchObject([{ source: 'window', kind: 'ignored' }]);
    expect(await outcomesOf(setting, used)).toHaveLength(1);
    expect(await outcomesOf(setting, silent)).toEqual([]);
    await setting.admin.post(`/v1/searches/${late.searchId}/outcome`, { used: [firstOf(late)] });
    expect((await audited(setting, late.searchId)).outcome).toMatchObject({ kind: 'used', explicit: true });
  });

  it('[C1] [A13] feedback that names a search is an outcome of it', async ({ expect }) => {
    const setting = await prepared();
    const search = await asked(setting);
    const [first, second] = search.results.map(({ memory }: Json) => memory.id);
    const judge = (id: string, body: Json) =>
      setting.admin.post(`/v1/memories/${id}/feedback`, { ...body, searchId: search.searchId });
    await judge(first, { kind: 'outdated' });
    await judge(first, { kind: 'irrelevant' });
    await judge(second, { kind: 'helpful', score: 0.7 });
    await judge(second, { kind: 'helpful', score: 0.7 });
    await expect
      .poll(() => outcomesOf(setting, search), within)
      .toMatchObject([
        { source: 'feedback', kind: 'ignored', memoryIds: [first] },
        { source: 'feedback', kind: 'used', memoryIds: [second], quality: 0.7 },
      ]);
    expect((await audited(setting, search.searchId)).outcome).toEqual({
      kind: 'used',
      quality: 0.7,
      explicit: true,
    });
  });

  it('[C1] merely being retrieved is no signal', async ({ expect }) => {
    const setting = await prepared();
    const search = await asked(setting);
    const context = await contextOf(setting, {});
    await new Promise((resolve) => setTimeout(resolve, 9_000));
    expect(await outcomesOf(setting, search)).toEqual([]);
    expect(await outcomesOf(setting, context)).toEqual([]);
  });
});

describe('Record trajectory during RLM execution', () => {
  const complex = 'Compare how the build and the deploys differ across all teams';
  const decisionOf = async (setting: Setting, body: Json) =>
    audited(setting, (await asked(setting, { query: complex, ...body })).searchId);

  it('[C4] [F1] records features, arms, propensities, the incumbent and the policy version', async () => {
    const setting = await prepared();
    const decision = await decisionOf(setting, { sessionId: 's' });
    const { arms, propensities, incumbent, features } = decision;
    expect(decision).toMatchObject({ policyVersion: 'rules-1', evaluation: expect.any(Boolean) });
    expect(arms).toEqual(['standard', 'decomposition']);
    expect(propensities[0] + propensities[1]).toBeCloseTo(1, 9);
    expect(Math.min(...propensities)).toBeGreaterThan(0);
    expect(incumbent).toBe('decomposition');
    expect(features).toMatchObject({ score: decision.score, threshold: 0.3 });
  });

  it('[C4] explores only where an outcome can be observed, and where the tenant allows it', async () => {
    const setting = await prepared();
    const only = { arms: ['decomposition'], propensities: [1], taken: 'decomposition', reason: 'complex' };
    expect(await decisionOf(setting, {})).toMatchObject(only);
    const first = await asked(setting);
    await setting.admin.post(`/v1/searches/${first.searchId}/outcome`, { used: [] });
    expect((await decisionOf(setting, { sessionId: 's' })).arms).toHaveLength(2);
    const forced = await decisionOf(setting, { sessionId: 's', mode: 'standard' });
    expect(forced).toMatchObject({ arms: ['standard'], propensities: [1], reason: 'asked-for-standard' });
    const reply = await setting.admin.patch('/v1/admin/routing', { exploration: false });
    expect(reply.body.settings.exploration).toBe(false);
    expect(await decisionOf(setting, { sessionId: 's' })).toMatchObject(only);
  });

  it('[C4] [D8] draws the route by a hash of the search id, and the answer does not show it', async () => {
    const setting = await prepared();
    const shapes = new Set<string>();
    for (let n = 0; n < 8; n++) {
      const answer = await asked(setting, { query: complex, sessionId: `s${n}` });
      shapes.add(Object.keys(answer).sort().join());
      const { arms, propensities, taken } = await audited(setting, answer.searchId);
      const uniform = uniformOf('route', answer.searchId.split('.')[0]);
      expect(taken).toBe(drawArm(arms, propensities, uniform));
    }
    expect(shapes.size).toBe(1);
  });
});
