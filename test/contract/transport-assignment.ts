import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { AssignedPartition, ReceivedBatch } from '../../src/ports/transport.ts';
import { Member, placeOf } from '../support/group-member.ts';
import {
  freshName,
  freshTopic,
  keysByPartition,
  numbers,
  record,
  type ContractTransport,
} from '../support/transport-records.ts';

const partitions = 4;

/**
 * A group that keeps its checkpoints elsewhere: the next round of each partition, with one record for each round. Records from
 * before an assignment are read from their original source, as projectors read the log.
 */
class Follower {
  begun = 0;
  readonly faults: string[] = [];
  readonly #next = new Map<string, number>();

  assigned(given: readonly AssignedPartition[]): void {
    for (const place of given) this.#next.set(placeOf(place), this.begun);
  }

  handle(batch: ReceivedBatch): void {
    const place = placeOf(batch);
    for (const { value } of batch.records) {
      const next = this.#next.get(place)!;
      if (Number(value) > next) this.faults.push(`${place}: ${value} came where ${next} was expected`);
      this.#next.set(place, Math.max(next, Number(value) + 1));
    }
  }

  get least(): number {
    return Math.min(...this.#next.values());
  }
}

export function assignmentContract(contract: ContractTransport): void {
  describe('consuming from the assignment on', () => {
    it('[G3] delivers the last existing record, reports its offset, and then delivers all new ones', async () => {
      const { transport } = contract;
      const topic = await freshTopic(transport, partitions);
      const keys = keysByPartition(transport, partitions);
      const publish = (value: string): Promise<void> =>
        transport.publish(keys.map((key) => record(topic, key, value)));
      const group = freshName('group');
      for (const value of numbers(20)) await publish(value);
      const given: AssignedPartition[] = [];
      const member = new Member(transport, {
        group,
        topics: [topic],
        from: 'assignment',
        assigned: async (places) => {
          given.push(...places);
          await publish('meanwhile');
        },
      });
      await member.holds(partitions);
      await publish('after');
      await member.receives(3 * partitions);
      await member.leave();
      expect(given.map(({ next }) => next)).toEqual(keys.map(() => '19'));
      for (const { partition } of given) {
        const own = member.received.filter((one) => one.partition === partition);
        expect(own.map(({ value, offset }) => [value, offset])).toEqual([
          ['19', '19'],
          ['meanwhile', '20'],
          ['after', '21'],
        ]);
      }

      await publish('while nobody was there');
      const next = new Member(transport, { group, topics: [topic], from: 'assignment' });
      await next.holds(partitions);
      await publish('at last');
      await next.receives(2 * partitions);
      await next.leave();
      expect(new Set(next.values)).toEqual(new Set(['while nobody was there', 'at last']));
    });

    it('[G3] leaves no gap after an assignment, despite members that join and leave', async () => {
      const { transport } = contract;
      const topic = await freshTopic(transport, partitions);
      const keys = keysByPartition(transport, partitions);
      const group = freshName('group');
      const follower = new Follower();
      const join = async (): Promise<Member> =>
        new Member(await contract.open(), {
          group,
          topics: [topic],
          from: 'assignment',
          assigned: async (places) => follower.assigned(places),
          handle: async (batch) => {
            await sleep(Math.random() * 400);
            follower.handle(batch);
          },
        });
      const stop = new AbortController();
      const publishing = (async () => {
        while (!stop.signal.aborted) {
          const round = String(follower.begun++);
          await transport.publish(keys.map((key) => record(topic, key, round)));
          await sleep(5);
        }
      })();
      const first = await join();
      await first.receives(100);
      const second = await join();
      await second.receives(100);
      const third = await join();
      await third.receives(100);
      await first.leave();
      await third.leave();
      const then = second.received.length;
      await second.receives(then + 100);
      stop.abort();
      await publishing;
      await expect.poll(() => follower.least, { timeout: 30_000 }).toBe(follower.begun);
      await second.leave();
      expect(follower.faults).toEqual([]);
    });

    it('[G3] delivers nothing before `assigned` has resolved, however long that takes', async () => {
      const { transport } = contract;
      const topic = await freshTopic(transport, 1);
      const group = freshName('group');
      let tries = 0;
      const member = new Member(transport, {
        group,
        topics: [topic],
        from: 'assignment',
        assigned: async () => {
          await transport.publish([record(topic, 'one', String(tries++))]);
          await sleep(3500);
          if (tries < 2) throw new Error('not yet');
        },
      });
      await member.holds(1);
      await transport.publish([record(topic, 'one', 'behind')]);
      await member.receives(3);
      await member.leave();
      // Each attempt starts again, at the last record that existed before it.
      expect(member.values).toEqual(['0', '1', 'behind']);
      expect([member.assignments, member.errors.length]).toEqual([1, 1]);
    });
  });
}
