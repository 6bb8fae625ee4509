import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Batcher, type BatchLimits } from '../../src/adapters/batcher.ts';

interface Run {
  readonly items: readonly number[];
  end(results?: readonly (number | Error)[]): void;
  fail(error: Error): void;
}

/** A batcher whose batches end when the test says so. */
function batcher(limits: BatchLimits<number> = { maxItems: 100 }): {
  add: (item: number) => Promise<number>;
  runs: Run[];
} {
  const runs: Run[] = [];
  const own = new Batcher<number, number>(
    (items) =>
      new Promise((resolve, reject) => {
        runs.push({ items, end: (results = items) => resolve(results), fail: reject });
      }),
    limits,
  );
  return { add: (item) => own.add(item), runs };
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

describe('batches', () => {
  it('take all that wait while nothing runs', async () => {
    const { add, runs } = batcher();
    const answers = Promise.all(range(0, 16).map(add));
    await setImmediate();
    expect(runs.map(({ items }) => items)).toEqual([range(0, 16)]);
    runs[0]!.end();
    expect(await answers).toEqual(range(0, 16));
  });

  it('run one at a time, and the next is on its way before the callers of the last are told', async () => {
    const { add, runs } = batcher();
    const order: string[] = [];
    const first = add(1).then(() => order.push(`told with ${runs.length} batches begun`));
    await setImmediate();
    const second = add(2);
    await setImmediate();
    expect(runs).toHaveLength(1);
    runs[0]!.end();
    await first;
    expect(order).toEqual(['told with 2 batches begun']);
    runs[1]!.end();
    expect(await second).toBe(2);
  });

  it('come to halves of the callers, who ask again once they were told', async () => {
    const { add, runs } = batcher();
    void add(0);
    await setImmediate();
    for (const item of range(1, 16)) void add(item);
    for (let index = 0; index < 6; index++) {
      runs[index]!.end();
      await setImmediate();
      // Those who were told are back while the next is under way.
      for (const item of runs[index]!.items) void add(item);
    }
    expect(runs.map(({ items }) => items.length)).toEqual([1, 8, 8, 8, 8, 8, 8]);
    expect(runs.slice(1, 3).flatMap(({ items }) => items)).toEqual([...range(1, 16), 0]);
  });

  it('hold no more items or bytes than allowed, but one however large', async () => {
    const { add, runs } = batcher({ maxItems: 3, maxBytes: 10, sizeOf: (item) => item });
    const answers = Promise.all([50, 4, 5, 6, 1, 1, 1, 1].map(add));
    for (let index = 0; index < 4; index++) {
      await setImmediate();
      runs[index]!.end();
    }
    await answers;
    expect(runs.map(({ items }) => items)).toEqual([[50], [4, 5], [6, 1, 1], [1, 1]]);
  });

  it('fail item by item, or all together where the batch fails; others go on', async () => {
    const { add, runs } = batcher();
    const first = Promise.allSettled([add(1), add(2)]);
    await setImmediate();
    const second = Promise.allSettled([add(3), add(4)]);
    runs[0]!.end([1, new Error('not this one')]);
    await setImmediate();
    runs[1]!.fail(new Error('the batch'));
    expect((await first).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect((await second).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const third = add(5);
    await setImmediate();
    runs[2]!.end();
    expect(await third).toBe(5);
  });

  it('answer each item with its own result, none twice or never, whatever comes when', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ afterMs: fc.nat({ max: 3 }), size: fc.nat({ max: 9 }) }), { maxLength: 40 }),
        fc.integer({ min: 1, max: 9 }),
        async (arrivals, maxItems) => {
          const ran: number[] = [];
          let running = 0;
          const own = new Batcher<number, number>(
            async (items) => {
              expect(running++).toBe(0);
              await sleep(items.length % 2);
              ran.push(...items);
              running--;
              return items.map((item) => item * 10);
            },
            { maxItems, maxBytes: 20, sizeOf: (item) => arrivals[item]!.size },
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
});
