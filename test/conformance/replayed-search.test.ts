import { describe, expect, it, vi } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { stratalog } from '../support/cli.ts';
import { auditEvents } from '../support/events.ts';
import { expectProblem } from '../support/problem.ts';
import { newTenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');

async function search(client: Client, query: string, more: object = {}): Promise<Json> {
  const reply = await client.post('/v1/search', { query, waitMs: 30_000, ...more });
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  return reply.body;
}

async function replay(client: Client, { searchId }: Json): Promise<Json> {
  const reply = await client.post(`/v1/audit/searches/${searchId}/replay`, { waitMs: 30_000 });
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  return reply.body;
}

const ids = ({ results }: Json): string[] =>
  results.map((result: Json) => result.memoryId ?? result.memory.id);

describe('a replayed search', () => {
  it('[F2] [F3] gives the same answer although memories were stored, changed and deleted since', async () => {
    const { admin, key } = await newTenant(server);
    const bob = await key({ user: 'bob', teams: ['red'] });
    const auditor = await key({ role: 'auditor' });
    const team = { layer: 'team', scope: { team: 'red' } };
    const moved = await admin.store({ content: 'The ferry to the island leaves at noon', ...team });
    const gone = await admin.store({ content: 'The ferry is painted blue', ...team });
    await admin.store({ content: 'The ferry of team blue', layer: 'team', scope: { team: 'blue' } });
    const { position: minPosition } = await bob.store({ content: 'Ask about the ferry to the island' });
    const focused = await search(bob, 'When does the ferry to the island leave?', { minPosition });
    const whole = await search(bob, 'ferry to the island', { threshold: 0, tags: undefined });
    const narrow = await search(bob, 'ferry', { threshold: 0, filter: { layer: { eq: 'user' } }, topK: 2 });
    expect(ids(focused)).toContain(moved.memory.id);
    expect(ids(whole)).toHaveLength(3);

    await admin.bulk(
      Array.from({ length: 8 }, (_, n) => ({
        content: `The ferry to island ${n}`,
        duplicates: 'keep',
        ...team,
      })),
    );
    await admin.patch(`/v1/memories/${moved.memory.id}`, { content: 'A train' }, { 'if-match': '*' });
    await admin.delete(`/v1/memories/${gone.memory.id}`);
    await bob.post(`/v1/memories/${gone.memory.id}/feedback`, { kind: 'inaccurate' });

    for (const answer of [focused, whole, narrow]) {
      const replayed = await replay(auditor, answer);
      expect(replayed.differences).toEqual([]);
      expect([ids(replayed.asRecorded), ids(replayed.now)]).toEqual([ids(answer), ids(answer)]);
      expect(replayed.searchId).toBe(answer.searchId);
      // The auditor sees the number of the position, and Bob does not.
      const { body } = await bob.get(`/v1/memories?limit=1&asOf=${replayed.position}`);
      expect(body.position).toBe(answer.position);
      expect(replayed.now.results.every((result: Json) => !('memory' in result))).toBe(true);
    }
    const reads = await vi.waitFor(async () => {
      const events = await auditEvents(auditor, 'type=AuditRead');
      const replays = events.filter(({ data }) => data.what === 'search replay');
      expect(replays).toHaveLength(3);
      return replays;
    });
    expect(reads[0]!.data).toMatchObject({
      items: ids(focused).length,
      parameters: { searchId: focused.searchId },
    });
    expect((await auditEvents(auditor, 'type=SearchPerformed')).length).toBe(3);
  });

  it('[F3] names what was erased', async () => {
    const { admin, key } = await newTenant(server);
    const auditor = await key({ role: 'auditor' });
    await admin.store({ content: 'The safe is in the cellar' });
    const secret = await admin.store({ content: 'The code of the safe is on the wall' });
    const answer = await search(admin, 'code of the safe', { threshold: 0 });
    expect(ids(answer)[0]).toBe(secret.memory.id);
    await admin.delete(`/v1/memories/${secret.memory.id}?mode=erase`);
    const { asRecorded, now, differences } = await replay(auditor, answer);
    expect(differences).toContainEqual({ id: secret.memory.id, kind: 'missing', cause: 'erased' });
    expect(differences.map(({ cause }: Json) => cause)).toEqual(differences.map(() => 'erased'));
    expect(ids(asRecorded)).toEqual(ids(answer));
    expect(ids(now)).toEqual(ids(answer).slice(1));

    const as = { STRATALOG_API_KEY: auditor.key!, STRATALOG_URL: server.url };
    const { code, stdout } = await stratalog(['audit', 'replay', answer.searchId], as);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${secret.memory.id}  1 (`)]);
    expect(stdout).toMatch(/is missing now +erased: /);
    const json = await stratalog(['audit', 'replay', answer.searchId, '--json'], as);
    expect(JSON.parse(json.stdout).differences).toEqual(differences);
  });

  it('[F3] of a decomposed question says that another route found the answer', async () => {
    const { admin } = await newTenant(server);
    await admin.bulk(
      ['Search', 'Billing', 'Mail'].map((name) => ({
        content: `Team ${name} retries three times`,
        duplicates: 'keep',
      })),
    );
    const answer = await search(admin, 'Compare how Search and Billing retry', { threshold: 0 });
    const { asRecorded, now, differences } = await replay(admin, answer);
    expect([asRecorded.route, now.route]).toEqual(['decomposition', 'standard']);
    expect(differences.map(({ cause }: Json) => cause)).toEqual(differences.map(() => 'weights'));
  });

  it('[F3] [I3] is for auditors of the tenant', async () => {
    const { admin, key } = await newTenant(server);
    await admin.store({ content: 'The ferry to the island leaves at noon' });
    const { searchId } = await search(admin, 'ferry');
    const path = `/v1/audit/searches/${searchId}/replay`;
    const other = await newTenant(server);
    await replay(admin, { searchId });
    expectProblem(await other.admin.post(path), 404, 'not-found');
    expectProblem(await (await other.key({ role: 'auditor' })).post(path), 404, 'not-found');
    expectProblem(await (await key({ user: 'bob' })).post(path), 403, 'forbidden');
    expectProblem(await admin.post('/v1/audit/searches/unknown/replay'), 404, 'not-found');
  });

  it('[F3] is refused where the question cannot be asked about the past', async () => {
    const { admin } = await newTenant(server);
    await admin.store({ content: 'The ferry to the island leaves at noon' });
    const { searchId } = await search(admin, 'ferry', { filter: { accessCount: { gte: 0 } } });
    await vi.waitFor(async () => {
      const refused = await admin.post(`/v1/audit/searches/${searchId}/replay`);
      expectProblem(refused, 409, 'not-replayable');
      expect(refused.body.detail).toContain('accessCount');
    });
  });
});
