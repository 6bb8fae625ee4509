import { describe, expect, it, vi } from 'vitest';
import { clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { newAdmin } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');

/** Counters are updated after the answer is sent, within two seconds. */
const within = { timeout: 2_000, interval: 50 };

async function events(client: Client, ...types: string[]): Promise<Json[]> {
  const parameters = new URLSearchParams(types.map((type): [string, string] => ['type', type]));
  return (await client.get(`/v1/audit/events?${parameters.toString()}&limit=500`)).body.items;
}

const lunch = 'Lunch in the canteen starts at noon';

describe('events and counters of a search', () => {
  it('[A9] records the query, the settings, and the rank and score of each result', async () => {
    const client = await newAdmin(server);
    await client.store({ content: lunch });
    const { position } = await client.store({
      content: 'The canteen opens for lunch at noon',
      layer: 'company',
    });
    const filter = { revision: { gte: 0 } };
    const body = { query: lunch, topK: 7, threshold: 0.2, order: 'relevance', filter, sessionId: 'chat-1' };
    const headers = { 'x-request-id': 'search-1' };
    const answer = await client.post(
      '/v1/search',
      { ...body, minPosition: position, waitMs: 30_000 },
      headers,
    );
    expect(answer.body.results).toHaveLength(2);
    const [event] = await vi.waitFor(async () => {
      const found = await events(client, 'SearchPerformed');
      expect(found).toHaveLength(1);
      return found;
    }, within);
    expect(event).toMatchObject({ actor: 'user:ada', cause: 'user', correlationId: 'search-1' });
    const { data } = event;
    expect(data).toMatchObject({ ...body, searchId: answer.body.searchId, warnings: [] });
    expect(data.results).toEqual(
      answer.body.results.map(({ memory, rank, score, relevance }: Json) => ({
        memoryId: memory.id,
        rank,
        score,
        relevance,
      })),
    );
  });

  it('[A9] records the returned memories, and each counts the access once', async () => {
    const client = await newAdmin(server);
    const { memory: found } = await client.store({ content: lunch });
    const { memory: other, position } = await client.store({ content: 'Invoices are numbered by year' });
    const search = () => client.post('/v1/search', { query: lunch, minPosition: position, waitMs: 30_000 });
    const first = await search();
    expect(first.body.results.map(({ memory }: Json) => memory.id)).toEqual([found.id]);
    expect(first.body.results[0].memory.accessCount).toBe(0);
    await vi.waitFor(async () => {
      const { body } = await client.get(`/v1/memories/${found.id}`);
      expect(body.accessCount).toBe(1);
      expect(Date.parse(body.lastAccessedAt)).toBeGreaterThanOrEqual(Date.parse(body.createdAt));
    }, within);
    await search();
    await search();
    await vi.waitFor(async () => {
      const { body } = await client.get('/v1/memories');
      const counts = Object.fromEntries(body.items.map(({ id, accessCount }: Json) => [id, accessCount]));
      expect(counts).toEqual({ [found.id]: 3, [other.id]: 0 });
    }, within);
    expect((await search()).body.results[0].memory.accessCount).toBe(3);
    await vi.waitFor(async () => {
      const accessed = await events(client, 'MemoriesAccessed');
      expect(accessed.map(({ data }) => data.memoryIds)).toEqual(Array.from({ length: 4 }, () => [found.id]));
      expect(accessed[0].data).toMatchObject({ how: 'search', searchId: first.body.searchId });
    }, within);
  });

  it('[A9] records a search without results and counts no access', async () => {
    const client = await newAdmin(server);
    const { memory, position } = await client.store({ content: lunch });
    const query = 'orbital mechanics of comets';
    const { body } = await client.post('/v1/search', { query, minPosition: position, waitMs: 30_000 });
    expect(body.results).toEqual([]);
    await vi.waitFor(async () => {
      const [performed] = await events(client, 'SearchPerformed');
      expect(performed.data).toMatchObject({ query, results: [] });
    }, within);
    expect(await events(client, 'MemoriesAccessed')).toEqual([]);
    expect((await client.get(`/v1/memories/${memory.id}`)).body.accessCount).toBe(0);
  });

  it('[A9] records no event for a rejected search', async () => {
    const client = await newAdmin(server);
    expect((await client.post('/v1/search', { query: lunch, topK: 0 })).status).toBe(400);
    await client.post('/v1/search', { query: lunch });
    await vi.waitFor(async () => expect(await events(client, 'SearchPerformed')).toHaveLength(1), within);
  });

  it('[A9] counts the searches of every caller in the tenant', async () => {
    const tenant = freshTenant();
    const admin = await newAdmin(server, tenant);
    const { memory, position } = await admin.store({ content: lunch, layer: 'company' });
    for (const user of ['bob', 'eve']) {
      const member = await clientWithKey(server, { tenant, role: 'member', user });
      const answer = await member.post('/v1/search', { query: lunch, minPosition: position, waitMs: 30_000 });
      expect(answer.body.results).toHaveLength(1);
    }
    await vi.waitFor(async () => {
      expect((await admin.get(`/v1/memories/${memory.id}`)).body.accessCount).toBe(2);
      const actors = (await events(admin, 'SearchPerformed')).map(({ actor }) => actor);
      expect(actors).toHaveLength(2);
      expect(new Set(actors)).toEqual(new Set(['user:bob', 'user:eve']));
    }, within);
  });
});

describe('access counters', () => {
  it('[A10] include everything up to the requested minPosition', async () => {
    const client = await newAdmin(server);
    const { memory, position } = await client.store({ content: lunch });
    for (let searches = 1; searches <= 5; searches++) {
      await client.post('/v1/search', { query: lunch, minPosition: position, waitMs: 30_000 });
      const accessed = await vi.waitFor(async () => {
        const found = await events(client, 'MemoriesAccessed');
        expect(found).toHaveLength(searches);
        return found.at(-1)!.position as string;
      }, 20_000);
      const { body } = await client.get(`/v1/memories/${memory.id}?minPosition=${accessed}&waitMs=30000`);
      expect(body.accessCount).toBe(searches);
    }
  });
});

describe('reads that are not accesses', () => {
  it('[A9] get, list, history, related and feedback do not count', async () => {
    const client = await newAdmin(server);
    const { memory, position } = await client.store({ content: lunch });
    const path = `/v1/memories/${memory.id}`;
    for (const url of [
      path,
      '/v1/memories',
      `${path}/history`,
      `${path}/related`,
      '/v1/stats',
      '/v1/audit/events',
    ]) {
      expect((await client.get(url)).status).toBe(200);
    }
    await client.post(`${path}/feedback`, { kind: 'outdated' });
    // The search comes after all of them: once it is counted, they would have been counted too.
    await client.post('/v1/search', { query: lunch, minPosition: position, waitMs: 30_000 });
    await vi.waitFor(async () => {
      expect((await client.get(path)).body.accessCount).toBe(1);
      expect(await events(client, 'MemoriesAccessed')).toHaveLength(1);
    }, within);
    expect((await client.get(path)).body.accessCount).toBe(1);
  });

  it('[A9] an access does not change revision, ETag or updatedAt', async () => {
    const client = await newAdmin(server);
    const { memory, position } = await client.store({ content: lunch });
    await client.post('/v1/search', { query: lunch, minPosition: position, waitMs: 30_000 });
    const seen = await vi.waitFor(async () => {
      const reply = await client.get(`/v1/memories/${memory.id}`);
      expect(reply.body.accessCount).toBe(1);
      return reply;
    }, within);
    expect(seen.headers.get('etag')).toBe('"0"');
    expect(seen.body).toMatchObject({ revision: 0, updatedAt: memory.updatedAt });
    const history = await client.get(`/v1/memories/${memory.id}/history`);
    expect(history.body.items).toHaveLength(1);
  });
});
