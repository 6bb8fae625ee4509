import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openKafkaTransport } from '../../src/adapters/kafka/transport.ts';
import { openPostgres } from '../../src/adapters/postgres/postgres.ts';
import { openSqlEventLog } from '../../src/adapters/sqllog/sql-event-log.ts';
import type { EventLog } from '../../src/ports/event-log.ts';
import type { Sql } from '../../src/ports/sql.ts';
import type { Transport } from '../../src/ports/transport.ts';
import { ChildProgram, type Child } from '../support/child-program.ts';
import { freshDatabase, type FreshDatabase } from '../support/database.ts';
import { appendOnAndOn } from '../support/relay-load.ts';
import { TopicReader } from '../support/topic-reader.ts';
import { freshName } from '../support/transport-records.ts';

const brokers = process.env['STRATALOG_KAFKA_BROKERS'];
const isHere = brokers !== undefined && process.env['STRATALOG_POSTGRES_URL'] !== undefined;

interface RelayProcess {
  readonly child: Child;
  /** All states so far, in order. Grows while the process runs. */
  readonly states: string[];
}

describe.runIf(isHere)('[G2] of two relays in separate processes', () => {
  let program: ChildProgram;
  let transport: Transport;
  let database: FreshDatabase;
  let sql: Sql;
  let log: EventLog;
  let reader: TopicReader;
  let prefix: string;
  const relays: RelayProcess[] = [];

  beforeAll(async () => {
    program = await ChildProgram.bundle('relay-process.ts');
    transport = await openKafkaTransport({ brokers: brokers!.split(',') });
  });

  afterAll(async () => {
    await transport?.close();
    await program?.dispose();
  });

  beforeEach(async () => {
    database = await freshDatabase();
    sql = await openPostgres({ url: database.url });
    log = await openSqlEventLog(sql);
    prefix = freshName('relay');
    reader = await TopicReader.open(transport, prefix);
  });

  afterEach(async () => {
    for (const { child } of relays.splice(0)) await child.end('SIGKILL');
    await reader.leave();
    await log.close();
    await sql.close();
    await database.drop();
  });

  function start(): RelayProcess {
    const child = program.start(database.url, brokers!, prefix);
    const states: string[] = [];
    void (async () => {
      for (;;) states.push(await child.line());
    })().catch(() => {});
    const relay = { child, states };
    relays.push(relay);
    return relay;
  }

  const becomes = ({ states }: RelayProcess, state: string) =>
    expect.poll(() => states.at(-1), { timeout: 30_000 }).toBe(state);

  async function pair() {
    const active = start();
    await becomes(active, 'active');
    const standby = start();
    await becomes(standby, 'standby');
    const load = appendOnAndOn(log);
    await expect.poll(() => reader.events.length, { timeout: 30_000 }).toBeGreaterThan(500);
    return { active, standby, load };
  }

  async function goesOn(): Promise<void> {
    const head = await log.head();
    await reader.reaches(head);
  }

  it('the other takes over when one is killed, without a gap', async () => {
    const { active, standby, load } = await pair();
    await active.child.end('SIGKILL');
    await becomes(standby, 'active');
    await goesOn();
    const third = start();
    await becomes(third, 'standby');
    await standby.child.end('SIGKILL');
    await becomes(third, 'active');
    await load.end();
    await goesOn();
    expect(await reader.faults(log)).toEqual([]);
  });

  it('one that was frozen becomes the standby when it resumes, and moves nothing', async () => {
    const { active, standby, load } = await pair();
    for (let [asleep, awake] = [active, standby], round = 0; round < 2; round++) {
      asleep.child.process.kill('SIGSTOP');
      await becomes(awake, 'active');
      await goesOn();
      const epoch = await epochOfCheckpoint();
      const position = await checkpoint();
      asleep.child.process.kill('SIGCONT');
      await becomes(asleep, 'standby');
      await goesOn();
      expect(await epochOfCheckpoint()).toBe(epoch);
      expect(await checkpoint()).toBeGreaterThanOrEqual(position);
      [asleep, awake] = [awake, asleep];
    }
    await load.end();
    await goesOn();
    expect(await reader.faults(log)).toEqual([]);
  });

  it('the other takes over when one is stopped in the middle of its work', async () => {
    const { active, standby, load } = await pair();
    await active.child.end('SIGTERM');
    await becomes(standby, 'active');
    await sleep(500);
    await load.end();
    await goesOn();
    expect(await reader.faults(log)).toEqual([]);
  });

  const checkpoint = async (): Promise<number> => {
    const [row] = await sql.query<{ position: number }>('select position from control.relay_checkpoints');
    return row!.position;
  };
  const epochOfCheckpoint = async (): Promise<number> => {
    const [row] = await sql.query<{ epoch: number }>('select epoch from control.relay_checkpoints');
    return row!.epoch;
  };
});
