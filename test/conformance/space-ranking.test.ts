import { describe, expect, it, vi } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { auditEvents } from '../support/events.ts';
import { newTenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

async function store(client: Client, memory: object): Promise<Json> {
  const { memory: stored } = await client.store({ layer: 'team', scope: { team: 'red' }, ...memory });
  return stored;
}

async function search(client: Client, query: string, more: object = {}): Promise<Json> {
  const reply = await client.post('/v1/search', { query, threshold: 0, waitMs: 30_000, ...more });
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  return reply.body;
}

/** What the log says of the results of a search, by memory id. */
async function recordedResults(client: Client, searchId: string): Promise<Map<string, Json>> {
  return vi.waitFor(
    async () => {
      const performed = await auditEvents(client, 'type=SearchPerformed');
      const { data } = performed.find((one) => one.data.searchId === searchId)!;
      return new Map(data.results.map((result: Json) => [result.memoryId, result]));
    },
    { timeout: 10_000, interval: 50 },
  );
}

describe('[H1] temporalDecayRate', () => {
  const old = { content: 'The build cache lives on the fast disk', occurredAt: daysAgo(400) };
  const recent = { content: 'The build cache lives on the network share', occurredAt: daysAgo(1) };

  it('lowers what is old by what the search records, and changes nothing at 0', async () => {
    const { admin } = await newTenant(server);
    const { id } = await store(admin, { ...old, spaces: ['dev'] });
    await store(admin, { ...recent, spaces: ['dev'] });
    const logOdds = async () => {
      const { searchId } = await search(admin, 'Where does the build cache live?');
      const { relevance, decay = 0 } = (await recordedResults(admin, searchId)).get(id)!;
      return { decay, total: Math.log(relevance / (1 - relevance)) };
    };
    const plain = await logOdds();
    expect(plain.decay).toBe(0);
    await admin.put('/v1/spaces/dev', { temporalDecayRate: 0.8 });
    const decayed = await logOdds();
    expect(decayed.decay).toBeCloseTo(-0.97, 2);
    expect(decayed.total - plain.total).toBeCloseTo(decayed.decay, 3);
  });

  it('leaves memories of other spaces, and those also in a space without a decay', async () => {
    const { admin } = await newTenant(server);
    await admin.put('/v1/spaces/dev', { temporalDecayRate: 1 });
    await store(admin, { ...old, spaces: ['notes'] });
    await store(admin, {
      ...old,
      content: 'The build cache lives on the slow disk',
      spaces: ['notes', 'dev'],
    });
    const { searchId } = await search(admin, 'Where does the build cache live?');
    const results = [...(await recordedResults(admin, searchId)).values()];
    expect(results).toHaveLength(2);
    for (const result of results) expect(result).not.toHaveProperty('decay');
  });
});

describe('[H1] versionTracking', () => {
  const limits = (version: string, elements: string) => ({
    content: `A flow may run ${elements} elements in one interview`,
    metadata: { sf_version: version, source_title: `Flow limits ${version}` },
    spaces: ['sf'],
  });
  const question = 'How many elements may a flow run in one interview?';

  it('places the newest version first, whatever was stored first, unless the question names one', async () => {
    const { admin } = await newTenant(server);
    const newest = await store(admin, limits('Winter_25', 'ten thousand'));
    const older = await store(admin, limits('Summer_24', 'two thousand'));
    const first = async (query: string) => (await search(admin, query)).results[0].memory.id;
    expect(await first(question)).toBe(older.id);
    await admin.put('/v1/spaces/sf', { preset: 'salesforce' });
    expect(await first(question)).toBe(newest.id);
    expect(await first(`${question} (Summer 24)`)).toBe(older.id);
  });
});
