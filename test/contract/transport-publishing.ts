import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { RecordTooLarge, TransportUnavailable } from '../../src/ports/transport.ts';
import { Member, valuesByKey } from '../support/group-member.ts';
import {
  freshName,
  freshTopic,
  numbers,
  record,
  type ContractTransport,
} from '../support/transport-records.ts';

const mebibyte = 1024 * 1024;

export function publishingContract(contract: ContractTransport): void {
  /** The first `count` records of a topic. */
  async function read(topic: string, count: number) {
    const member = new Member(contract.transport, { group: freshName('group'), topics: [topic] });
    await member.receives(count);
    await member.leave();
    return member.received;
  }

  describe('publishing', () => {
    it('[G2] keeps the order within a key with concurrent publishes, and writes each record once', async () => {
      const { transport } = contract;
      const topic = await freshTopic(transport, 6);
      const keys = numbers(20).map((n) => `memory-acme.${n}`);
      const rounds = numbers(60);
      const publishes = rounds.flatMap((value) =>
        keys.map((key) => transport.publish([record(topic, key, value)])),
      );
      await Promise.all(publishes);

      const received = await read(topic, keys.length * rounds.length);
      const byKey = valuesByKey(received);
      expect([...byKey.keys()].toSorted()).toEqual(keys.toSorted());
      for (const values of byKey.values()) expect(values).toEqual(rounds);
      for (const { key, partition } of received) expect(partition).toBe(transport.partitionOf(key!, 6));
    });

    it('[G2] keeps the order of a publish that is larger than a request', async () => {
      const { transport } = contract;
      const topic = await freshTopic(transport, 2);
      const values = numbers(5000);
      await transport.publish(
        values.map((value) => ({ ...record(topic, 'one', value), headers: { pad: 'x'.repeat(500) } })),
      );
      expect((await read(topic, values.length)).map(({ value }) => value)).toEqual(values);
    });

    it('[G2] writes to the given partition, after earlier records', async () => {
      const { transport } = contract;
      const partitions = 4;
      const topic = await freshTopic(transport, partitions);
      await transport.publish(numbers(40).map((n) => record(topic, `memory-acme.${n}`, n)));
      const marks = numbers(partitions).map((n) => ({
        topic,
        key: null,
        partition: Number(n),
        value: '40',
        headers: { kind: 'watermark' },
      }));
      await transport.publish(marks);
      const received = await read(topic, 40 + partitions);
      for (let partition = 0; partition < partitions; partition++) {
        const last = received.filter((each) => each.partition === partition).at(-1);
        expect(last).toMatchObject({ key: null, value: '40', headers: { kind: 'watermark' } });
      }
    });

    it('[G2] chooses the same partition for a key in every producer, and uses all partitions', async () => {
      const { transport } = contract;
      const other = await contract.open();
      const keys = numbers(300).map((n) => `links-acme.${n}`);
      const places = keys.map((key) => transport.partitionOf(key, 12));
      expect(keys.map((key) => other.partitionOf(key, 12))).toEqual(places);
      expect(new Set(places).size).toBe(12);
    });

    it('[G2] transports key, value and headers unchanged', async () => {
      const { transport } = contract;
      const topic = await freshTopic(transport, 1);
      const sent = [
        {
          topic,
          key: 'memory-acme.Straße',
          value: '{"text":"naïve 😀 \\u0000"}',
          headers: { type: 'A', né: 'Ω 😀' },
        },
        { topic, key: '', value: '', headers: {} },
        { topic, key: 'k', value: 'x\n\u0000y', headers: { empty: '' } },
      ];
      await transport.publish([]);
      await transport.publish(sent);
      const received = await read(topic, sent.length);
      expect(received).toEqual(sent.map((each, index) => ({ ...each, partition: 0, offset: String(index) })));
    });

    it('[G2] transports records of 4 MiB, and rejects a larger one with its whole publish', async () => {
      const { transport } = contract;
      const topic = await freshTopic(transport, 3);
      const values = numbers(6).map(
        (n) =>
          n +
          randomBytes(2 * mebibyte)
            .toString('hex')
            .slice(0, 4 * mebibyte - 32),
      );
      await transport.publish(values.map((value, n) => record(topic, `memory-acme.${n}`, value)));
      const tooMuch = [
        record(topic, 'memory-acme.0', 'small'),
        record(topic, 'memory-acme.0', 'é'.repeat(2 * mebibyte)),
      ];
      await expect(transport.publish(tooMuch)).rejects.toThrow(RecordTooLarge);
      await transport.publish([record(topic, 'memory-acme.0', 'behind')]);

      const received = await read(topic, values.length + 1);
      expect(received.map(({ value }) => value).toSorted()).toEqual([...values, 'behind'].toSorted());
    });

    it('[G2] rejects when it is closed, and has written everything acknowledged before', async () => {
      const { transport } = contract;
      const closing = await contract.open();
      const topic = await freshTopic(transport, 1);
      const outcomes = numbers(200).map((n) =>
        closing.publish([record(topic, 'one', n)]).then(
          () => n,
          (error: unknown) => error,
        ),
      );
      await outcomes[0];
      await closing.close();
      const settled = await Promise.all(outcomes);
      const kept = settled.filter((outcome) => typeof outcome === 'string');
      for (const outcome of settled)
        if (typeof outcome !== 'string') expect(outcome).toBeInstanceOf(TransportUnavailable);
      await expect(closing.publish([record(topic, 'one', 'late')])).rejects.toThrow(TransportUnavailable);
      await expect(closing.partitions(topic)).rejects.toThrow(TransportUnavailable);
      const values = (await read(topic, kept.length)).map(({ value }) => value);
      expect(values.slice(0, kept.length)).toEqual(kept);
    });
  });
}
