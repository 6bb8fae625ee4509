import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openKafkaTransport } from '../../src/adapters/kafka/transport.ts';
import { migrate } from '../../src/adapters/migrate.ts';
import { openPostgres } from '../../src/adapters/postgres/postgres.ts';
import { openSqlLeases } from '../../src/adapters/sql/leases.ts';
import { openSqlEventLog } from '../../src/adapters/sqllog/sql-event-log.ts';
import type { EventLog } from '../../src/ports/event-log.ts';
import type { Sql } from '../../src/ports/sql.ts';
import type { Transport } from '../../src/ports/transport.ts';
import { Relay } from '../../src/relay/relay.ts';
import { relaySchema } from '../../src/relay/schema.ts';
import { freshDatabase, type FreshDatabase } from '../support/database.ts';
import { hasKafka, PrivateKafka } from '../support/private-kafka.ts';
import { postgresPrograms, PrivatePostgres } from '../support/private-postgres.ts';
import { appendAll, appendOnAndOn } from '../support/relay-load.ts';
import { TopicReader } from '../support/topic-reader.ts';
import { freshName } from '../support/transport-records.ts';
import { untilServed } from '../support/until-served.ts';

const isHere = hasKafka() && process.env['STRATALOG_POSTGRES_URL'] !== undefined;

describe.runIf(isHere)('[G2] the relay, when its broker fails under load', () => {
  let broker: PrivateKafka;
  let database: FreshDatabase;
  let sql: Sql;
  let log: EventLog;
  const open: Transport[] = [];

  beforeAll(async () => {
    broker = await PrivateKafka.start();
    database = await freshDatabase();
    sql = await openPostgres({ url: database.url });
    log = await openSqlEventLog(sql);
    await migrate(sql, 'relay', relaySchema);
  }, 300_000);

  afterAll(async () => {
    try {
      await Promise.all(open.map((transport) => transport.close()));
      await log?.close();
      await sql?.close();
      await database?.drop();
    } finally {
      await broker?.remove();
    }
  }, 300_000);

  async function connect(publishTimeoutMs?: number): Promise<Transport> {
    const options = {
      brokers: [broker.address],
      ...(publishTimeoutMs !== undefined && { publishTimeoutMs }),
    };
    const transport = await untilServed(() => openKafkaTransport(options));
    open.push(transport);
    return transport;
  }

  it.each([
    ['killed and restarted, within one attempt', 60_000, 0],
    ['killed and down for longer than an attempt', 1_000, 6_000],
  ])(
    'loses nothing while it is %s',
    async (_, publishTimeoutMs, awayMs) => {
      const transport = await connect(publishTimeoutMs);
      const prefix = freshName('relay');
      const errors: unknown[] = [];
      const leases = await openSqlLeases(sql, prefix);
      const onError = (error: unknown): void => void errors.push(error);
      const relay = new Relay({ log, transport, sql, leases, prefix, onError });
      const reader = await TopicReader.open(await connect(), prefix);
      relay.start();
      const load = appendOnAndOn(log);
      try {
        await expect.poll(() => reader.events.length, { timeout: 30_000 }).toBeGreaterThan(500);
        await broker.kill();
        await sleep(awayMs);
        await broker.launch();
        await reader.reaches(await log.head());
        await load.end();
        await reader.reaches(await log.head());
        expect(await reader.faults(log)).toEqual([]);
        if (awayMs > 0) expect(errors).not.toEqual([]);
        else expect(errors).toEqual([]);
        expect(await relay.status()).toMatchObject({ state: 'active' });
      } finally {
        await load.end();
        await relay.stop();
        await reader.leave();
      }
    },
    240_000,
  );
});

const programs = postgresPrograms();
const brokers = process.env['STRATALOG_KAFKA_BROKERS']?.split(',');

describe.runIf(programs !== undefined && brokers !== undefined)(
  '[G2] the relay, when its database fails under load',
  () => {
    it('loses nothing while it is frozen for longer than the lease', async () => {
      const postgres = await PrivatePostgres.start(programs!);
      const transport = await openKafkaTransport({ brokers: brokers! });
      const sql = await openPostgres({ url: postgres.url(), answerTimeoutMs: 2_000 });
      const log = await openSqlEventLog(sql);
      await migrate(sql, 'relay', relaySchema);
      const prefix = freshName('relay');
      const errors: unknown[] = [];
      const onError = (error: unknown): void => void errors.push(error);
      const leases = await openSqlLeases(sql, prefix);
      const relay = new Relay({ log, transport, sql, leases, prefix, onError });
      const reader = await TopicReader.open(transport, prefix);
      try {
        relay.start();
        const load = appendOnAndOn(log);
        await expect.poll(() => reader.events.length, { timeout: 30_000 }).toBeGreaterThan(500);
        await load.end();
        await appendAll(log, 400);
        postgres.freeze();
        await sleep(8_000);
        postgres.thaw();
        await expect
          .poll(
            () =>
              appendAll(log, 48).then(
                () => true,
                () => false,
              ),
            { timeout: 60_000 },
          )
          .toBe(true);
        await reader.reaches(await log.head());
        expect(await reader.faults(log)).toEqual([]);
        expect(errors).not.toEqual([]);
        await expect
          .poll(() => relay.status(), { timeout: 20_000 })
          .toMatchObject({ state: 'active', positionsBehind: 0 });
      } finally {
        postgres.thaw();
        await relay.stop();
        await reader.leave();
        await log.close();
        await sql.close();
        await transport.close();
        await postgres.remove();
      }
    }, 240_000);
  },
);
