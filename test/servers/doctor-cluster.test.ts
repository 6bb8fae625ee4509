import net, { type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { Kafka, logLevel } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../support/api.ts';
import { stratalog } from '../support/cli.ts';
import { freshDatabase, type FreshDatabase } from '../support/database.ts';
import { DoubleServers } from '../support/double-servers.ts';
import { freePort } from '../support/free-port.ts';
import { freshName } from '../support/transport-records.ts';

const brokers = process.env['STRATALOG_KAFKA_BROKERS'] ?? '127.0.0.1:9092';
const openSearch = process.env['STRATALOG_OPENSEARCH_URL'] ?? 'http://127.0.0.1:9200';
const serverNames = ['eventstore', 'kafka', 'postgres', 'opensearch'];

describe('[J7] doctor --profile cluster', () => {
  const doubles = new DoubleServers();
  let folder: string;
  let database: FreshDatabase;
  let good: Record<string, string>;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'stratalog-doctor-'));
    database = await freshDatabase();
    const { connectionString } = await doubles.start();
    good = {
      STRATALOG_DATA: folder,
      STRATALOG_PORT: '0',
      STRATALOG_EMBEDDER: 'deterministic',
      STRATALOG_EVENTSTORE_URL: connectionString,
      STRATALOG_KAFKA_BROKERS: brokers,
      STRATALOG_KAFKA_TOPIC_PREFIX: freshName('doctor'),
      STRATALOG_POSTGRES_URL: database.url,
      STRATALOG_OPENSEARCH_URL: openSearch,
    };
  });

  afterAll(async () => {
    await doubles.dispose();
    await database.drop();
    await rm(folder, { recursive: true });
  });

  const doctor = (...args: string[]) => stratalog(['doctor', '--profile', 'cluster', ...args], good);

  async function findings(environment: Record<string, string>): Promise<{ code: number | null; by: Json }> {
    const { code, json } = await stratalog(['doctor', '--profile', 'cluster', '--json'], {
      ...good,
      ...environment,
    });
    return { code, by: Object.fromEntries(json.map((finding: Json) => [finding.check, finding])) };
  }

  it('reports of every server its address and version, and that nothing is missing', async () => {
    const text = await doctor();
    expect(text.stdout).not.toContain('FAIL');
    expect(text.code).toBe(0);
    expect(text.stdout).toMatch(/ok\s+eventstore .*24\.2\.0 at esdb:\/\/127\.0\.0\.1:\d+$/m);
    expect(text.stdout).toMatch(/ok\s+kafka .*1 broker.*missing topics/);
    expect(text.stdout).toMatch(/ok\s+postgres\s+PostgreSQL 18\.\d+ at postgres:\/\/127/);
    expect(text.stdout).toMatch(/ok\s+opensearch\s+OpenSearch 2\.\d+/);
    expect(text.stdout).not.toContain('stratalog:stratalog');
    const { code, by } = await findings({});
    expect(code).toBe(0);
    for (const name of serverNames)
      expect(by[name], name).toMatchObject({ ok: true, server: { reachable: true, missing: [] } });
    expect(by.kafka.server.notes.join()).toContain(`${good['STRATALOG_KAFKA_TOPIC_PREFIX']}.retrieval`);
  });

  it.each([
    ['eventstore', 'STRATALOG_EVENTSTORE_URL', (port: number) => `esdb://127.0.0.1:${port}?tls=false`],
    ['kafka', 'STRATALOG_KAFKA_BROKERS', (port: number) => `127.0.0.1:${port}`],
    ['postgres', 'STRATALOG_POSTGRES_URL', (port: number) => `postgres://u:hidden@127.0.0.1:${port}/x`],
    ['opensearch', 'STRATALOG_OPENSEARCH_URL', (port: number) => `http://u:hidden@127.0.0.1:${port}`],
  ])('names %s if it is down, and still checks the others', async (name, variable, url) => {
    const { code, by } = await findings({ [variable]: url(await freePort()) });
    expect(code).toBe(1);
    expect(by[name]).toMatchObject({ ok: false, server: { reachable: false } });
    expect(by[name].detail).toContain('ECONNREFUSED');
    expect(JSON.stringify(by)).not.toContain('hidden');
    for (const other of serverNames.filter((other) => other !== name)) expect(by[other].ok, other).toBe(true);
  });

  it.each([
    ['one server', 'esdb'],
    ['a cluster, which is discovered', 'esdb+discover'],
  ])(
    'ends if every server accepts the connection but never answers, with the event store as %s',
    async (_, protocol) => {
      const sockets = new Set<net.Socket>();
      const silent = net.createServer((socket) => sockets.add(socket.on('error', () => {})));
      silent.listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const { port } = silent.address() as AddressInfo;
      try {
        const { code, by } = await findings({
          STRATALOG_EVENTSTORE_URL: `${protocol}://127.0.0.1:${port}?tls=false`,
          STRATALOG_KAFKA_BROKERS: `127.0.0.1:${port}`,
          STRATALOG_POSTGRES_URL: `postgres://u:p@127.0.0.1:${port}/x`,
          STRATALOG_OPENSEARCH_URL: `http://127.0.0.1:${port}`,
        });
        expect(code).toBe(1);
        for (const name of serverNames)
          expect(by[name], name).toMatchObject({ ok: false, server: { reachable: false } });
      } finally {
        for (const socket of sockets) socket.destroy();
        silent.close();
      }
    },
    // The event store's client spends twice as long on discovering a cluster.
    30_000,
  );

  it('distinguishes a password that PostgreSQL rejects from a server that is down', async () => {
    const url = Object.assign(new URL(database.url), { password: 'no-such-word' }).href;
    const { by } = await findings({ STRATALOG_POSTGRES_URL: url });
    expect(by.postgres).toMatchObject({ ok: false, server: { reachable: true } });
    expect(by.postgres.detail).toMatch(/password authentication failed/);
    expect(JSON.stringify(by)).not.toContain('no-such-word');
  });

  it('reports topics with the wrong number of partitions, and too few brokers for the replicas', async () => {
    const prefix = freshName('doctor');
    const admin = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    try {
      const topic = `${prefix}.events`;
      await admin.createTopics({ topics: [{ topic, numPartitions: 3 }], waitForLeaders: true });
      const { code, by } = await findings({
        STRATALOG_KAFKA_TOPIC_PREFIX: prefix,
        STRATALOG_KAFKA_REPLICAS: '9',
      });
      expect(code).toBe(1);
      const { missing, notes } = by.kafka.server;
      expect(missing.join('\n')).toMatch(/brokers for 9 replicas: the cluster has 1/);
      expect(missing.join('\n')).toMatch(new RegExp(`${topic} with 12 partitions: it has 3`));
      expect(missing.join('\n')).toMatch(new RegExp(`max\\.message\\.bytes.*${topic}`));
      expect(notes.join('\n')).toContain(`${prefix}.internal`);
      await admin.deleteTopics({ topics: [topic] });
    } finally {
      await admin.disconnect();
    }
  });

  it('detects that another program writes to the event store', async () => {
    const { connectionString } = await doubles.start();
    const client = EventStoreDBClient.connectionString(connectionString);
    await client.appendToStream('cart-42', jsonEvent({ type: 'ItemAdded', data: {} }));
    await client.dispose();
    const { by } = await findings({ STRATALOG_EVENTSTORE_URL: connectionString });
    expect(by.eventstore).toMatchObject({ ok: false, server: { reachable: true } });
    expect(by.eventstore.detail).toMatch(/another program.*cart-42/);
  });
});
