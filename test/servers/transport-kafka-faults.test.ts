import { Kafka, logLevel, type EachBatchPayload } from 'kafkajs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openKafkaTransport } from '../../src/adapters/kafka/transport.ts';
import { TransportUnavailable, type OutgoingRecord, type Transport } from '../../src/ports/transport.ts';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import { freePort } from '../support/free-port.ts';
import { Member } from '../support/group-member.ts';
import { hasKafka, PrivateKafka } from '../support/private-kafka.ts';
import { freshName, freshTopic, numbers, record } from '../support/transport-records.ts';
import { untilServed } from '../support/until-served.ts';

const keys = numbers(16).map((n) => `memory-acme.${n}`);

describe.runIf(hasKafka())('Kafka as Transport, when its broker fails', () => {
  let broker: PrivateKafka;
  const open: Transport[] = [];

  async function connect(address = broker.address, publishTimeoutMs?: number): Promise<Transport> {
    const transport = await untilServed(() =>
      openKafkaTransport({
        brokers: [address],
        ...(publishTimeoutMs !== undefined && { publishTimeoutMs }),
      }),
    );
    open.push(transport);
    return transport;
  }

  beforeAll(async () => {
    broker = await PrivateKafka.start();
  }, 300_000);

  afterAll(async () => {
    try {
      await Promise.all(open.map((transport) => transport.close()));
    } finally {
      await broker?.remove();
    }
  }, 300_000);

  it('[G3] continues with its partitions if the broker forgets a rebalance that it had begun', async () => {
    const transport = await connect();
    const topic = await freshTopic(transport, 2);
    const group = freshName('group');
    const member = new Member(transport, { group, topics: [topic] });
    await member.holds(2);
    // Two more members. The first one works for a long time and does not rejoin, so the rebalance for the second one waits
    // for it.
    const busy = await stubbornMember(broker.address, group, topic);
    await member.holds(1);
    await transport.publish(keys.map((key) => record(topic, key, 'for the busy one')));
    await busy.isAtWork;
    const late = new Member(transport, { group, topics: [topic] });
    await expect.poll(() => member.places, { timeout: 10_000 }).toEqual([]);
    await broker.kill();
    await late.leave();
    await broker.launch();
    await untilServed(() => connect());
    busy.release();
    // The broker has the two members as before, so nothing informs the first one that it still has its partition.
    await member.holds(1);
    await busy.end();
    await member.leave();
  }, 300_000);

  it('[G2] rejects a publish that it cannot write in time, with all that wait behind it, and accepts it later', async () => {
    const transport = await connect(broker.address, 1500);
    const topic = await freshTopic(transport, 1);
    await transport.publish([record(topic, 'one', '0')]);
    await broker.kill();
    const publishes = numbers(5, 1).map(async (n) => {
      await sleep(Number(n) * 100);
      await transport.publish([record(topic, 'one', n)]);
    });
    for (const outcome of await Promise.allSettled(publishes))
      expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'TransportUnavailable' } });
    await broker.launch();
    await untilServed(() => transport.publish(numbers(5, 1).map((n) => record(topic, 'one', n))));

    const member = new Member(transport, { group: freshName('group'), topics: [topic] });
    await member.receives(6);
    await member.leave();
    expect(member.values).toEqual(numbers(6));
  }, 300_000);

  it('[G2] leaves, closes and refuses to open while there is no broker', async () => {
    const transport = await connect();
    const topic = await freshTopic(transport, 2);
    const member = new Member(transport, { group: freshName('group'), topics: [topic] });
    await member.holds(2);
    const forgotten = new Member(transport, { group: freshName('group'), topics: [topic] });
    await forgotten.holds(2);
    await broker.kill();
    const publish = transport.publish([record(topic, 'one', 'never')]).catch((error: unknown) => error);
    await sleep(3000);
    await member.leave();
    await transport.close();
    expect(await publish).toBeInstanceOf(TransportUnavailable);
    expect(forgotten.over).toBe(true);
    await expect(openKafkaTransport({ brokers: [broker.address] })).rejects.toThrow(TransportUnavailable);
    await broker.launch();
    await connect();
  }, 300_000);
});

describe.runIf(hasKafka())('Kafka as Transport, when answers are lost', () => {
  let broker: PrivateKafka;
  let proxy: CuttingProxy;
  let address: string;
  const open: Transport[] = [];

  async function connect(publishTimeoutMs = 60_000): Promise<Transport> {
    const transport = await openKafkaTransport({ brokers: [address], publishTimeoutMs });
    open.push(transport);
    return transport;
  }

  beforeAll(async () => {
    const publicPort = await freePort();
    broker = await PrivateKafka.start(() => ({
      settings: { 'advertised.listeners': `BROKER://127.0.0.1:${publicPort}` },
    }));
    proxy = await CuttingProxy.start(broker.port, publicPort);
    address = `127.0.0.1:${publicPort}`;
    await untilServed(() => connect());
  }, 300_000);

  afterAll(async () => {
    try {
      await Promise.all(open.map((transport) => transport.close()));
      await proxy?.close();
    } finally {
      await broker?.remove();
    }
  });

  async function everything(topic: string, count: number): Promise<string[]> {
    const member = new Member(await connect(), { group: freshName('group'), topics: [topic] });
    await member.receives(count);
    await sleep(1000);
    await member.leave();
    return member.values;
  }

  it.each(['request', 'answer'] as const)(
    '[G2] writes once and in order what it has to send repeatedly (cut at the %s)',
    async (at) => {
      const patient = await connect();
      const topic = await freshTopic(patient, 1);
      const values = ['before', `cut: ${at}`, 'behind'.padEnd(5 + at.length), 'last'];
      await patient.publish([record(topic, 'one', values[0]!)]);
      const cuts = proxy.cuts;
      proxy.cutAfter(`cut: ${at}`, at, 6);
      const publishes: Promise<void>[] = [];
      for (const value of values.slice(1)) {
        publishes.push(patient.publish([record(topic, 'one', value)]));
        // The next publish starts while this one is in progress.
        await sleep(20);
      }
      await Promise.all(publishes);
      expect(proxy.cuts).toBe(cuts + 6);
      expect(await everything(topic, values.length)).toEqual(values);
    },
  );

  it('[G2] writes nothing ahead of a failed publish', async () => {
    const hasty = await connect(1000);
    const topic = await freshTopic(hasty, 1);
    proxy.cutAfter('request lost', 'request', Infinity);
    const first = hasty.publish([record(topic, 'one', 'request lost')]);
    await sleep(20);
    const behind = hasty.publish([record(topic, 'one', 'behind')]);
    for (const outcome of await Promise.allSettled([first, behind]))
      expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'TransportUnavailable' } });
    proxy.heal();
    await hasty.publish([record(topic, 'one', 'later')]);
    const values = await everything(topic, 1);
    expect(values).not.toContain('behind');
    expect(values.at(-1)).toBe('later');
  });

  it('[G2] never mistakes a later publish for one whose answer was lost', async () => {
    const hasty = await connect(1000);
    const topic = await freshTopic(hasty, 1);
    await hasty.publish([record(topic, 'one', 'before')]);
    const lost: OutgoingRecord = record(topic, 'one', 'answer lost');
    proxy.cutAfter('answer lost', 'answer', Infinity);
    await expect(hasty.publish([lost])).rejects.toThrow(TransportUnavailable);
    proxy.heal();
    await hasty.publish([record(topic, 'one', 'of one size')]);
    await hasty.publish([lost]);
    const values = await everything(topic, 4);
    expect(values.filter((value) => value !== 'answer lost')).toEqual(['before', 'of one size']);
    expect(values.at(-1)).toBe('answer lost');
  });

  it('[G3] rejoins a group that forgot it, even if it is disconnected again meanwhile', async () => {
    const topic = await freshTopic(await connect(), 1);
    const member = new Member(await connect(), { group: freshName('group'), topics: [topic] });
    await member.holds(1);
    // Longer than a session, so the group continues without the member, which notices it with its next heartbeat.
    proxy.hold();
    await sleep(9_000);
    const joining = 'RoundRobinAssigner';
    const before = proxy.cuts;
    proxy.cutAfter(joining, 'request');
    proxy.release();
    await expect.poll(() => proxy.cuts, { timeout: 30_000 }).toBe(before + 1);
    const publisher = await connect();
    // A member that was removed still reads, until a commit fails.
    for (const round of numbers(3)) {
      await publisher.publish([record(topic, 'one', round)]);
      await member.receives(Number(round) + 1);
    }
    await member.leave();
  }, 300_000);
});

/** A plain kafkajs consumer that handles its first records until it is released. Meanwhile it only sends heartbeats. */
async function stubbornMember(address: string, group: string, topic: string) {
  const consumer = new Kafka({ brokers: [address], logLevel: logLevel.NOTHING }).consumer({
    groupId: group,
    sessionTimeout: 30_000,
  });
  const released = new AbortController();
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  const isAtWork = new Promise<void>((resolve, reject) => {
    const eachBatch = async ({ heartbeat }: EachBatchPayload): Promise<void> => {
      resolve();
      while (!released.signal.aborted) {
        await sleep(200);
        await heartbeat().catch(() => {});
      }
    };
    consumer.run({ eachBatch, autoCommit: false }).catch(reject);
  });
  return { isAtWork, release: () => released.abort(), end: () => consumer.disconnect() };
}
