import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { auditEvents } from '../support/events.ts';
import { expectInvalid, expectProblem } from '../support/problem.ts';
import { newTenant, type Tenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');

const team = { layer: 'team', scope: { team: 'red' } };
const reads = {
  related: (id: string) => `/v1/memories/${id}/related?types=supersedes`,
  stats: () => '/v1/stats',
  summaries: () => '/v1/summaries?layer=team&scope.team=red',
  policies: () => '/v1/admin/policies',
};

async function read(
  client: Client,
  path: string,
  parameters: Readonly<Record<string, string>>,
): Promise<Json> {
  const more = new URLSearchParams({ waitMs: '30000', ...parameters });
  const reply = await client.get(`${path}${path.includes('?') ? '&' : '?'}${more}`);
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  return reply.body;
}

async function contextOf(client: Client, more: object): Promise<Json> {
  const body = {
    query: 'When does the ferry to the island leave?',
    tokenBudget: 400,
    waitMs: 30_000,
    ...more,
  };
  const reply = await client.post('/v1/context', body);
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  return reply.body;
}

/** Has the summaries of team red made, and returns a position that includes them. */
async function summarized(admin: Client): Promise<string> {
  const generated = () => auditEvents(admin, 'type=SummaryGenerated');
  const { length: before } = await generated();
  await admin.post('/v1/summaries/refresh', team);
  return vi.waitFor(
    async () => {
      const events = await generated();
      expect(events.length).toBeGreaterThan(before);
      return events.at(-1)!.position as string;
    },
    { timeout: 30_000, interval: 100 },
  );
}

describe('what the system would have answered at a position', () => {
  let tenant: Tenant;
  let admin: Client;
  let old: Json;
  let newer: Json;
  let then: string;
  let now: Readonly<Record<string, Json>>;

  beforeAll(async () => {
    tenant = await newTenant(server);
    ({ admin } = tenant);
    old = (await admin.store({ content: 'The ferry to the island leaves at noon.', ...team })).memory;
    const later = { content: 'The ferry to the island leaves at one.', ...team };
    newer = (await admin.store(later)).memory;
    await admin.put(`/v1/memories/${newer.id}/links/supersedes/${old.id}`);
    await admin.post('/v1/search', { query: 'ferry to the island', threshold: 0, waitMs: 30_000 });
    // Accesses are recorded after the answer; the position taken below is to include them.
    await vi.waitFor(async () => expect((await read(admin, reads.stats(), {})).access.total).toBe(2), {
      timeout: 30_000,
      interval: 50,
    });
    then = await summarized(admin);
    now = {
      related: await read(admin, reads.related(newer.id), { minPosition: then }),
      stats: await read(admin, reads.stats(), { minPosition: then }),
      summaries: await read(admin, reads.summaries(), { minPosition: then }),
      policies: await read(admin, reads.policies(), { minPosition: then }),
    };
    await admin.delete(`/v1/memories/${newer.id}/links/supersedes/${old.id}`);
    await admin.delete(`/v1/memories/${old.id}`);
    await admin.store({ content: 'The ferry to the island is cancelled.', ...team });
    await admin.post(`/v1/memories/${newer.id}/feedback`, { kind: 'helpful' });
    await summarized(admin);
  });

  it('[F3] [E4] [A15] is answered by related memories, stats, summaries and policies', async () => {
    for (const [name, path] of Object.entries(reads)) {
      const before = await read(admin, path(newer.id), { asOf: then });
      const { position: _, ...own } = now[name];
      // What is said of now alone: ages, and whether bulk stores are held back.
      const withoutAge = (answer: Json): Json =>
        JSON.parse(
          JSON.stringify(answer, (key, value: unknown) =>
            key === 'ageSeconds' ? 0 : key === 'bulkStores' ? undefined : value,
          ),
        );
      expect(withoutAge(before), name).toMatchObject(withoutAge(name === 'related' ? relatedOf(own) : own));
    }
    expect((await read(admin, reads.related(newer.id), {})).items).toEqual([]);
    expect((await read(admin, reads.stats(), {})).total).toMatchObject({ active: 2, deleted: 1 });
    const { items } = await read(admin, reads.summaries(), { asOf: then });
    expect(items.every(({ freshness }: Json) => !freshness.stale)).toBe(true);
    expect(items[0].content).toContain('at one');
    expect(items[0].sources).not.toEqual((await read(admin, reads.summaries(), {})).items[0].sources);
  });

  it('[F3] [E8] is answered by a context with the summaries and the profile of then', async () => {
    const { text, items, position } = await contextOf(admin, { asOf: then });
    expect(position).toBe(then);
    expect(text).toContain('at one');
    expect(text).not.toContain('cancelled');
    expect(items.map(({ kind }: Json) => kind)).toContain('memory');
    const bob = await tenant.key({ user: 'bob' });
    const { position: told } = await bob.store({ content: 'I prefer tea to coffee.' });
    await bob.store({ content: 'I live in Oslo.' });
    const profiled = await contextOf(bob, { asOf: told, profile: true });
    expect(profiled.text).toContain('tea');
    expect(profiled.text).not.toContain('Oslo');
  });

  it('[F3] [F11] has nothing of a memory that was erased since', async () => {
    const { memory, position } = await admin.store({ content: 'The secret ferry leaves at dawn.', ...team });
    const count = async () => (await read(admin, reads.stats(), { asOf: position })).total.active as number;
    const before = await count();
    await admin.delete(`/v1/memories/${memory.id}?mode=erase`);
    await expect.poll(count, { timeout: 30_000 }).toBe(before - 1);
    expect((await contextOf(admin, { asOf: position, profile: false })).text).not.toContain('dawn');
    const { items } = (await admin.get(`/v1/memories/${memory.id}/surfaces`)).body;
    expect(items).toContainEqual({ name: 'read models of the past', count: 0 });
  });

  it('[F3] says how far it is where it takes longer than the caller waits', async () => {
    const { position } = await admin.store({ content: 'One more note.' });
    const path = `${reads.stats()}?asOf=${position}`;
    const refused = await admin.get(`${path}&waitMs=0`);
    expectProblem(refused, 504, 'position-timeout');
    expect(refused.body.progress).toBeLessThan(1);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await expect
      .poll(async () => (await admin.get(`${path}&waitMs=0`)).status, { timeout: 30_000 })
      .toBe(200);
  });

  it('[F3] is refused for the same positions and times as elsewhere', async () => {
    for (const path of Object.values(reads).map((of) => of(newer.id))) {
      const ask = (asOf: string, more = '') =>
        admin.get(`${path}${path.includes('?') ? '&' : '?'}asOf=${encodeURIComponent(asOf)}${more}`);
      expectInvalid(await ask('2999-01-01T00:00:00Z'), 'asOf');
      expectProblem(await ask('yesterday'), 400, 'position-unknown', 'asOf');
      expectProblem(await ask('000000000000-1'), 400, 'position-unknown', 'asOf');
      const ahead = then.replace(/-[^-]+$/, '-zzzzzz');
      expectProblem(await ask(ahead, '&waitMs=50'), 504, 'position-timeout');
    }
  });
});

/** Counters of memories are those of now in an answer about the past. */
function relatedOf({ items }: Json): Json {
  return {
    items: items.map(({ memory: { id, content }, ...link }: Json) => ({ ...link, memory: { id, content } })),
  };
}
