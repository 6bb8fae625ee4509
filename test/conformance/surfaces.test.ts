import { describe, expect, it } from 'vitest';
import { clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { record } from '../support/attempts.ts';
import { useServer } from '../support/use-server.ts';

const within = { timeout: 30_000, interval: 200 };

describe('who must forget a memory', () => {
  const server = useServer({
    because: 'the caches of a process are counted',
    environment: { STRATALOG_EMBEDDER: 'deterministic' },
  });

  async function heldOf(admin: Client, id: string): Promise<Record<string, number>> {
    const { status, body } = await admin.get(`/v1/memories/${id}/surfaces`);
    expect(status, JSON.stringify(body)).toBe(200);
    return Object.fromEntries(body.items.map(({ name, count }: Json) => [name, count]));
  }

  it('[F11] [F6] every surface counts what it holds of a memory, and holds nothing after its erasure', async () => {
    const tenant = freshTenant();
    const admin = await clientWithKey(server, { tenant, role: 'admin', user: 'ada' });
    const scope = { user: 'ada' };
    const content = `The password of the router is quartzite. ${'It is written on a note under the desk. '.repeat(80)}`;
    const { memory } = await admin.store({
      content,
      layer: 'user',
      scope,
      metadata: { room: 'b12' },
    });
    await admin.store({ content: 'The password of the router is in the safe.', layer: 'user', scope });
    const search = { query: 'password of the router', scope, threshold: 0 };
    const { searchId } = (await admin.post('/v1/search', search)).body;
    await admin.post(`/v1/searches/${searchId}/outcome`, { used: [memory.id] });
    await admin.post(`/v1/memories/${memory.id}/feedback`, { kind: 'irrelevant', searchId });
    await record(admin, { approach: 'asked the router', memoriesUsed: [memory.id] });
    await admin.post('/v1/summaries/refresh', { layer: 'user', scope });
    const everywhere = [
      'memories',
      'lexical',
      'vectors',
      'usage',
      'feedback',
      'summaries',
      'traces',
      'values',
      'statistics',
      'fields',
      'trace_memories',
      'decrypted pages of the log',
      'words in memory',
      'compared results',
    ];
    await expect
      .poll(async () => {
        // The search fills what is compared.
        await admin.post('/v1/search', { ...search, topK: 5 });
        const held = await heldOf(admin, memory.id);
        return everywhere.filter((name) => !held[name]);
      }, within)
      .toEqual([]);
    await admin.delete(`/v1/memories/${memory.id}?mode=erase`);
    // What is cached from now on does not derive from it.
    await admin.post('/v1/search', { ...search, query: 'Compare the rooms of the password and the router' });
    await expect
      .poll(
        async () =>
          Object.entries(await heldOf(admin, memory.id)).flatMap(([name, count]) =>
            count > 0 ? [`${name}: ${count}`] : [],
          ),
        within,
      )
      .toEqual([]);
  });

  it('[F11] [I1] shows them to admins of the tenant only', async () => {
    const tenant = freshTenant();
    const admin = await clientWithKey(server, { tenant, role: 'admin', user: 'ada' });
    const { memory } = await admin.store({ content: 'The heron stands in the reeds.' });
    const member = await clientWithKey(server, { tenant, role: 'member', user: 'bo' });
    expect(await member.get(`/v1/memories/${memory.id}/surfaces`)).toMatchObject({ status: 403 });
    const stranger = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'eve' });
    expect(Object.values(await heldOf(stranger, memory.id)).every((count) => count === 0)).toBe(true);
    expect(await admin.get('/v1/memories/nonsense/surfaces')).toMatchObject({ status: 404 });
  });
});
