import { describe, expect, it } from 'vitest';
import type { EventLog } from '../../src/ports/event-log.ts';
import { LogGaps } from '../../src/projections/log-gaps.ts';
import { OpenedCache } from '../../src/projections/opened-cache.ts';
import { storeTestMemory } from '../support/event-store.ts';
import { useJournalStore } from '../support/journal-store.ts';
import { everyPartition, partitioning } from '../support/topic-records.ts';

const test = useJournalStore(partitioning);

/** `LogGaps` over the test's log, with a counter of its reads. */
function counted() {
  let reads = 0;
  const log = new Proxy(test.log, {
    get(target, name: keyof EventLog) {
      if (name === 'readAll') reads++;
      const value = target[name];
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const gaps = new LogGaps(log, new OpenedCache(test.store));
  return { gaps, reads: () => reads };
}

async function positions(gaps: LogGaps, partition: string, after: number, to: number): Promise<number[]> {
  const found: number[] = [];
  for await (const page of gaps.read(test.live, partition, after, to))
    found.push(...page.events.map(({ position }) => position));
  return found;
}

describe('events that are missing in the topics', () => {
  it('[G3] are read from the log once for all partitions, wherever each of them begins', async () => {
    const start = await test.log.head();
    for (let n = 0; n < 30; n++) await storeTestMemory(test, { content: `text ${n}` });
    const head = await test.log.head();
    const { events } = await test.log.readAll({ after: start, limit: 1_000 });
    const { gaps, reads } = counted();
    await positions(gaps, everyPartition[0]!, start, head);
    expect(reads()).toBe(1);
    const all = await Promise.all(
      everyPartition.map(async (partition, n) => {
        const after = start + n;
        const due = events.filter(
          ({ position, stream, type }) => position > after && test.live.takes(partition, stream, type),
        );
        expect(await positions(gaps, partition, after, head)).toEqual(due.map(({ position }) => position));
        return due.length;
      }),
    );
    expect(all.reduce((sum, count) => sum + count)).toBeGreaterThan(20);
    expect(reads()).toBe(1);
  });

  it('[G3] end at the requested position, even within a longer page', async () => {
    const start = await test.log.head();
    for (let n = 0; n < 10; n++) await storeTestMemory(test, { content: `text ${n}` });
    const head = await test.log.head();
    const { gaps, reads } = counted();
    const whole = await Promise.all(everyPartition.map((one) => positions(gaps, one, start, head)));
    const middle = start + Math.floor((head - start) / 2);
    const first = await Promise.all(everyPartition.map((one) => positions(gaps, one, start, middle)));
    const second = await Promise.all(everyPartition.map((one) => positions(gaps, one, middle, head)));
    expect(first.flat().every((position) => position <= middle)).toBe(true);
    expect(first.map((own, n) => [...own, ...second[n]!])).toEqual(whole);
    expect(reads()).toBe(1);
  });
});
