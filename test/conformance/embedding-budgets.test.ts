import { randomBytes } from 'node:crypto';
import { afterAll, describe, it } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { auditEvents } from '../support/events.ts';
import { scriptedEmbeddings } from '../support/scripted-embeddings.ts';
import { newAdmin } from '../support/tenant.ts';
import { useServer } from '../support/use-server.ts';

const within = { timeout: 60_000, interval: 200 };
const endpoint = await scriptedEmbeddings(32);
afterAll(() => endpoint.close());
const server = useServer({
  because: 'its embeddings are those of an endpoint',
  environment: {
    STRATALOG_EMBEDDER: 'openai',
    STRATALOG_EMBEDDING_BASE_URL: endpoint.baseURL,
    STRATALOG_EMBEDDING_MODEL: 'text-embedding-3-small',
  },
});

const sent = (): string[] => endpoint.requests.flatMap(({ input }) => input);
const costsOf = async (admin: Client): Promise<Json[]> =>
  (await auditEvents(admin, 'type=CostIncurred')).map(({ data }) => data);
const search = async (admin: Client, query: string, minPosition?: string): Promise<Json> =>
  (
    await admin.post('/v1/search', {
      query,
      threshold: 0,
      ...(minPosition && { minPosition, waitMs: 30_000 }),
    })
  ).body;

// Together, because each waits for a flush of the costs.
describe.concurrent('an embedding endpoint that costs something', () => {
  it('[E7] [H5] the texts of a flush are one cost, and queries too', async ({ expect }) => {
    const admin = await newAdmin(server);
    const lines = await admin.bulk(
      Array.from({ length: 30 }, (_, n) => ({ content: `The otter ${n} dives for fish in the pond` })),
    );
    await search(admin, 'otter in the pond', lines.at(-1)!.position);
    await expect.poll(async () => (await costsOf(admin)).length, within).toBeGreaterThan(0);
    await expect
      .poll(async () => (await admin.get('/v1/admin/budgets')).body, within)
      .toMatchObject({ reserved: { tokens: 0 }, spent: { tokens: expect.any(Number) } });
    const costs = await costsOf(admin);
    expect(costs.length).toBeLessThan(10);
    for (const cost of costs)
      expect(cost).toMatchObject({ purpose: 'embedding', model: 'text-embedding-3-small', priced: true });
    const tokens = costs.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
    expect(tokens).toBeGreaterThan(30 * 8);
    expect(tokens).toBeLessThan(30 * 14);
    expect((await admin.get('/v1/stats')).body.costs.models).toMatchObject([{ purpose: 'embedding' }]);
  });

  it('[E7] [H5] over the budget memories are stored and found by words, and their vectors wait for it', async ({
    expect,
  }) => {
    // Its own, so that the test can be run again.
    const heron = `heron${randomBytes(2).toString('hex')}`;
    const long = Array.from(
      { length: 120 },
      (_, n) => `Pump ${n} of the ${heron} station was serviced.`,
    ).join(' ');
    const [admin, other] = [await newAdmin(server), await newAdmin(server)];
    await admin.put('/v1/admin/budgets', { period: 'day', tokens: 0 });
    const { position } = await admin.store({ content: `The ${heron} stands in the reeds` });
    const last = await admin.store({ content: long });
    const before = await search(admin, `${heron} reeds`, last.position);
    expect(before.results.length).toBeGreaterThan(0);
    expect(before.warnings).toContainEqual(expect.objectContaining({ code: 'partial' }));
    // Other tenants do not wait.
    const theirs = await other.store({ content: 'The swan crosses the lake' });
    const answer = await search(other, 'swan lake', theirs.position);
    expect(answer.results).toHaveLength(1);
    expect(answer.warnings).toEqual([]);
    expect(sent()).toContain('The swan crosses the lake');
    expect(sent().some((text) => text.includes(heron))).toBe(false);
    expect(await auditEvents(admin, 'type=BudgetExhausted', position)).toMatchObject([
      { data: { purpose: 'embedding' } },
    ]);

    await admin.put('/v1/admin/budgets', { period: 'day', tokens: 1_000_000 });
    await expect.poll(() => sent(), within).toContain(`The ${heron} stands in the reeds`);
    await expect
      .poll(() => sent().filter((text) => text.includes(`${heron} station`)).length, within)
      .toBeGreaterThan(2);
    await expect.poll(async () => (await search(admin, `${heron} reeds`)).warnings, within).toEqual([]);
    expect((await search(admin, `${heron} reeds`)).results[0].memory.content).toContain('reeds');
  });

  it('[H5] [H1] over the budget of a space its memories are stored, and their vectors wait for it', async ({
    expect,
  }) => {
    const otter = `otter${randomBytes(2).toString('hex')}`;
    const admin = await newAdmin(server);
    // Less than any text costs.
    await admin.put('/v1/spaces/river', { dailyBudgetUsd: 1e-9 });
    await admin.put('/v1/spaces/lake', { dailyBudgetUsd: 1 });
    const river = await admin.store({ content: `The ${otter} swims in the river`, spaces: ['river'] });
    const both = { content: `The ${otter} visits river and lake`, spaces: ['river', 'lake'] };
    await admin.store(both);
    const lake = await admin.store({ content: `The ${otter} swims in the lake`, spaces: ['lake'] });
    const found = await search(admin, `${otter} river`, lake.position);
    expect(found.results.map(({ memory }: Json) => memory.id)).toContain(river.memory.id);
    await expect.poll(() => sent(), within).toContain(lake.memory.content);
    expect(sent()).not.toContain(river.memory.content);
    expect(sent()).not.toContain(both.content);
    expect(await auditEvents(admin, 'type=BudgetExhausted')).toMatchObject([{ data: { space: 'river' } }]);
    const usage = async (space: string): Promise<Json> => (await admin.get(`/v1/spaces/${space}`)).body.usage;
    expect(await usage('river')).toMatchObject({ spentTodayUsd: 0, exhaustedUntil: expect.any(String) });

    await admin.patch('/v1/spaces/river', { dailyBudgetUsd: 1 });
    await expect.poll(() => sent(), within).toContain(river.memory.content);
    await expect.poll(() => sent(), within).toContain(both.content);
    await expect.poll(async () => (await usage('river')).spentTodayUsd, within).toBeGreaterThan(0);
    expect(await usage('river')).not.toHaveProperty('exhaustedUntil');
    expect((await usage('lake')).spentThisMonthUsd).toBeGreaterThan(0);
  });
});
