import { beforeAll, describe, expect, it } from 'vitest';
import { signSearchId } from '../../src/domain/retrieval/search-id.ts';
import type { Client, Json } from '../support/api.ts';
import { asked, askingTenant, audited, firstOf, type AskingTenant } from '../support/asked-searches.ts';
import { auditEvents } from '../support/events.ts';
import { expectInvalid, expectProblem } from '../support/problem.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');

describe('the outcome of a search', () => {
  let setting: AskingTenant;
  let admin: Client;
  beforeAll(async () => {
    setting = await askingTenant(server);
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
      outcome: { kind: 'used', quality: 0.4, explicit: true, source: 'caller' },
      outcomes: [{ source: 'caller', kind: 'used', memoryIds: used, quality: 0.4 }],
    });
    expect((await post(answer.searchId, { used: [], refined: true })).status).toBe(200);
    const { outcome, outcomes } = await audited(setting, answer.searchId);
    expect(outcome).toEqual({ kind: 'refined', explicit: true, source: 'caller' });
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

  it('[C1] different outcomes of one search are kept up to fifty, and a problem says so', async () => {
    const answer = await asked(setting);
    const replies = [];
    for (let n = 0; n < 60; n++)
      replies.push(await post(answer.searchId, { used: [firstOf(answer)], quality: n / 100 }));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(50);
    expectProblem(replies.at(-1)!, 409, 'too-many-outcomes');
    expect(replies.at(-1)!.body.detail).toMatch(/the last one counts.*search again/);
    const { outcome, outcomes } = await audited(setting, answer.searchId);
    expect(outcomes).toHaveLength(50);
    expect(outcome).toEqual({ kind: 'used', quality: 0.49, explicit: true, source: 'caller' });
  });

  it('[C1] needs a list of what was used, which may be empty', async () => {
    const answer = await asked(setting);
    const reply = await post(answer.searchId, { refined: true });
    expectInvalid(reply, 'used');
    expect(reply.body.detail).toBe('used: is required: send [] if nothing was used');
    const many = await post(answer.searchId, { used: Array.from({ length: 1_001 }, () => 'x') });
    expect(many.body.detail).toBe('used: has 1,001 items: at most 1,000 are allowed');
    expect((await post(answer.searchId, { used: [], refined: true })).status).toBe(200);
  });

  it('[C1] is of the same caller only: an unknown, foreign or forged searchId is not found', async () => {
    const { tenant } = setting;
    const [bob, eve] = [await tenant.key({ user: 'bob' }), await tenant.key({ user: 'eve' })];
    const own = (await asked(setting, {}, bob)).searchId;
    const other = await askingTenant(server);
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
    const own = await askingTenant(server);
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
    const { admin, tenant } = await askingTenant(server);
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
    const { admin } = await askingTenant(server);
    expectInvalid(await admin.post(`/v1/sessions/${'s'.repeat(257)}/end`), 'id');
    expectInvalid(await admin.post('/v1/sessions/%FF/end'), 'id');
    expectInvalid(await admin.post('/v1/sessions/s/end', { now: true }), 'now');
  });
});
