import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Member, valuesByKey } from '../support/group-member.ts';
import {
  freshName,
  freshTopic,
  numbers,
  record,
  type ContractTransport,
} from '../support/transport-records.ts';

const keys = numbers(12).map((n) => `memory-acme.${n}`);

export function groupContract(contract: ContractTransport): void {
  describe('groups', () => {
    it('[G3] receive everything, each group, in the order of each key', async () => {
      const { transport } = contract;
      const topics = [await freshTopic(transport, 3), await freshTopic(transport, 1)];
      const rounds = numbers(50);
      const publish = (values: string[]): Promise<void> =>
        transport.publish(
          values.flatMap((value) =>
            topics.flatMap((topic) => keys.map((key) => record(topic, `${topic} ${key}`, value))),
          ),
        );
      await publish(rounds.slice(0, 25));
      const members = [1, 2].map(() => new Member(transport, { group: freshName('group'), topics }));
      await publish(rounds.slice(25));
      for (const member of members) {
        await member.receives(rounds.length * keys.length * 2);
        await member.leave();
        const byKey = valuesByKey(member.received);
        expect(byKey.size).toBe(keys.length * 2);
        for (const values of byKey.values()) expect(values).toEqual(rounds);
      }
    });

    it('[G3] share the partitions among members, and reassign those of a member that leaves', async () => {
      const { transport } = contract;
      const partitions = 6;
      const topic = await freshTopic(transport, partitions);
      const group = freshName('group');
      const everyPlace = numbers(partitions).map((n) => `${topic}/${n}`);
      const stop = new AbortController();
      let published = 0;
      const publishing = (async () => {
        for (; !stop.signal.aborted; published++) {
          await transport.publish(keys.map((key) => record(topic, key, String(published))));
          await sleep(5);
        }
      })();

      const first = new Member(transport, { group, topics: [topic] });
      await first.holds(partitions);
      const second = new Member(await contract.open(), { group, topics: [topic] });
      await first.holds(partitions / 2);
      await second.holds(partitions / 2);
      expect([...first.places, ...second.places].toSorted()).toEqual(everyPlace);
      const before = second.received.length;
      await second.receives(before + 100);
      await first.leave();
      expect(first.places).toEqual([]);
      await second.holds(partitions);
      const then = second.received.length;
      await second.receives(then + 100);
      stop.abort();
      await publishing;
      await second.receives(published * keys.length - first.received.length);
      await second.leave();

      const received = [...first.received, ...second.received];
      expect(received).toHaveLength(published * keys.length);
      for (const key of keys) {
        const values = valuesByKey(received).get(key)!;
        expect(values.toSorted((a, b) => Number(a) - Number(b))).toEqual(numbers(published));
      }
      for (const { received: own } of [first, second])
        for (const values of valuesByKey(own).values())
          expect(values).toEqual(values.toSorted((a, b) => Number(a) - Number(b)));
    });

    it('[G3] continue after their committed records when all members have left', async () => {
      const { transport } = contract;
      const topic = await freshTopic(transport, 3);
      const group = freshName('group');
      const seen: string[] = [];
      for (const round of numbers(3)) {
        const member = new Member(transport, { group, topics: [topic] });
        await transport.publish(keys.map((key) => record(topic, key, `${round} ${key}`)));
        await member.receives(keys.length);
        await member.leave();
        seen.push(...member.values);
      }
      expect(seen.toSorted()).toEqual(
        numbers(3)
          .flatMap((round) => keys.map((key) => `${round} ${key}`))
          .toSorted(),
      );
    });

    it('[G3] lose nothing when partitions move while their handlers run', async () => {
      const { transport } = contract;
      const topic = await freshTopic(transport, 4);
      const group = freshName('group');
      const handle = (): Promise<void> => sleep(800);
      const rounds = numbers(30);
      const first = new Member(transport, { group, topics: [topic], handle });
      await first.holds(4);
      const publishing = (async () => {
        for (const value of rounds) {
          await transport.publish(keys.map((key) => record(topic, key, value)));
          await sleep(100);
        }
      })();
      await expect.poll(() => first.batches.length, { timeout: 20_000 }).toBeGreaterThan(3);
      const second = new Member(await contract.open(), { group, topics: [topic], handle });
      const third = new Member(await contract.open(), { group, topics: [topic], handle });
      await second.receives(1);
      await third.receives(1);
      await second.leave();
      await publishing;
      const members = [first, second, third];
      const missing = (): string[] =>
        keys.filter((key) => {
          const values = members.flatMap(({ received }) => valuesByKey(received).get(key) ?? []);
          return new Set(values).size < rounds.length;
        });
      await expect.poll(missing, { timeout: 30_000 }).toEqual([]);
      await Promise.all([first.leave(), third.leave()]);

      const behind = new Member(transport, { group, topics: [topic] });
      await transport.publish(keys.map((key) => record(topic, key, 'behind')));
      await behind.receives(keys.length);
      await behind.leave();
      expect(new Set(behind.values)).toEqual(new Set(['behind']));
    });

    it('[G3] may have more members than partitions', async () => {
      const { transport } = contract;
      const topic = await freshTopic(transport, 1);
      const group = freshName('group');
      const members = [1, 2, 3].map(() => new Member(transport, { group, topics: [topic] }));
      await transport.publish([record(topic, 'one', '0')]);
      const takers = () => members.filter(({ received }) => received.length > 0);
      await expect.poll(() => takers().length, { timeout: 30_000 }).toBe(1);
      const [taker] = takers();
      await taker!.leave();
      await transport.publish([record(topic, 'one', '1')]);
      await expect
        .poll(() => members.flatMap(({ values }) => values).toSorted(), { timeout: 30_000 })
        .toEqual(['0', '1']);
      await Promise.all(members.map((member) => member.leave()));
    });
  });
}
