import { beforeEach, describe, expect, it } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { expectInvalid } from '../support/problem.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer();
let tenant: Tenant;
let admin: Client;
let memory: Json;
let stored: string;

const query = 'When may we deploy to production?';

beforeEach(async () => {
  tenant = await newTenant(server);
  ({ admin } = tenant);
  const reply = await admin.store({
    content: 'We deploy on Tuesdays and Thursdays at ten.',
    layer: 'company',
  });
  ({ memory, position: stored } = reply);
});

async function ask(minPosition: string, more: Json = {}, client = admin): Promise<Json> {
  const body = { query, threshold: 0, minPosition, waitMs: 20_000, ...more };
  const reply = await client.post('/v1/search', body);
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  return reply.body;
}

const logOdds = (relevance: number) => Math.log(relevance / (1 - relevance));
const oddsIn = (answer: Json, id = memory.id) =>
  logOdds(answer.results.find((result: Json) => result.memory.id === id).relevance);

async function judge(body: Json, client = admin): Promise<string> {
  const reply = await client.post(`/v1/memories/${memory.id}/feedback`, body);
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  return reply.body.position;
}

describe('the effect of feedback on relevance', () => {
  it('[C12] [D3] applies to everyone who can see the memory, and the same caller can withdraw it', async () => {
    const [bob, eve] = [await tenant.key({ user: 'bob' }), await tenant.key({ user: 'eve' })];
    const before = oddsIn(await ask(stored, {}, eve));
    const outdated = await judge({ kind: 'outdated' }, bob);
    const lowered = oddsIn(await ask(outdated, {}, eve));
    expect(before - lowered).toBeCloseTo(1.75, 1);
    expect(oddsIn(await ask(await judge({ kind: 'outdated' }, bob)))).toBeCloseTo(lowered, 5);
    const twice = oddsIn(await ask(await judge({ kind: 'outdated' }, eve)));
    expect(twice).toBeLessThan(lowered - 0.3);
    await judge({ kind: 'outdated', score: 1 }, bob);
    expect(oddsIn(await ask(await judge({ kind: 'outdated', score: 0.5 }, eve)))).toBeCloseTo(before, 5);
  });

  it('[C12] changes score, threshold and order', async () => {
    const other = await admin.store({ content: 'We deploy when the canary is green.', layer: 'company' });
    const answer = await ask(other.position, { order: 'relevance' });
    const { memory: best, score } = answer.results[0];
    memory = best;
    const position = await judge({ kind: 'inaccurate' });
    const later = await ask(position, { order: 'relevance' });
    expect(later.results[0].memory.id).not.toBe(best.id);
    const own = later.results.find((result: Json) => result.memory.id === best.id);
    expect(own.score).toBeLessThan(score - 0.05);
    const cut = await ask(position, { threshold: score });
    expect(cut.results.map((result: Json) => result.memory.id)).not.toContain(best.id);
  });

  it('[C12] of helpful and irrelevant is limited to questions like that of the search', async () => {
    const unrelated = 'How many seats does Northwind have?';
    const first = await ask(stored);
    const before = [oddsIn(first), oddsIn(await ask(stored, { query: unrelated }))];
    const helpful = await judge({ kind: 'helpful', searchId: first.searchId });
    expect(oddsIn(await ask(helpful)) - before[0]!).toBeCloseTo(1.4, 1);
    expect(oddsIn(await ask(helpful, { query: 'When may we deploy into production?' }))).toBeGreaterThan(
      before[0]!,
    );
    expect(oddsIn(await ask(helpful, { query: unrelated }))).toBeCloseTo(before[1]!, 5);
    await judge({ kind: 'helpful', score: -1, searchId: first.searchId });
    const irrelevant = await judge({ kind: 'irrelevant', searchId: first.searchId });
    expect(oddsIn(await ask(irrelevant))).toBeLessThan(before[0]! - 1);
  });

  it.each(['helpful', 'irrelevant'])('[C12] %s needs a searchId', async (kind) => {
    expectInvalid(await admin.post(`/v1/memories/${memory.id}/feedback`, { kind }), 'searchId');
  });

  it('[C12] [F1] is shown with the memory, and in the audit of a search', async () => {
    const bob = await tenant.key({ user: 'bob' });
    await judge({ kind: 'outdated' }, bob);
    await judge({ kind: 'outdated' });
    await judge({ kind: 'inaccurate', score: 1 });
    const position = await judge({ kind: 'helpful', searchId: (await ask(stored)).searchId });
    const counts = { helpful: 1, irrelevant: 0, outdated: 2, inaccurate: 0, duplicate: 0 };
    const got = await admin.get(`/v1/memories/${memory.id}?minPosition=${position}`);
    expect(got.body.feedback).toEqual(counts);
    const list = await admin.get(`/v1/memories?minPosition=${position}`);
    expect(list.body.items[0].feedback).toEqual(counts);
    const answer = await ask(position);
    expect(answer.results[0].memory.feedback).toEqual(counts);
    expect(answer.results[0]).not.toHaveProperty('feedback');
    const { body } = await admin.get(`/v1/audit/searches/${answer.searchId}`);
    expect(body.results[0].feedback).toBeLessThan(-0.5);
  });

  it('[C12] in a search as of a position is that of the feedback at that position', async () => {
    const before = oddsIn(await ask(stored));
    const position = await judge({ kind: 'outdated' });
    expect(oddsIn(await ask(position, { asOf: stored }))).toBeCloseTo(before, 3);
    expect(oddsIn(await ask(position, { asOf: position }))).toBeCloseTo(before - 1.75, 1);
  });

  it('[C12] ends when the memory is erased', async () => {
    const { searchId } = await ask(stored);
    await judge({ kind: 'helpful', searchId });
    expect((await admin.delete(`/v1/memories/${memory.id}?mode=erase`)).status).toBe(200);
    const after = await admin.store({ content: 'after' });
    const events = `/v1/audit/events?memory=${memory.id}&minPosition=${after.position}&waitMs=20000`;
    const { items } = (await admin.get(events)).body;
    expect(items.map(({ type }: Json) => type)).toContain('FeedbackErased');
    const gone = await admin.post(`/v1/memories/${memory.id}/feedback`, { kind: 'helpful', searchId });
    expect(gone.status).toBe(404);
  });
});
