import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { stratalog } from '../support/cli.ts';
import { auditEvents } from '../support/events.ts';
import { expectInvalid, expectProblem } from '../support/problem.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');

const team = { layer: 'team', scope: { team: 'red' } };
const forum = 'https://example.com/forum';

async function whatIf(client: Client, without: object, more: object): Promise<Json> {
  const reply = await client.post('/v1/audit/what-if', { without, waitMs: 30_000, ...more });
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  return reply.body;
}

const idsOf = ({ results }: Json): string[] => results.map(({ memoryId }: Json) => memoryId);

describe('what would have been answered without some events', () => {
  let tenant: Tenant;
  let auditor: Client;
  let poison: Json;
  let truth: Json;
  let searches: string[];

  beforeAll(async () => {
    tenant = await newTenant(server);
    const { admin, key } = tenant;
    auditor = await key({ role: 'auditor' });
    const scraper = await key({ role: 'agent', agents: ['scraper'], users: ['*'], teams: ['red'] });
    const bob = await key({ user: 'bob', teams: ['red'] });
    const search = async (query: string, minPosition: string): Promise<string> => {
      const { body } = await bob.post('/v1/search', { query, threshold: 0, minPosition, waitMs: 30_000 });
      return body.searchId;
    };
    const first = await admin.store({ content: 'Refunds are paid to the card of the customer.', ...team });
    truth = first.memory;
    await admin.store({ content: 'The canteen opens at noon.', ...team });
    const early = await search('Where are refunds paid to?', first.position);
    const bad = await scraper.store({
      content: 'Refunds are paid to the account 666 of the helper.',
      metadata: { source: forum },
      ...team,
    });
    poison = bad.memory;
    const done = [
      await scraper.put(`/v1/memories/${poison.id}/links/supersedes/${truth.id}`),
      await scraper.post(`/v1/memories/${truth.id}/feedback`, { kind: 'inaccurate' }),
    ];
    expect(done.map(({ status, body }) => [status, body.detail])).toEqual([
      [200, undefined],
      [200, undefined],
    ]);
    await admin.post('/v1/summaries/refresh', team);
    await vi.waitFor(async () => expect(await auditEvents(admin, 'type=SummaryGenerated')).not.toEqual([]), {
      timeout: 30_000,
      interval: 100,
    });
    const { position } = await admin.store({ content: 'The office closes at six.', ...team });
    searches = [early, await search('Where are refunds paid to?', position)];
    const outcome = await bob.post(`/v1/searches/${searches[1]}/outcome`, { used: [truth.id] });
    expect(outcome.status).toBe(200);
    await vi.waitFor(async () => expect(await auditEvents(admin, 'type=UseObserved')).not.toEqual([]), {
      timeout: 30_000,
      interval: 100,
    });
  });

  it('[F10] shows the answers and summaries that a poisoned memory has changed', async () => {
    const answer = await whatIf(auditor, { memories: [poison.id] }, { searches });
    const [early, late] = answer.answers;
    expect(early).toMatchObject({ searchId: searches[0], differences: [] });
    expect(idsOf(early.before)).toEqual(idsOf(early.after));
    expect(late.searchId).toBe(searches[1]);
    expect(idsOf(late.before)).toContain(poison.id);
    expect(idsOf(late.after)).not.toContain(poison.id);
    expect(idsOf(late.after)[0]).toBe(truth.id);
    expect(late.differences).toContainEqual({ id: poison.id, kind: 'missing', cause: 'left-out' });
    expect(answer.leftOut.memories).toEqual([poison.id]);
    // The memory, its link and the summary that quotes it.
    expect(answer.leftOut.events).toBeGreaterThanOrEqual(3);
    expect(answer.summaries.length).toBeGreaterThan(0);
    for (const summary of answer.summaries)
      expect(summary).toMatchObject({ ...team, leftOut: [poison.id], personalized: false });
    expect(answer.summaries[0]).not.toHaveProperty('instead');
  });

  it('[F10] leaves out everything from one source, of one actor, or of a time', async () => {
    const ofSource = await whatIf(auditor, { source: forum }, { searches });
    expect(ofSource.leftOut.memories).toEqual([poison.id]);
    const ofActor = await whatIf(auditor, { actor: 'agent:scraper' }, { searches });
    expect(ofActor.leftOut).toMatchObject({ memories: [poison.id] });
    expect(ofActor.leftOut.events).toBeGreaterThan(ofSource.leftOut.events);
    const [, late] = ofActor.answers;
    const relevanceIn = ({ results }: Json): number =>
      results.find(({ memoryId }: Json) => memoryId === truth.id).relevance;
    expect(relevanceIn(late.after)).toBeGreaterThan(relevanceIn(late.before));
    const ofFeedback = await whatIf(auditor, { feedbackOf: 'agent:scraper' }, { searches });
    expect(ofFeedback.leftOut.memories).toEqual([]);
    expect(relevanceIn(ofFeedback.answers[1].after)).toBeGreaterThan(relevanceIn(late.before));
    expect(ofFeedback.answers[1].differences.map(({ cause }: Json) => cause)).toEqual(
      ofFeedback.answers[1].differences.map(() => 'follows'),
    );
    const stored = await auditEvents(auditor, `memory=${poison.id}&type=MemoryStored`);
    const { id, position, time } = stored[0]!;
    const one = { events: [id], actor: 'agent:scraper', from: time, to: position };
    expect((await whatIf(auditor, one, { searches })).leftOut.memories).toEqual([poison.id]);
  });

  it('[F10] shows the values of memories without the outcomes that someone posted', async () => {
    const { values } = await vi.waitFor(
      async () => {
        const answer = await whatIf(
          auditor,
          { feedbackOf: 'user:bob' },
          { query: 'Where are refunds paid to?' },
        );
        // The outcome, and what the program recorded because of it, which may be a little later.
        expect(answer.leftOut).toEqual({ events: 2, memories: [] });
        return answer;
      },
      { timeout: 60_000, interval: 500 },
    );
    const value = values.find(({ memoryId }: Json) => memoryId === truth.id);
    expect(value.before).toBeGreaterThan(0.5);
    expect(value.after).toBe(0.5);
  });

  it('[F10] asks a question of now, changes nothing, and is itself an event', async () => {
    const { admin } = tenant;
    const count = async () => (await auditEvents(admin, 'type=SearchPerformed')).length;
    const performed = await count();
    const asked = { query: 'Where are refunds paid to?' };
    const { answers } = await whatIf(admin, { source: forum }, asked);
    expect(answers).toHaveLength(1);
    expect(answers[0]).not.toHaveProperty('searchId');
    expect(idsOf(answers[0].before)).toContain(poison.id);
    expect(idsOf(answers[0].after)).toContain(truth.id);
    expect(await count()).toBe(performed);
    const { status } = await admin.get(`/v1/memories/${poison.id}`);
    expect(status).toBe(200);
    const reads = () => auditEvents(admin, 'type=AuditRead');
    const parameters = { without: { source: forum }, ...asked };
    const data = expect.objectContaining({
      what: 'what-if',
      parameters: expect.objectContaining(parameters),
    });
    await expect.poll(reads, { timeout: 30_000 }).toContainEqual(expect.objectContaining({ data }));
  });

  it('[F10] is printed by the command line', async () => {
    const as = { STRATALOG_API_KEY: auditor.key!, STRATALOG_URL: server.url };
    const command = ['audit', 'what-if', searches[1]!, '--source', forum];
    const { code, stdout } = await stratalog(command, as);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${poison.id}  `)]);
    expect(stdout).toContain('it is left out');
    expect(stdout).toContain('Summaries that would not be there');
    const json = await stratalog([...command, '--json'], as);
    expect(JSON.parse(json.stdout).leftOut.memories).toEqual([poison.id]);
  });

  it('[F10] [I3] is for auditors of the tenant, and says what is wrong with a request', async () => {
    const ask = (client: Client, body: object) => client.post('/v1/audit/what-if', body);
    const without = { actor: 'agent:scraper' };
    expectProblem(await ask(await tenant.key({ user: 'eve' }), { without, searches }), 403, 'forbidden');
    const other = await newTenant(server);
    expectProblem(await ask(other.admin, { without, searches }), 404, 'not-found');
    expectInvalid(await ask(auditor, { without }), 'searches');
    expectInvalid(await ask(auditor, { without: {}, searches }), 'without');
    expectInvalid(await ask(auditor, { searches }), 'without');
    expectInvalid(await ask(auditor, { without: { who: 'x' }, searches }), 'without.who');
    const future = { ...without, to: '2999-01-01T00:00:00Z' };
    expectInvalid(await ask(auditor, { without: future, searches }), 'without.to');
    const many = Array.from({ length: 21 }, () => searches[0]);
    expectInvalid(await ask(auditor, { without, searches: many }), 'searches');
    const foreign = await ask(auditor, { without: { from: '000000000000-1' }, searches });
    expectProblem(foreign, 400, 'position-unknown', 'without.from');
  });
});
