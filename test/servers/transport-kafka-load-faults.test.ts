import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openKafkaTransport } from '../../src/adapters/kafka/transport.ts';
import type { Transport } from '../../src/ports/transport.ts';
import { Member, valuesByKey } from '../support/group-member.ts';
import { hasKafka, PrivateKafka } from '../support/private-kafka.ts';
import { freshName, freshTopic, numbers, record } from '../support/transport-records.ts';
import { untilServed } from '../support/until-served.ts';

const keys = numbers(16).map((n) => `memory-acme.${n}`);

describe.runIf(hasKafka())('Kafka as Transport, when its broker fails under load', () => {
  let broker: PrivateKafka;

  beforeAll(async () => {
    broker = await PrivateKafka.start();
  }, 300_000);

  afterAll(async () => {
    await broker?.remove();
  }, 300_000);

  /** Publishes rounds of one record per key, several rounds concurrently, until `end` is called. */
  function underLoad(transport: Transport, topic: string) {
    const stop = new AbortController();
    const underWay = new Set<Promise<void>>();
    const failures: unknown[] = [];
    let rounds = 0;
    const load = (async () => {
      while (!stop.signal.aborted) {
        const value = String(rounds++);
        const publish = transport
          .publish(keys.map((key) => record(topic, key, value)))
          .catch((error: unknown) => void failures.push(error))
          .finally(() => underWay.delete(publish));
        underWay.add(publish);
        if (underWay.size >= 4) await Promise.race(underWay);
        else await sleep(1);
      }
      await Promise.all(underWay);
    })();
    return {
      failures,
      rounds: () => rounds,
      async end(): Promise<void> {
        stop.abort();
        await load;
      },
    };
  }

  const faults: [string, () => Promise<void>][] = [
    ['killed and restarted', async () => (await broker.kill(), broker.launch())],
    [
      'killed, down for ten seconds and restarted',
      async () => (await broker.kill(), await sleep(10_000), broker.launch()),
    ],
    ['frozen for longer than a session', async () => (broker.freeze(), await sleep(9000), broker.thaw())],
    ['stopped and restarted', async () => (await broker.kill('SIGTERM'), broker.launch())],
  ];

  it.each(faults)(
    '[G2] neither loses, duplicates nor reorders acknowledged records while the broker is %s',
    async (_, fault) => {
      const transport = await untilServed(() => openKafkaTransport({ brokers: [broker.address] }));
      onTestFinished(() => transport.close());
      const topic = await freshTopic(transport, 4);
      const member = new Member(transport, { group: freshName('group'), topics: [topic] });
      await member.holds(4);
      const load = underLoad(transport, topic);
      await member.receives(500);
      await fault();
      const then = member.received.length;
      await member.receives(then + 500);
      await load.end();
      expect(load.failures).toEqual([]);
      const everything = numbers(load.rounds());

      const fresh = new Member(transport, { group: freshName('group'), topics: [topic] });
      await fresh.receives(everything.length * keys.length);
      await fresh.leave();
      const written = valuesByKey(fresh.received);
      for (const key of keys) expect(written.get(key)).toEqual(everything);

      const isComplete = (): boolean =>
        keys.every((key) => new Set(valuesByKey(member.received).get(key)).size === everything.length);
      await expect.poll(isComplete, { timeout: 60_000 }).toBe(true);
      expect(member.over).toBe(false);
      await member.leave();
      for (const key of keys) expect([...new Set(valuesByKey(member.received).get(key))]).toEqual(everything);
    },
    240_000,
  );
});
