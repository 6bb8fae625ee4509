import { beforeEach, describe, expect, it } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { newTenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer();
let admin: Client;

beforeEach(async () => {
  ({ admin } = await newTenant(server));
});

const query = 'On which plan is Northwind, and with how many seats?';
const starter = 'Northwind is on the Starter plan with 5 seats.';
const business = 'Northwind moved to the Business plan, 25 seats for everybody in sales.';

async function store(content: string, fields: Json = {}): Promise<string> {
  return (await admin.store({ content, layer: 'company', ...fields })).position;
}

async function search(minPosition: string, more: Json = {}): Promise<string[]> {
  const reply = await admin.post('/v1/search', { query, minPosition, waitMs: 20_000, ...more });
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  expect(reply.body.results.map(({ rank }: Json) => rank)).toEqual(
    reply.body.results.map((_: Json, index: number) => index + 1),
  );
  const { results } = reply.body;
  // Whatever stands before a higher score says why.
  for (const [index, { score, moved }] of results.entries()) {
    const isBelow = results.slice(index + 1).some((later: Json) => later.score > score);
    if (more['order'] !== 'layer') expect(moved !== undefined, JSON.stringify(results)).toBe(isBelow);
  }
  return results.map(({ memory }: Json) => memory.content);
}

describe('a result that stands before one with a higher score', () => {
  const movedOf = async (minPosition: string, more: Json = {}): Promise<(string | undefined)[]> => {
    const request = { query, threshold: 0, minPosition, waitMs: 20_000, ...more };
    const { results } = (await admin.post('/v1/search', request)).body;
    return results.map(({ moved }: Json) => moved);
  };

  it('[A5] says that it is newer', async () => {
    await store(starter);
    const position = await store(business);
    expect(await movedOf(position)).toEqual(['newer', undefined]);
    expect(await movedOf(position, { order: 'relevance' })).toEqual([undefined, undefined]);
  });

  it('[A5] says that it supersedes the other', async () => {
    const { memory: old } = await admin.store({ content: starter, layer: 'company' });
    const { memory: now } = await admin.store({ content: 'Northwind cancelled.', layer: 'company' });
    const { body } = await admin.put(`/v1/memories/${now.id}/links/supersedes/${old.id}`, {});
    expect(await movedOf(body.position, { order: 'relevance' })).toEqual(['supersedes', undefined]);
  });

  it('[A5] says nothing if the caller asked for the order of layers', async () => {
    await store(starter);
    const position = await store('Northwind has a plan.', { layer: 'user', scope: { user: 'ada' } });
    expect(await movedOf(position, { order: 'layer' })).toEqual([undefined, undefined]);
  });
});

describe('two memories that say different things about the same subject', () => {
  it('[A5] [D4] are returned with the newer one first, except with order=relevance', async () => {
    await store(starter);
    await store('The canteen of Northwind is on the second floor.');
    const position = await store(business);
    expect((await search(position)).slice(0, 2)).toEqual([business, starter]);
    expect((await search(position, { order: 'relevance' }))[0]).toBe(starter);
  });

  it('[D4] are compared by the time of their content, not by the time they were stored', async () => {
    await store(business, { occurredAt: '2026-05-01T00:00:00Z' });
    const position = await store(starter, { occurredAt: '2026-02-01T00:00:00Z' });
    expect((await search(position)).slice(0, 2)).toEqual([business, starter]);
  });

  it('[D4] stay in the order of relevance for a question about the past', async () => {
    await store(starter);
    const position = await store(business);
    const past = 'On which plan was Northwind before, and with how many seats?';
    expect((await search(position, { query: past }))[0]).toBe(starter);
  });

  it('[D4] of two people keep the order of relevance', async () => {
    await store(starter, { layer: 'user', scope: { user: 'ada' } });
    const position = await store(business, { layer: 'user', scope: { user: 'bob' } });
    expect((await search(position, { threshold: 0 }))[0]).toBe(starter);
  });

  it('[D4] are ordered as of a position by the texts of that position', async () => {
    await store(starter);
    const newer = await admin.store({ content: business, layer: 'company' });
    // A text that is replaced before it has a vector is compared by its words alone.
    await search(newer.position);
    const changed = await admin.patch(
      `/v1/memories/${newer.memory.id}`,
      { content: 'The lift is broken.' },
      { 'if-match': '*' },
    );
    expect(changed.status).toBe(200);
    const asOf = newer.position;
    expect((await search(changed.body.position, { asOf, threshold: 0 })).slice(0, 2)).toEqual([
      business,
      starter,
    ]);
  });

  it('[D4] of a project and of the company: the memory of the project comes first', async () => {
    await store('Northwind has 25 seats on the Business plan.');
    const own = 'Northwind has 5 seats on the Business plan.';
    await store(own, { layer: 'project', scope: { project: 'pilot' }, occurredAt: '2020-01-01T00:00:00Z' });
    const position = await store('Lunch is at noon.');
    expect((await search(position))[0]).toBe(own);
  });
});
