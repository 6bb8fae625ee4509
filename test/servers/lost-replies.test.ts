import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgres } from '../../src/adapters/postgres/postgres.ts';
import { SqlUnavailable } from '../../src/ports/sql.ts';
import { clientOf, clientWithKey, freshTenant, type Client, type Json, type Reply } from '../support/api.ts';
import { ApiProcesses } from '../support/api-processes.ts';
import { CuttingProxy, type CutAt } from '../support/cutting-proxy.ts';
import { Load } from '../support/load.ts';
import { caughtUp, LogReader, rebuild } from '../support/log-reader.ts';
import { faultsOfAnswers, faultsOfCommands, faultsOfLog, faultsOfSearches } from '../support/oracle.ts';
import { postgresPrograms, PrivatePostgres } from '../support/private-postgres.ts';
import { faultSeed, randomOf } from '../support/random.ts';
import type { TestServer } from '../support/server.ts';

const programs = postgresPrograms();
/** Occurs in the statements that write to the log, with and without a new key. */
const append = '.append';

describe.runIf(programs)('an api process whose database answers get lost', () => {
  let postgres: PrivatePostgres;
  let processes: ApiProcesses;
  let proxy: CuttingProxy;
  let server: TestServer;
  /** Uses the same database without the proxy. */
  let other: TestServer;

  beforeAll(async () => {
    postgres = await PrivatePostgres.start(programs!);
    processes = await ApiProcesses.start(postgres, 1);
    other = processes.servers[0]!;
    proxy = await CuttingProxy.start(postgres.port);
    const url = new URL(processes.databaseUrl);
    url.port = String(proxy.port);
    server = await processes.add(url.href);
  }, 300_000);

  afterAll(async () => {
    try {
      await processes.remove();
      await proxy.close();
    } finally {
      await postgres.remove();
    }
  });

  const newAdmin = (): Promise<Client> =>
    clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'ada' });

  async function countOf(client: Client, type: string): Promise<number> {
    const direct = clientOf(other, client.key);
    const { position } = await direct.store({ content: 'a mark at the end of the log' });
    const answer = await direct.get(
      `/v1/audit/events?limit=500&type=${type}&minPosition=${position}&waitMs=20000`,
    );
    expect(answer.status).toBe(200);
    return answer.body.items.filter(({ data }: Json) => data.contentLength !== 28).length;
  }

  const commands: [
    string,
    string,
    (client: Client, memory: Json, more: Json, headers: Record<string, string>) => Promise<Reply>,
  ][] = [
    [
      'a store',
      'MemoryStored',
      (client, _, __, headers) => client.post('/v1/memories', { content: 'stored once' }, headers),
    ],
    [
      'a store with an externalId',
      'MemoryStored',
      (client, _, __, headers) =>
        client.post('/v1/memories', { content: 'stored once', externalId: 'x' }, headers),
    ],
    [
      'an update',
      'MemoryUpdated',
      (client, { id, revision }, _, headers) =>
        client.patch(
          `/v1/memories/${id}`,
          { content: 'updated once' },
          { ...headers, 'if-match': `"${revision}"` },
        ),
    ],
    [
      'a deletion',
      'MemoryDeleted',
      (client, { id }, _, headers) => client.delete(`/v1/memories/${id}`, headers),
    ],
    [
      'a link',
      'MemoriesLinked',
      (client, { id }, more, headers) =>
        client.put(`/v1/memories/${id}/links/causes/${more.id}`, {}, headers),
    ],
    [
      'feedback',
      'FeedbackGiven',
      (client, { id }, _, headers) =>
        client.post(`/v1/memories/${id}/feedback`, { kind: 'outdated' }, headers),
    ],
    [
      'an erasure',
      'MemoryErased',
      (client, { id }, _, headers) => client.delete(`/v1/memories/${id}?mode=erase`, headers),
    ],
  ];

  describe.each<CutAt>(['request', 'answer'])('once, at the %s', (at) => {
    it.each(commands)('[A11] executes %s once and answers it', async (_, type, send) => {
      const client = await newAdmin();
      const [{ memory }, { memory: more }] = [
        await client.store({ content: 'one' }),
        await client.store({ content: 'two' }),
      ];
      const before = await countOf(client, type);
      const cuts = proxy.cuts;
      proxy.cutAfter(append, at);
      const reply = await send(client, memory, more, {});
      proxy.heal();
      expect(proxy.cuts).toBe(cuts + 1);
      expect(reply.status).toBeLessThan(300);
      expect((await countOf(client, type)) - before).toBe(1);
    });
  });

  describe.each<CutAt>(['request', 'answer'])('repeatedly, at the %s', (at) => {
    it.each(commands)(
      '[A11] answers %s at worst with 503, and its repetition writes nothing twice',
      async (_, type, send) => {
        const client = await newAdmin();
        const [{ memory }, { memory: more }] = [
          await client.store({ content: 'one' }),
          await client.store({ content: 'two' }),
        ];
        const before = await countOf(client, type);
        const key = { 'idempotency-key': randomUUID() };
        proxy.cutAfter(append, at, Infinity);
        const lost = await send(client, memory, more, key);
        proxy.heal();
        expect(lost).toMatchObject({ status: 503, body: { code: 'unavailable' } });
        expect(Number(lost.headers.get('retry-after'))).toBeGreaterThan(0);
        for (const again of [client, clientOf(other, client.key), client])
          expect((await send(again, memory, more, key)).status).toBeLessThan(300);
        const replay = await send(client, memory, more, key);
        expect(replay.headers.get('idempotency-replayed')).toBe('true');
        expect((await countOf(client, type)) - before).toBe(1);
      },
    );
  });

  it('[A11] under load, has every acknowledged command once and executes no command twice', async () => {
    const seed = faultSeed('lost-replies');
    const random = randomOf(seed);
    const load = await Load.begin(server, { seed });
    const ended = new AbortController();
    const running = load.run([server.url, other.url], 10, ended.signal);
    for (const until = Date.now() + 5_000; Date.now() < until;) {
      proxy.cutAfter(append, random.pick(['request', 'answer']), random.int(1, 6));
      await sleep(random.int(20, 200));
    }
    proxy.heal();
    ended.abort();
    await running;
    await load.repeat(other.url, load.unsettled());
    await caughtUp(other);
    const log = new LogReader(load.tenants);
    await log.read(other.url);
    expect(proxy.cuts).toBeGreaterThan(20);
    expect(load.surprises).toEqual([]);
    expect(load.unsettled()).toEqual([]);
    // Other tests wrote to this log too, so only the events of these tenants are checked.
    expect(faultsOfLog(log.events, 0)).toEqual([]);
    expect(faultsOfCommands(load.commands, log.events)).toEqual([]);
    // Searches are recorded outside the request, and retried after a pause if the database was down.
    const searchFaults = async () => {
      const now = new LogReader(load.tenants);
      await now.read(other.url);
      return faultsOfSearches(load.searches, now.events, true);
    };
    await expect.poll(searchFaults, { timeout: 20_000, interval: 1_000 }).toEqual([]);
    for (const tenant of load.tenants)
      expect(await faultsOfAnswers(other.url, tenant, log.events, 50)).toEqual([]);
    const compared = await rebuild(other.url, load.tenants[0]!.key);
    expect(compared.filter(({ equal }) => !equal)).toEqual([]);
  });

  it('[J7] reports a frozen database, and continues afterwards with nothing lost', async () => {
    const client = clientOf(other, (await newAdmin()).key);
    const { memory } = await client.store({ content: 'before the frost' });
    const key = { 'idempotency-key': randomUUID() };
    // A statement has a timeout of 10 s and three retries.
    const patience = 45_000;
    postgres.freeze();
    try {
      const ready = await fetch(`${other.url}/readyz`, { signal: AbortSignal.timeout(patience) });
      expect(ready.status).toBe(503);
      expect(await ready.json()).toMatchObject({ status: 'unavailable' });
      expect((await fetch(`${other.url}/livez`)).status).toBe(200);
      const write = await fetch(`${other.url}/v1/memories`, {
        method: 'POST',
        headers: { ...key, authorization: `Bearer ${client.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ content: 'into the frost' }),
        signal: AbortSignal.timeout(patience),
      });
      expect(write.status).toBe(503);
      expect(write.headers.get('retry-after')).toMatch(/^\d+$/);
    } finally {
      postgres.thaw();
    }
    await expect.poll(async () => (await fetch(`${other.url}/readyz`)).status, { timeout: 60_000 }).toBe(200);
    const again = await client.post('/v1/memories', { content: 'into the frost' }, key);
    expect(again.status).toBe(201);
    expect((await client.get(`/v1/memories/${memory.id}`)).status).toBe(200);
    expect(await countOf(client, 'MemoryStored')).toBe(2);
  });

  it('[J7] does not block a reader whose connection is frozen', async () => {
    const sql = await openPostgres({ url: processes.databaseUrl, answerTimeoutMs: 500 });
    try {
      const connected = () => sql.query('select pg_sleep(0.1)');
      await Promise.all([connected(), connected()]);
      const frozenUnder = sql.transaction(
        async (tx) => {
          await tx.query('select 1');
          postgres.freeze();
          await tx.query('select 1');
        },
        { readOnly: true },
      );
      await expect(frozenUnder).rejects.toBeInstanceOf(SqlUnavailable);
      await expect(sql.queryAs('acme', 'select 1')).rejects.toBeInstanceOf(SqlUnavailable);
    } finally {
      postgres.thaw();
    }
    await expect
      .poll(() => sql.query('select 1 as one').catch(() => 'away'), { timeout: 20_000 })
      .toEqual([{ one: 1 }]);
    await sql.close();
  });
});
