import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openKafkaTransport } from '../../src/adapters/kafka/transport.ts';
import { openKurrentEventLog } from '../../src/adapters/kurrentdb/kurrent-event-log.ts';
import { migrate } from '../../src/adapters/migrate.ts';
import { openPostgres } from '../../src/adapters/postgres/postgres.ts';
import { openSqlLeases } from '../../src/adapters/sql/leases.ts';
import { openSqlEventLog } from '../../src/adapters/sqllog/sql-event-log.ts';
import type { EventLog } from '../../src/ports/event-log.ts';
import type { Transport } from '../../src/ports/transport.ts';
import { Relay } from '../../src/relay/relay.ts';
import { relaySchema } from '../../src/relay/schema.ts';
import { freshDatabase, type FreshDatabase } from '../support/database.ts';
import { DoubleServers } from '../support/double-servers.ts';
import { FaultySql, type Fault } from '../support/faulty-sql.ts';
import { freshStream, storedEvent } from '../support/log-events.ts';
import { appendAll, appendOnAndOn } from '../support/relay-load.ts';
import { readEverything, TopicReader } from '../support/topic-reader.ts';
import { freshName } from '../support/transport-records.ts';

const brokers = process.env['STRATALOG_KAFKA_BROKERS']?.split(',');
const isHere = brokers !== undefined && process.env['STRATALOG_POSTGRES_URL'] !== undefined;

describe.runIf(isHere)('[G2] the relay', () => {
  let transport: Transport;
  let database: FreshDatabase;
  let sql: FaultySql;
  let log: EventLog;
  let prefix: string;
  let errors: unknown[];
  const relays: Relay[] = [];
  const readers: TopicReader[] = [];

  beforeAll(async () => {
    transport = await openKafkaTransport({ brokers: brokers! });
  });

  afterAll(() => transport?.close());

  beforeEach(async () => {
    database = await freshDatabase();
    sql = new FaultySql(await openPostgres({ url: database.url }));
    log = await openSqlEventLog(sql);
    await migrate(sql, 'relay', relaySchema);
    prefix = freshName('relay');
    errors = [];
  });

  afterEach(async () => {
    sql.fault = () => undefined;
    await Promise.all(relays.splice(0).map((relay) => relay.stop()));
    await Promise.all(readers.splice(0).map((reader) => reader.leave()));
    await log.close();
    await sql.close();
    await database.drop();
  });

  async function start(of: EventLog = log, holder = 'one'): Promise<Relay> {
    const leases = await openSqlLeases(sql, holder);
    const onError = (error: unknown): void => void errors.push(error);
    const relay = new Relay({ log: of, transport, sql, leases, prefix, onError });
    relays.push(relay);
    relay.start();
    return relay;
  }

  async function follow(): Promise<TopicReader> {
    const reader = await TopicReader.open(transport, prefix);
    readers.push(reader);
    return reader;
  }

  const checkpointIs = (relay: Relay, position: number) =>
    expect.poll(async () => (await relay.status()).checkpoint, { timeout: 20_000 }).toBe(position);

  it('publishes every event as in the log, in order, with watermarks in all partitions', async () => {
    await appendAll(log, 200);
    const begun = performance.now();
    const relay = await start();
    const reader = await follow();
    await appendAll(log, 100);
    const head = await log.head();
    await reader.reaches(head);
    expect(await reader.faults(log)).toEqual([]);
    expect(reader.events).toHaveLength(1_500);
    const tenths = Math.ceil((performance.now() - begun) / 100);
    for (const records of reader.partitions.values())
      expect(records.filter(({ kind }) => kind === 'watermark').length).toBeLessThanOrEqual(tenths + 1);
    await checkpointIs(relay, head);
    expect(await relay.status()).toMatchObject({
      state: 'active',
      positionsBehind: 0,
      secondsBehind: 0,
      publishedEvents: 1_500,
      withheldEvents: 0,
    });
    expect(errors).toEqual([]);
  });

  it('continues where it stopped, and immediately writes how far the topics are complete', async () => {
    await appendAll(log, 50);
    const first = await start();
    const reader = await follow();
    await reader.reaches(await log.head());
    await first.stop();
    const before = reader.events.length;
    const marks = (): number[] =>
      [...reader.partitions.values()].map(
        (records) => records.filter(({ kind }) => kind === 'watermark').length,
      );
    const marksBefore = marks();

    await start();
    const grown = (): boolean => marks().every((count, place) => count > marksBefore[place]!);
    await expect.poll(grown, { timeout: 20_000 }).toBe(true);
    expect(reader.events).toHaveLength(before);

    await appendAll(log, 50);
    await reader.reaches(await log.head());
    expect(reader.events).toHaveLength(500);
    expect(await reader.faults(log)).toEqual([]);
  });

  it('runs in one of several processes, and in another one when that one leaves', async () => {
    const first = await start(log, 'one');
    await expect.poll(async () => (await first.status()).state, { timeout: 20_000 }).toBe('active');
    const second = await start(log, 'two');
    const reader = await follow();
    await appendAll(log, 50);
    await reader.reaches(await log.head());
    expect(await second.status()).toMatchObject({ state: 'standby', publishedEvents: 0 });
    await first.stop();
    await appendAll(log, 50);
    await reader.reaches(await log.head());
    expect(await second.status()).toMatchObject({ state: 'active', publishedEvents: 250 });
    expect(await reader.faults(log)).toEqual([]);
    expect(reader.events).toHaveLength(500);
  });

  it('sends only the position of an event that is too large for the brokers, and continues', async () => {
    const stream = freshStream('memory');
    const data = JSON.stringify({ routing: {}, sealed: 'x'.repeat(5 * 1024 * 1024) });
    await log.append(stream, 'noStream', [storedEvent(), storedEvent({ data }), storedEvent()]);
    const relay = await start();
    const reader = await follow();
    await reader.reaches(3);
    await checkpointIs(relay, 3);
    expect(await reader.faults(log)).toEqual([]);
    const withheld = [...reader.partitions.values()].flat().filter((read) => read.kind === 'withheld');
    expect(withheld).toHaveLength(1);
    const { place } = withheld[0]!;
    const [event] = await log.readStream(place.stream, { from: place.revision, limit: 1 });
    expect(event).toEqual({ ...place, data, metadata: '{}' });
    expect(await relay.status()).toMatchObject({ withheldEvents: 1, publishedEvents: 3 });
  });

  it.each<Exclude<Fault, undefined>>(['before', 'after'])(
    'loses nothing while its database fails, %s each statement',
    async (fault) => {
      const relay = await start();
      const reader = await follow();
      await appendAll(log, 20);
      let count = 0;
      sql.fault = (statement) =>
        /control\.|log\.events/.test(statement) && !/log\.append/.test(statement) && ++count % 2 === 0
          ? fault
          : undefined;
      await appendAll(log, 200);
      await expect.poll(() => errors.length, { timeout: 30_000 }).toBeGreaterThan(0);
      sql.fault = () => undefined;
      await appendAll(log, 20);
      await reader.reaches(await log.head());
      await checkpointIs(relay, await log.head());
      expect(await reader.faults(log)).toEqual([]);
      expect((await relay.status()).state).toBe('active');
    },
  );

  it('ends when its lease has expired, and what it published does not move the checkpoint then', async () => {
    const relay = await start();
    await appendAll(log, 10);
    await checkpointIs(relay, await log.head());
    const before = await log.head();
    // Another process has taken over but has published nothing yet.
    await sql.query(
      `update control.lease_terms set holder = 'other', instance = gen_random_uuid(), epoch = epoch + 1, expires_at = now() + interval '1 hour'`,
    );
    await sql.query('update control.relay_checkpoints set epoch = epoch + 1');
    await appendAll(log, 10);
    await expect.poll(async () => (await relay.status()).state, { timeout: 20_000 }).toBe('standby');
    expect((await relay.status()).checkpoint).toBe(before);
    expect(errors.map(String)).toEqual([expect.stringMatching(/^LeaseLost/)]);
    await sql.query(`update control.lease_terms set expires_at = now()`);
    const reader = await follow();
    await reader.reaches(await log.head());
    expect(await reader.faults(log)).toEqual([]);
  });

  it('reports why it cannot publish, and its lag', async () => {
    await transport.ensureTopics([{ name: `${prefix}.internal`, partitions: 3 }]);
    const relay = await start();
    await appendAll(log, 10);
    await expect
      .poll(() => relay.status(), { timeout: 20_000 })
      .toMatchObject({ state: 'failing', error: expect.stringContaining('3 partitions') });
    const { checkpoint, positionsBehind, secondsBehind } = await relay.status();
    expect({ checkpoint, positionsBehind }).toEqual({ checkpoint: 0, positionsBehind: 50 });
    expect(secondsBehind).toBeGreaterThan(0);
  });

  it('publishes the log of KurrentDB, whose positions are not dense', async () => {
    const servers = new DoubleServers();
    const { connectionString } = await servers.start();
    const kurrent = await openKurrentEventLog({ connectionString });
    try {
      await appendAll(kurrent, 100);
      const relay = await start(kurrent);
      const reader = await follow();
      const load = appendOnAndOn(kurrent);
      await expect.poll(() => reader.events.length, { timeout: 30_000 }).toBeGreaterThan(700);
      await load.end();
      const head = await kurrent.head();
      await reader.reaches(head);
      expect(await reader.faults(kurrent)).toEqual([]);
      expect(reader.events).toHaveLength((await readEverything(kurrent)).length);
      await expect
        .poll(() => relay.status(), { timeout: 20_000 })
        .toMatchObject({ positionsBehind: 0, secondsBehind: 0 });
      await relay.stop();

      await start(kurrent);
      await appendAll(kurrent, 10);
      await reader.reaches(await kurrent.head());
      expect(await reader.faults(kurrent)).toEqual([]);
    } finally {
      await Promise.all(relays.splice(0).map((relay) => relay.stop()));
      await kurrent.close();
      await servers.dispose();
    }
  });
});
