import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GroupCommitter, type GroupOptions } from '../../src/support/resilience/group-committer.ts';

interface Run {
  readonly items: readonly number[];
  end(results?: readonly (number | Error)[]): void;
  fail(error: Error): void;
}

/** A committer whose commits end when the test releases them. */
function committer(options: GroupOptions<number> = { maxItems: 100, alternate: true }): {
  add: (item: number) => Promise<number>;
  runs: Run[];
} {
  const runs: Run[] = [];
  const own = new GroupCommitter<number, number>(
    (items) =>
      new Promise((resolve, reject) => {
        runs.push({ items, end: (results = items) => resolve(results), fail: reject });
      }),
    options,
  );
  return { add: (item) => own.add(item), runs };
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

describe('a group committer', () => {
  it('commits all waiting items together if it was idle', async () => {
    const { add, runs } = committer();
    const answers = Promise.all(range(0, 16).map(add));
    await setImmediate();
    expect(runs.map(({ items }) => items)).toEqual([range(0, 16)]);
    runs[0]!.end();
    expect(await answers).toEqual(range(0, 16));
  });

  it('commits one group at a time, and starts the next before the callers of the last continue', async () => {
    const { add, runs } = committer();
    const order: string[] = [];
    const first = add(1).then(() => order.push(`continued with ${runs.length} groups started`));
    await setImmediate();
    const second = add(2);
    await setImmediate();
    expect(runs).toHaveLength(1);
    runs[0]!.end();
    await first;
    expect(order).toEqual(['continued with 2 groups started']);
    runs[1]!.end();
    expect(await second).toBe(2);
  });

  it('alternates between two halves of the callers, who add again once their item has settled', async () => {
    const { add, runs } = committer();
    void add(0);
    await setImmediate();
    for (const item of range(1, 16)) void add(item);
    for (let index = 0; index < 6; index++) {
      runs[index]!.end();
      await setImmediate();
      // Callers whose items have settled add again during the next commit.
      for (const item of runs[index]!.items) void add(item);
    }
    expect(runs.map(({ items }) => items.length)).toEqual([1, 8, 8, 8, 8, 8, 8]);
    expect(runs.slice(1, 3).flatMap(({ items }) => items)).toEqual([...range(1, 16), 0]);
  });

  it('limits the items and the size of a group, except for a single large item', async () => {
    const { add, runs } = committer({ maxItems: 3, maxSize: 10, sizeOf: (item) => item, alternate: true });
    const answers = Promise.all([50, 4, 5, 6, 1, 1, 1, 1].map(add));
    for (let index = 0; index < 4; index++) {
      await setImmediate();
      runs[index]!.end();
    }
    await answers;
    expect(runs.map(({ items }) => items)).toEqual([[50], [4, 5], [6, 1, 1], [1, 1]]);
  });

  it('rejects single items, or the whole group if its commit fails, and then continues', async () => {
    const { add, runs } = committer();
    const first = Promise.allSettled([add(1), add(2)]);
    await setImmediate();
    const second = Promise.allSettled([add(3), add(4)]);
    runs[0]!.end([1, new Error('this item')]);
    await setImmediate();
    runs[1]!.fail(new Error('the group'));
    expect((await first).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect((await second).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const third = add(5);
    await setImmediate();
    runs[2]!.end();
    expect(await third).toBe(5);
  });

  it('settles each item exactly once with its own result', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ afterMs: fc.nat({ max: 3 }), size: fc.nat({ max: 9 }) }), { maxLength: 40 }),
        fc.integer({ min: 1, max: 9 }),
        fc.boolean(),
        async (arrivals, maxItems, alternate) => {
          const ran: number[] = [];
          let running = 0;
          const own = new GroupCommitter<number, number>(
            async (items) => {
              expect(running++).toBe(0);
              await sleep(items.length % 2);
              ran.push(...items);
              running--;
              return items.map((item) => item * 10);
            },
            { maxItems, maxSize: 20, sizeOf: (item) => arrivals[item]!.size, alternate },
          );
          const answers = await Promise.all(
            arrivals.map(async ({ afterMs }, item) => {
              await sleep(afterMs);
              return own.add(item);
            }),
          );
          expect(answers).toEqual(arrivals.map((_, item) => item * 10));
          expect(ran.sort((a, b) => a - b)).toEqual(arrivals.map((_, item) => item));
        },
      ),
      { numRuns: 50 },
    );
  });

  it('rejects everything that waits when a group of ordered items fails', async () => {
    const { add, runs } = committer({
      maxItems: 1,
      rejectWaiting: (cause) => new Error('behind', { cause }),
    });
    const answers = Promise.allSettled([add(1), add(2), add(3)]);
    await setImmediate();
    runs[0]!.fail(new Error('this group'));
    expect((await answers).map((answer) => answer.status === 'rejected' && String(answer.reason))).toEqual([
      'Error: this group',
      'Error: behind',
      'Error: behind',
    ]);
    expect(runs).toHaveLength(1);
    const next = add(4);
    await setImmediate();
    runs[1]!.end();
    expect(await next).toBe(4);
  });

  it('lingers for more items and rests between groups, and a flush does neither', async () => {
    const commits: { at: number; items: readonly number[] }[] = [];
    const began = performance.now();
    const own = new GroupCommitter<number, number>(
      async (items) => {
        commits.push({ at: performance.now() - began, items });
        return items;
      },
      { lingerMs: 30, restMs: 60 },
    );
    const first = own.add(1);
    await sleep(5);
    await Promise.all([first, own.add(2)]);
    await own.add(3);
    const flushed = own.add(4);
    await own.flush();
    await flushed;
    expect(commits.map(({ items }) => items)).toEqual([[1, 2], [3], [4]]);
    const [group, rested] = commits.map(({ at }) => at) as [number, number];
    expect(group).toBeGreaterThan(25);
    expect(rested - group).toBeGreaterThan(55);
    await own.flush();
    expect(own.waiting).toBe(0);
  });
});
