import { randomBytes } from 'node:crypto';
import { Kafka, logLevel, type Admin } from 'kafkajs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openKafkaTransport } from '../../src/adapters/kafka/transport.ts';
import { migrate } from '../../src/adapters/migrate.ts';
import { openSqlLeases } from '../../src/adapters/sql/leases.ts';
import { topicName, topicPartitions, topicsOf } from '../../src/domain/contract/topics.ts';
import type { Transport } from '../../src/ports/transport.ts';
import { WakeUp } from '../../src/support/wake-up.ts';
import { ProjectionOperations } from '../../src/projections/operations.ts';
import type { ProjectionRunner } from '../../src/projections/runner.ts';
import { ReadModels } from '../../src/queries/read-models.ts';
import { relaySchema } from '../../src/relay/schema.ts';
import { Relay } from '../../src/relay/relay.ts';
import { ChildProgram, type Child } from '../support/child-program.ts';
import { freshDatabase, type FreshDatabase } from '../support/database.ts';
import { storeTestMemory, testContext, updateTestMemory, type TestStore } from '../support/event-store.ts';
import { Journal } from '../support/journal.ts';
import { dropReadModels } from '../support/read-models.ts';
import { openServerStore, projectionsOf, projectorOf } from '../support/projector.ts';
import { freshName } from '../support/transport-records.ts';

const brokers = process.env['STRATALOG_KAFKA_BROKERS'];
const isHere = brokers !== undefined && process.env['STRATALOG_POSTGRES_URL'] !== undefined;
const names = projectionsOf().map(({ name }) => name);
const manyMs = 60_000;

describe.runIf(isHere)('projectors on Kafka', () => {
  let program: ChildProgram;
  let transport: Transport;
  let admin: Admin;
  let database: FreshDatabase;
  let rootKey: Buffer;
  let test: TestStore;
  let relay: Relay;
  let prefix: string;
  let journal: Journal;
  let errors: string[];
  const topics: string[] = [];
  const runners: ProjectionRunner[] = [];
  const children: Child[] = [];

  beforeAll(async () => {
    program = await ChildProgram.bundle('projector-process.ts');
    transport = await openKafkaTransport({ brokers: brokers!.split(',') });
    admin = new Kafka({ brokers: brokers!.split(','), logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
  });

  afterAll(async () => {
    await transport?.close();
    // Not earlier, because the producer of kafkajs cannot handle the deletion of a topic that it has written to.
    if (topics.length > 0) await admin.deleteTopics({ topics });
    await admin?.disconnect();
    await program?.dispose();
  });

  beforeEach(async () => {
    database = await freshDatabase();
    rootKey = randomBytes(32);
    test = await openServerStore(database.url, rootKey);
    await migrate(test.sql, 'relay', relaySchema);
    prefix = freshName('projector');
    topics.push(...topicsOf(prefix).map(({ name }) => name));
    journal = new Journal('journal');
    errors = [];
    const leases = await openSqlLeases(test.sql, 'relay');
    relay = new Relay({ ...test, transport, leases, prefix, onError: (error) => errors.push(String(error)) });
  });

  afterEach(async () => {
    test.sql.fault = () => undefined;
    await Promise.all(children.splice(0).map((child) => child.end('SIGKILL')));
    await Promise.all(runners.splice(0).map((runner) => runner.stop()));
    await relay.stop();
    await test.close();
    await database.drop();
  });

  async function runnerHere(
    holder = 'here',
    projections = projectionsOf(journal),
  ): Promise<ProjectionRunner> {
    const onError = (name: string, error: unknown) => void errors.push(`${name}: ${String(error)}`);
    const runner = await projectorOf(test, { transport, prefix, holder, projections, onError });
    runners.push(runner);
    return runner;
  }

  async function start(...args: Parameters<typeof runnerHere>): Promise<ProjectionRunner> {
    const runner = await runnerHere(...args);
    await runner.prepare();
    await runner.start();
    return runner;
  }

  async function startElsewhere(): Promise<Child> {
    const child = program.start(database.url, brokers!, prefix, rootKey.toString('hex'));
    children.push(child);
    expect(await child.line()).toBe('runs');
    return child;
  }

  const view = (minPosition: number, projections = names) =>
    new ReadModels(test.sql, new WakeUp()).view({ projections, minPosition, waitMs: manyMs });
  const caughtUp = async () => view(await test.log.head());
  const store = async (content: string) => (await storeTestMemory(test, { content })).stream;
  const operationsOf = (runner: ProjectionRunner) => new ProjectionOperations(test.sql, test.store, runner);
  const statusOf = async (runner: ProjectionRunner, name: string) =>
    (await operationsOf(runner).status()).find((one) => one.name === name)!;

  /** Stores and changes memories until `end` is called, which returns the number of events. */
  function load(): { end(): Promise<number> } {
    const stop = new AbortController();
    let events = 0;
    const lane = async () => {
      while (!stop.signal.aborted) {
        const stream = await store(`text ${events++}`);
        await updateTestMemory(test, stream, `text ${events++}`);
        // Without a pause, projections on a busy machine would never catch up.
        await sleep(20);
      }
    };
    const lanes = Promise.all([lane(), lane(), lane()]);
    return {
      async end() {
        stop.abort();
        await lanes;
        return events;
      },
    };
  }

  /** Rebuilds every read model from the log and expects equal digests. */
  async function expectEqualRebuilds(runner: ProjectionRunner): Promise<void> {
    const operations = operationsOf(runner);
    const rebuilds = names.map(async (name) => (await operations.rebuild(name, testContext())).done);
    for (const { projection, digest, liveDigest } of await Promise.all(rebuilds))
      expect([projection, digest]).toEqual([projection, liveDigest]);
  }

  /** Continues the load for a while and waits until the read models follow. */
  async function goOn(): Promise<void> {
    const before = await test.log.head();
    await expect.poll(() => test.log.head(), { timeout: manyMs }).toBeGreaterThan(before + 100);
    await view(before);
  }

  /** Waits until the group of each live generation has `count` members. */
  async function untilMembersAre(count: number): Promise<void> {
    const groups = names.map((name) => `${prefix}.${name}.1`);
    const members = async () => {
      const described = await admin.describeGroups(groups);
      return described.groups.map((group) => group.members.length);
    };
    await expect.poll(members, { timeout: manyMs }).toEqual(groups.map(() => count));
  }

  it('[A10] keep every read model up to date with the log, including those without new events', async () => {
    relay.start();
    const runner = await start();
    await store('a');
    await caughtUp();
    expect(await journal.texts(test.sql)).toEqual(['a']);
    const { generations } = await statusOf(runner, 'links');
    expect(generations[0]).toMatchObject({ state: 'live', lock: 'here', lag: 0 });
    expect(generations[0]!.partitions).toHaveLength(topicPartitions);
    const status = await statusOf(await runnerHere('api'), 'links');
    expect(status.generations[0]).toMatchObject({ lock: 'elsewhere' });
    expect(errors).toEqual([]);
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    '[G3] share the partitions; nothing is lost or duplicated when one of two ends by %s under load',
    async (signal) => {
      relay.start();
      const runner = await start();
      const child = await startElsewhere();
      const work = load();
      await untilMembersAre(2);
      await goOn();
      await child.end(signal);
      await goOn();
      await untilMembersAre(1);
      const events = await work.end();
      await caughtUp();
      expect(await journal.rows(test.sql)).toHaveLength(events);
      await expectEqualRebuilds(runner);
    },
    300_000,
  );

  it('[G3] read from the log what the topics have deleted', async () => {
    relay.start();
    for (let n = 0; n < 30; n++) await store(`gone ${n}`);
    await expect.poll(async () => (await relay.status()).state, { timeout: manyMs }).toBe('active');
    await expect.poll(async () => (await relay.status()).publishedEvents, { timeout: manyMs }).toBe(30);
    const topic = topicName(prefix, 'events');
    const partitions = (await admin.fetchTopicOffsets(topic)).map(({ partition, high }) => ({
      partition,
      offset: high,
    }));
    await admin.deleteTopicRecords({ topic, partitions });
    const runner = await start();
    await store('there');
    await caughtUp();
    expect(await journal.rows(test.sql)).toHaveLength(31);
    await expectEqualRebuilds(runner);
  }, 300_000);

  it('[G3] catch up from the log if no relay runs', async () => {
    for (let n = 0; n < 30; n++) await store(`text ${n}`);
    await start();
    await caughtUp();
    expect(await journal.rows(test.sql)).toHaveLength(30);
  });

  it('[G3] start again if tables were lost, although their groups have later offsets', async () => {
    relay.start();
    const before = await start();
    for (let n = 0; n < 30; n++) await store(`text ${n}`);
    await caughtUp();
    await before.stop();
    await dropReadModels(test);
    const runner = await start();
    await store('after');
    await caughtUp();
    expect(await journal.rows(test.sql)).toHaveLength(31);
    await expectEqualRebuilds(runner);
  }, 300_000);

  it('[G4] park the stream of a poison event, and continue with the others in its partition', async () => {
    relay.start();
    journal.onEvent = (text) => {
      if (text === 'poison') throw new Error('refused');
    };
    const runner = await start();
    const bad = await store('poison');
    await updateTestMemory(test, bad, 'later');
    for (let n = 0; n < 24; n++) await store('good');
    await caughtUp();
    expect(await journal.rows(test.sql)).toHaveLength(24);
    expect((await statusOf(runner, 'journal')).parked).toMatchObject([{ stream: bad, error: 'refused' }]);
    journal.onEvent = () => {};
    await runner.retry('journal', bad);
    await updateTestMemory(test, bad, 'live again');
    await caughtUp();
    const own = (await journal.rows(test.sql)).filter(({ stream }) => stream === bad);
    expect(own.map(({ text }) => text)).toEqual(['poison', 'later', 'live again']);
  }, 300_000);

  it('[F4] are rebuilt under load by a process that runs no projections, switched and rolled back without loss', async () => {
    relay.start();
    await start();
    const work = load();
    await goOn();
    const operations = operationsOf(await runnerHere('api'));
    // One after the other: the journal of this test, one with tables of its own only, and one with vectors.
    const some = ['journal', 'links', 'vectors'];
    for (const name of some) {
      const { generation, done } = await operations.rebuild(name, testContext());
      const { digest, liveDigest } = await done;
      expect([name, digest]).toEqual([name, liveDigest]);
      expect(await operations.switch(name, testContext())).toMatchObject({ from: 1, to: generation });
    }
    await goOn();
    for (const name of some) await operations.rollback(name, testContext());
    const events = await work.end();
    await caughtUp();
    expect(await journal.rows(test.sql)).toHaveLength(events);
    await expect.poll(() => journal.rows(test.sql, 2), { timeout: manyMs }).toHaveLength(events);
  }, 180_000);

  it('[G3] wait while the database is down, and lose nothing', async () => {
    relay.start();
    await start();
    await store('a');
    await caughtUp();
    test.sql.fault = (statement) => (statement.includes('follow.checkpoints') ? 'after' : undefined);
    for (let n = 0; n < 10; n++) await store(`text ${n}`);
    await expect.poll(() => errors.length, { timeout: manyMs }).toBeGreaterThan(3);
    test.sql.fault = () => undefined;
    await caughtUp();
    expect(await journal.rows(test.sql)).toHaveLength(11);
  }, 300_000);
});
