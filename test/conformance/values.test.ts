import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { auditEvents } from '../support/events.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer({
  because: 'it engages the kill switch, which all tenants share',
  environment: { STRATALOG_EMBEDDER: 'deterministic' },
});

const within = { timeout: 30_000, interval: 200 };
const query = 'How long does the build take?';
const contents = [
  'The build takes nine minutes on Mondays.',
  'The build takes twelve minutes on Fridays.',
  'The build takes four minutes on Sundays.',
];

describe('the value of memories', () => {
  let tenant: Tenant;
  let ada: Client;
  let bob: Client;
  let position: string;
  /** The order without values, and the memory that Ada uses: the second. */
  let first: string;
  let used: string;

  beforeAll(async () => {
    tenant = await newTenant(server);
    ada = await tenant.key({ user: 'ada', role: 'member' });
    bob = await tenant.key({ user: 'bob', role: 'member' });
    const lines = await tenant.admin.bulk(contents.map((content) => ({ content, layer: 'company' })));
    ({ position } = lines.at(-1)!);
    [first, used] = orderOf(await ask(bob)) as [string, string];
  });

  async function ask(client: Client, body: Json = {}): Promise<Json> {
    const whole = { query, threshold: 0, order: 'relevance', minPosition: position, ...body };
    const reply = await client.post('/v1/search', whole);
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
    return reply.body;
  }

  const orderOf = ({ results }: Json): string[] => results.map(({ memory }: Json) => memory.id);
  const importanceIn = ({ results }: Json, id = used): number =>
    results.find(({ memory }: Json) => memory.id === id).memory.importance;

  let asked = 0;
  /** Asks so many different questions, whose words are about the same, and uses the same memory each time. */
  async function use(times: number): Promise<void> {
    const once = async () => {
      const { searchId } = await ask(ada, { query: `${query} (${++asked})` });
      expect((await ada.post(`/v1/searches/${searchId}/outcome`, { used: [used] })).status).toBe(200);
    };
    await Promise.all(Array.from({ length: times }, once));
  }

  const comparisons = () => auditEvents(tenant.admin, 'type=ValuesCompared');

  it('[C5] shows as importance, and changes no ranking before it is proven', async () => {
    expect(importanceIn(await ask(ada))).toBe(0.5);
    await use(5);
    // A look takes what was known when a search was asked: the others are asked when these are known.
    await vi.waitFor(async () => expect(importanceIn(await ask(ada))).toBeGreaterThan(0.6), within);
    await use(44);
    const answer = await ask(ada);
    expect(importanceIn(answer, first)).toBeLessThan(0.5);
    expect(orderOf(answer).slice(0, 2)).toEqual([first, used]);
    expect(await comparisons()).toEqual([]);
  });

  it('[C5] [F1] changes the ranking from the first look on that proves a gain, which is an event', async () => {
    await use(1);
    await vi.waitFor(async () => expect(await comparisons()).toHaveLength(1), within);
    await vi.waitFor(async () => expect(orderOf(await ask(ada))[0]).toBe(used), within);
    const [look, ...others] = await comparisons();
    expect(others).toEqual([]);
    expect(look).toMatchObject({ actor: 'system', data: { searches: 50, looks: 1, weight: 0.5 } });
    expect(look!.data.interval[0]).toBeGreaterThan(0);
    const { searchId } = await ask(ada);
    const { body } = await tenant.admin.get(`/v1/audit/searches/${searchId}?waitMs=20000`);
    const valueOf = (id: string) => body.results.find(({ memoryId }: Json) => memoryId === id).value;
    expect(valueOf(used)).toBeGreaterThan(0);
    expect(valueOf(first)).toBeLessThan(0);
  });

  it('[C5] is the same importance wherever a memory is read, and in filters', async () => {
    const link = await tenant.admin.put(`/v1/memories/${first}/links/supports/${used}`);
    expect(link.status).toBe(200);
    const linked = `minPosition=${link.body.position}&waitMs=20000`;
    const importancesFor = async (client: Client): Promise<number[]> => {
      const shown = importanceIn(await ask(client));
      const past = importanceIn(await ask(client, { asOf: position }));
      const [one, list, related] = await Promise.all([
        client.get(`/v1/memories/${used}`),
        client.get('/v1/memories'),
        client.get(`/v1/memories/${first}/related?${linked}`),
      ]);
      const listed = list.body.items.find(({ id }: Json) => id === used).importance;
      return [shown, past, one.body.importance, listed, related.body.items[0].memory.importance];
    };
    const found = async (client: Client, importance: Json): Promise<string[]> =>
      orderOf(await ask(client, { filter: { importance } })).sort();
    const [shown, ...others] = await importancesFor(ada);
    expect(shown).toBeGreaterThan(0.6);
    expect(others).toEqual(others.map(() => shown));
    expect(await found(ada, { eq: shown })).toEqual([used]);
    expect(await found(ada, { gt: 0.5 })).toEqual([used]);
    expect(await found(ada, { in: [0, 0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, shown] })).toEqual([used]);
    expect(await found(ada, { lt: 0.5 })).not.toContain(used);
    const filter = encodeURIComponent(JSON.stringify({ importance: { gte: shown } }));
    const listFiltered = (client: Client) => client.get(`/v1/memories?filter=${filter}`);
    expect((await listFiltered(ada)).body.items.map(({ id }: Json) => id)).toEqual([used]);
    // Of another user's uses nothing is known anywhere.
    expect(await importancesFor(bob)).toEqual([0.5, 0.5, 0.5, 0.5, 0.5]);
    expect(await found(bob, { ne: 0.5 })).toEqual([]);
    expect((await listFiltered(bob)).body.items).toEqual([]);
  });

  it("[C5] shows nothing of another user's use", async () => {
    const answer = await ask(bob);
    expect(orderOf(answer).slice(0, 2)).toEqual([first, used]);
    for (const id of orderOf(answer)) expect(importanceIn(answer, id)).toBe(0.5);
    const { body } = await tenant.admin.get(`/v1/audit/searches/${answer.searchId}?waitMs=20000`);
    for (const result of body.results) expect(result).not.toHaveProperty('value');
  });

  it('[C5] is not in a search as of a position, and being shown alone changes nothing', async () => {
    const past = await ask(ada, { asOf: position });
    expect(orderOf(past).slice(0, 2)).toEqual([first, used]);
    const before = importanceIn(await ask(ada));
    expect(importanceIn(await ask(ada))).toBe(before);
  });

  it('[C5] [C7] ends with the kill switch, and begins again with its release', async () => {
    const set = (engaged: boolean) => tenant.admin.post('/v1/admin/policies/kill-switch', { engaged });
    const engaged = await set(true);
    expect(engaged, JSON.stringify(engaged.body)).toMatchObject({ status: 200 });
    try {
      await vi.waitFor(async () => expect(orderOf(await ask(ada))[0]).toBe(first), within);
    } finally {
      await set(false);
    }
    await vi.waitFor(async () => expect(orderOf(await ask(ada))[0]).toBe(used), within);
  });

  it('[C5] of an erased memory is gone with it, and a late outcome that names it changes nothing', async () => {
    const { searchId } = await ask(ada);
    expect((await tenant.admin.delete(`/v1/memories/${used}?mode=erase`)).status).toBe(200);
    expect((await ada.post(`/v1/searches/${searchId}/outcome`, { used: [used] })).status).toBe(200);
    await vi.waitFor(async () => expect(orderOf(await ask(ada))).not.toContain(used), within);
    const answer = await ask(ada);
    expect(JSON.stringify(answer)).not.toContain(used);
    expect(orderOf(answer)).toHaveLength(2);
  });
});

it('[C5] one question asked again and again is looked at, and decides nothing', async () => {
  const tenant = await newTenant(server);
  const { memory, position } = await tenant.admin.store({ content: contents[0], layer: 'company' });
  for (let asked = 0; asked < 50; asked++) {
    const search = { query, threshold: 0, minPosition: position };
    const { searchId } = (await tenant.admin.post('/v1/search', search)).body;
    await tenant.admin.post(`/v1/searches/${searchId}/outcome`, { used: [memory.id] });
  }
  const looks = () => auditEvents(tenant.admin, 'type=ValuesCompared');
  await vi.waitFor(async () => expect(await looks()).toMatchObject([{ data: { weight: 0 } }]), within);
  expect((await looks())[0]!.data).not.toHaveProperty('interval');
});
