import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Member } from '../support/group-member.ts';
import {
  freshName,
  freshTopic,
  keysByPartition,
  numbers,
  record,
  type ContractTransport,
} from '../support/transport-records.ts';

/** A handler that waits until the test releases it. */
function gate() {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

export function consumingContract(contract: ContractTransport): void {
  describe('consuming', () => {
    it('[G3] delivers the same records again after a failed handler, and commits nothing beyond them', async () => {
      const { transport } = contract;
      const topic = await freshTopic(transport, 2);
      const [failing, healthy] = keysByPartition(transport, 2) as [string, string];
      const group = freshName('group');
      await transport.publish([record(topic, failing, 'before')]);
      const first = new Member(transport, {
        group,
        topics: [topic],
        handle: ({ records }) => {
          if (records.some(({ value }) => value === 'poison')) throw new Error('no');
        },
      });
      await first.receives(1);
      await transport.publish([record(topic, failing, 'poison')]);
      const failures = () =>
        first.batches.filter(({ records }) => records.some(({ value }) => value === 'poison'));
      await expect.poll(() => failures().length, { timeout: 20_000 }).toBeGreaterThan(0);
      await transport.publish([record(topic, failing, 'behind'), record(topic, healthy, 'beside')]);
      await expect.poll(() => failures().length, { timeout: 20_000 }).toBeGreaterThan(2);
      await expect.poll(() => first.values).toContain('beside');
      const tries = failures();
      for (const { records } of tries) expect(records).toEqual(tries[0]!.records);
      await first.leave();
      expect(first.values.toSorted()).toEqual(['before', 'beside']);
      expect(first.errors.length).toBeGreaterThan(2);

      const second = new Member(transport, { group, topics: [topic] });
      await second.receives(2);
      await second.leave();
      expect(second.values).toEqual(['poison', 'behind']);
    });

    it('[G3] waits for running handlers when a member leaves, and commits their records', async () => {
      const { transport } = contract;
      const topic = await freshTopic(transport, 1);
      const group = freshName('group');
      const { opened, open } = gate();
      const first = new Member(transport, { group, topics: [topic], handle: () => opened });
      await transport.publish([record(topic, 'one', 'taken')]);
      await expect.poll(() => first.batches.length, { timeout: 20_000 }).toBe(1);
      await transport.publish([record(topic, 'one', 'left')]);
      const leaving = first.leave();
      await sleep(1000);
      expect(first.over).toBe(false);
      open();
      await leaving;
      expect(first.values).toEqual(['taken']);

      const second = new Member(transport, { group, topics: [topic] });
      await second.receives(1);
      await second.leave();
      expect(second.values).toEqual(['left']);
    });

    it('[G3] does not delay a partition because of the slow handler of another', async () => {
      const { transport } = contract;
      const topic = await freshTopic(transport, 2);
      const [slow, fast] = keysByPartition(transport, 2) as [string, string];
      const { opened, open } = gate();
      const member = new Member(transport, {
        group: freshName('group'),
        topics: [topic],
        handle: ({ partition }) => (partition === 0 ? opened : undefined),
      });
      await transport.publish([record(topic, slow, 'slow 0')]);
      await expect.poll(() => member.batches.length, { timeout: 20_000 }).toBe(1);
      for (const n of numbers(5)) {
        await transport.publish([record(topic, slow, `slow ${Number(n) + 1}`), record(topic, fast, n)]);
        await expect.poll(() => member.values, { timeout: 20_000 }).toContain(n);
      }
      expect(member.batches.filter(({ partition }) => partition === 0)).toHaveLength(1);
      open();
      await member.receives(11);
      await member.leave();
      expect(member.values.filter((value) => value.startsWith('slow'))).toEqual(
        numbers(6).map((n) => `slow ${n}`),
      );
    });

    it('[G3] stays in the group during a handler of eight seconds', async () => {
      const { transport } = contract;
      const topic = await freshTopic(transport, 1);
      const group = freshName('group');
      const member = new Member(transport, {
        group,
        topics: [topic],
        handle: ({ records }) => (records[0]!.value === '0' ? sleep(8000) : undefined),
      });
      await transport.publish([record(topic, 'one', '0')]);
      await member.receives(1);
      await transport.publish([record(topic, 'one', '1')]);
      await member.receives(2);
      expect(member.revocations).toBe(0);
      await member.leave();
      expect(member.values).toEqual(['0', '1']);
    });

    it('[G3] delivers nothing before `assigned` has resolved, and repeats it if it failed', async () => {
      const { transport } = contract;
      const topic = await freshTopic(transport, 2);
      let tries = 0;
      const member = new Member(transport, {
        group: freshName('group'),
        topics: [topic],
        assigned: async () => {
          tries++;
          await sleep(500);
          if (tries < 3) throw new Error('not yet');
        },
      });
      await transport.publish(numbers(10).map((n) => record(topic, `memory-acme.${n}`, n)));
      await member.receives(10);
      await member.leave();
      expect([tries, member.assignments, member.errors.length]).toEqual([3, 1, 2]);
      expect(member.values.toSorted()).toEqual(numbers(10));
    });

    it('[G3] waits for a topic that is created later', async () => {
      const { transport } = contract;
      const topic = freshName('topic');
      const member = new Member(transport, { group: freshName('group'), topics: [topic] });
      await expect.poll(() => member.errors.length, { timeout: 60_000 }).toBeGreaterThan(0);
      await transport.ensureTopics([{ name: topic, partitions: 1 }]);
      await transport.publish([record(topic, 'one', 'at last')]);
      await member.receives(1);
      await member.leave();
    });
  });
}
