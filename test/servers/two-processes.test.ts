import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientOf, clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { ApiProcesses } from '../support/api-processes.ts';
import { rebuild } from '../support/log-reader.ts';
import { postgresPrograms, PrivatePostgres } from '../support/private-postgres.ts';
import { readModelNames } from '../support/read-model-names.ts';
import type { TestServer } from '../support/server.ts';

const programs = postgresPrograms();

describe.runIf(programs)('two api processes with one database, started at the same time', () => {
  let postgres: PrivatePostgres;
  let processes: ApiProcesses;
  let here: TestServer;
  let there: TestServer;

  beforeAll(async () => {
    postgres = await PrivatePostgres.start(programs!);
    processes = await ApiProcesses.start(postgres, 2);
    [here, there] = processes.servers as [TestServer, TestServer];
  }, 300_000);

  afterAll(async () => {
    try {
      await processes.remove();
    } finally {
      await postgres.remove();
    }
  });

  /** Clients of both processes with the same admin's key. */
  async function newAdmin(): Promise<[Client, Client]> {
    const client = await clientWithKey(here, { tenant: freshTenant(), role: 'admin', user: 'ada' });
    return [client, clientOf(there, client.key)];
  }

  async function eventsOf(client: Client, ...types: string[]): Promise<Json[]> {
    const { position } = await client.store({ content: 'a mark at the end of the log' });
    const query = types.map((type) => `type=${type}`).join('&');
    const answer = await client.get(
      `/v1/audit/events?limit=500&minPosition=${position}&waitMs=20000&${query}`,
    );
    expect(answer.status).toBe(200);
    return answer.body.items;
  }

  it('[A1] give one of 16 racing creates the externalId, and answer the others with the memory that has it', async () => {
    const both = await newAdmin();
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        both[index % 2]!.post('/v1/memories', { content: `contender ${index}`, externalId: 'the-one' }),
      ),
    );
    const won = replies.filter(({ status }) => status === 201);
    const lost = replies.filter(({ status }) => status === 409);
    expect([won.length, lost.length]).toEqual([1, 15]);
    const { id } = won[0]!.body.memory;
    for (const { body } of lost) expect(body).toMatchObject({ code: 'external-id-taken', memoryId: id });
    const stored = await eventsOf(both[0], 'MemoryStored');
    expect(stored.filter(({ data }) => data.externalId === 'the-one')).toHaveLength(1);
  });

  it('[A11] execute a command once whose key both receive at the same time', async () => {
    const both = await newAdmin();
    for (let round = 0; round < 10; round++) {
      const key = { 'idempotency-key': randomUUID() };
      const content = `sent to both, round ${round}`;
      const replies = await Promise.all(
        [...both, ...both].map((client) => client.post('/v1/memories', { content }, key)),
      );
      // A repetition during the first attempt may be answered with a request to retry.
      const done = replies.filter(({ status }) => status === 201);
      expect(replies.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
      expect(done.length).toBeGreaterThan(0);
      expect(new Set(done.map(({ body }) => body.memory.id)).size).toBe(1);
      const again = await both[round % 2]!.post('/v1/memories', { content }, key);
      expect(again.body.memory.id).toBe(done[0]!.body.memory.id);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
    }
    expect(await eventsOf(both[0], 'MemoryStored')).toHaveLength(10 + 1);
  });

  it('[A2] let one of two racing updates at the same revision win', async () => {
    const both = await newAdmin();
    const { memory } = await both[0].store({ content: 'as it was' });
    const match = { 'if-match': `"${memory.revision}"` };
    const replies = await Promise.all(
      [0, 1, 0, 1, 0, 1].map((at, index) =>
        both[at]!.patch(`/v1/memories/${memory.id}`, { content: `writer ${index}` }, match),
      ),
    );
    expect(
      replies
        .map(({ status }) => String(status))
        .sort()
        .join(' '),
    ).toBe('200 412 412 412 412 412');
    const { body } = await both[1].get(`/v1/memories/${memory.id}`);
    expect(body.content).toBe(replies.find(({ status }) => status === 200)!.body.memory.content);
  });

  describe('answer a repetition through the other process, after other writes, like the first time', () => {
    async function expectReplay(
      prepare: (first: Client, memory: Json, other: Json) => [string, string, unknown?],
      between: (second: Client, memory: Json) => Promise<unknown>,
    ): Promise<void> {
      const [first, second] = await newAdmin();
      const { memory } = await first.store({ content: 'what it is about' });
      const { memory: other } = await first.store({ content: 'what it is linked to' });
      const [method, path, body] = prepare(first, memory, other);
      const options = {
        ...(body !== undefined && { body }),
        headers: { 'idempotency-key': randomUUID(), 'if-match': '*' },
      };
      const answer = await first.send(method, path, options);
      expect(answer.status).toBeLessThan(300);
      expect(answer.headers.get('idempotency-replayed')).toBeNull();
      await between(second, memory);
      for (const client of [second, first]) {
        const again = await client.send(method, path, options);
        expect([again.status, again.body.position]).toEqual([answer.status, answer.body.position]);
        expect(again.body.memory?.revision).toBe(answer.body.memory?.revision);
        expect(again.body.memory?.content).toBe(answer.body.memory?.content);
        expect(again.headers.get('idempotency-replayed')).toBe('true');
      }
    }

    const change = (client: Client, { id }: Json): Promise<unknown> =>
      client.patch(`/v1/memories/${id}`, { content: 'others wrote this' }, { 'if-match': '*' });
    const changeAndDelete = async (client: Client, memory: Json): Promise<void> => {
      await change(client, memory);
      expect((await client.delete(`/v1/memories/${memory.id}`)).status).toBe(200);
    };

    it('[A11] of an update', () =>
      expectReplay(
        (_, { id }) => ['PATCH', `/v1/memories/${id}`, { content: 'the first update' }],
        changeAndDelete,
      ));

    it('[A11] of an update that changed nothing', () =>
      expectReplay((_, { id, content }) => ['PATCH', `/v1/memories/${id}`, { content }], changeAndDelete));

    it('[A11] of a deletion', () =>
      expectReplay(
        (_, { id }) => ['DELETE', `/v1/memories/${id}`],
        async (client, memory) => {
          expect((await client.post(`/v1/memories/${memory.id}/restore`)).status).toBe(200);
          await change(client, memory);
        },
      ));

    it('[A11] of a link', () =>
      expectReplay(
        (_, { id }, other) => ['PUT', `/v1/memories/${id}/links/supports/${other.id}`, { confidence: 0.5 }],
        changeAndDelete,
      ));

    it('[A11] of feedback', () =>
      expectReplay(
        (_, { id }) => ['POST', `/v1/memories/${id}/feedback`, { kind: 'outdated' }],
        changeAndDelete,
      ));
  });

  it('[I1] reject a key that was revoked through the other', async () => {
    const [client] = await newAdmin();
    const reply = await client.post('/v1/admin/keys', { role: 'member', user: 'bob' });
    const { id, key } = reply.body;
    const bob = [here, there].map((server) => clientOf(server, key));
    for (const member of bob) expect((await member.get('/v1/memories')).status).toBe(200);
    expect((await client.delete(`/v1/admin/keys/${id}`)).status).toBe(200);
    expect((await bob[0]!.get('/v1/memories')).status).toBe(401);
    await expect.poll(async () => (await bob[1]!.get('/v1/memories')).status, { timeout: 3_000 }).toBe(401);
  });

  it('[A10] read their own writes at the other', async () => {
    const both = await newAdmin();
    for (let round = 0; round < 10; round++) {
      const query = `the unlikely word zyx${round}wvu`;
      const { memory, position } = await both[round % 2]!.store({ content: query });
      const found = await both[(round + 1) % 2]!.post('/v1/search', {
        query,
        minPosition: position,
        waitMs: 20_000,
      });
      expect(found.body.results[0].memory.id).toBe(memory.id);
    }
  });

  it('[F4] run each projection under one lease, which the other takes over when its holder is killed', async () => {
    const [, client] = await newAdmin();
    const holders = async (): Promise<Map<string, number>> => {
      const rows = await postgres.session(
        'stratalog',
        async (session) =>
          (
            await session.query(
              "select holder from control.lease_terms where name ~ '/[0-9]+$' and expires_at > now()",
            )
          ).rows,
        new URL(processes.databaseUrl).pathname.slice(1),
      );
      const counts = new Map<string, number>();
      for (const { holder } of rows) counts.set(holder, (counts.get(holder) ?? 0) + 1);
      return counts;
    };
    const pidOf = (server: TestServer): string => String(server.process.pid);
    const before = await holders();
    const all = [...before.values()].reduce((sum, count) => sum + count, 0);
    expect(all).toBe(readModelNames.length);
    const [most] = [...before].sort(([, left], [, right]) => right - left)[0]!;
    const victim = most.endsWith(`-${pidOf(here)}`) ? here : there;
    const survivor = victim === here ? there : here;
    await processes.kill(victim);
    const stillThere = clientOf(survivor, client.key);
    const { memory, position } = await stillThere.store({ content: 'after the holder was killed' });
    const list = await stillThere.get(`/v1/memories?minPosition=${position}&waitMs=30000`);
    expect(list.body.items[0].id).toBe(memory.id);
    await expect
      .poll(holders, { timeout: 30_000 })
      .toEqual(new Map([[expect.stringContaining(pidOf(survivor)), readModelNames.length]]));
    const compared = await rebuild(survivor.url, stillThere.key!);
    expect(compared.filter(({ equal }) => !equal)).toEqual([]);
  });
});
