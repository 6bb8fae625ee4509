import { describe, expect, it } from 'vitest';
import { Fifo } from '../../src/adapters/embedding/fifo.ts';
import { PriorityQueue } from '../../src/adapters/embedding/priority-queue.ts';

const all = { most: 1, serves: 'all' } as const;
const queriesOnly = { most: 1, serves: 'query' } as const;

describe('PriorityQueue', () => {
  it('hands out every waiting query before any waiting passage, each lane in order', async () => {
    const queue = new PriorityQueue<string>();
    queue.push('passage', 'p1');
    queue.push('query', 'q1');
    queue.push('passage', 'p2');
    queue.push('query', 'q2');
    const order = [];
    for (let i = 0; i < 4; i++) order.push(...((await queue.take(all)) ?? []));
    expect(order).toEqual(['q1', 'q2', 'p1', 'p2']);
  });

  it('hands out batches of a single purpose', async () => {
    const queue = new PriorityQueue<string>();
    for (const item of ['p1', 'p2', 'p3']) queue.push('passage', item);
    queue.push('query', 'q1');
    expect(await queue.take({ most: 2, serves: 'all' })).toEqual(['q1']);
    expect(await queue.take({ most: 2, serves: 'all' })).toEqual(['p1', 'p2']);
    expect(await queue.take({ most: 2, serves: 'all' })).toEqual(['p3']);
  });

  it('hands out no passage to a taker for queries', async () => {
    const queue = new PriorityQueue<string>();
    const reserved = queue.take(queriesOnly);
    const general = queue.take(all);
    queue.push('passage', 'p1');
    expect(await general).toEqual(['p1']);
    queue.push('passage', 'p2');
    queue.push('query', 'q1');
    expect(await reserved).toEqual(['q1']);
    expect(await queue.take(all)).toEqual(['p2']);
  });

  it('wakes takers in the order of their calls', async () => {
    const queue = new PriorityQueue<string>();
    const takers = [queue.take(all), queue.take(all)];
    queue.push('passage', 'p1');
    queue.push('query', 'q1');
    expect(await Promise.all(takers)).toEqual([['p1'], ['q1']]);
  });

  it('prefers to wake a taker for queries over one for all, and never wakes one for passages', async () => {
    const queue = new PriorityQueue<string>();
    const passages = queue.take({ most: 1, serves: 'passage' });
    const general = queue.take(all);
    const reserved = queue.take(queriesOnly);
    queue.push('query', 'q1');
    queue.push('query', 'q2');
    expect([await reserved, await general]).toEqual([['q1'], ['q2']]);
    queue.push('query', 'q3');
    queue.push('passage', 'p1');
    expect(await passages).toEqual(['p1']);
  });

  it('puts items back at the head of their lane, in their order', async () => {
    const queue = new PriorityQueue<string>();
    for (const item of ['p1', 'p2', 'p3']) queue.push('passage', item);
    const taken = await queue.take({ most: 2, serves: 'all' });
    queue.putBack('passage', taken ?? []);
    expect(queue.drain('passage')).toEqual(['p1', 'p2', 'p3']);
  });

  it('wakes every taker when it is closed', async () => {
    const queue = new PriorityQueue<string>();
    const waiting = queue.take(all);
    queue.close();
    expect(await waiting).toBeUndefined();
    expect(await queue.take(all)).toBeUndefined();
  });
});

describe('Fifo', () => {
  it('keeps the order in any sequence of adding and taking', () => {
    const fifo = new Fifo<number>();
    const taken: number[] = [];
    let next = 0;
    for (let round = 0; round < 500; round++) {
      for (let i = 0; i < (round * 7) % 5; i++) fifo.push(next++);
      const some = fifo.shift((round * 3) % 6);
      if (round % 9 === 0) for (const item of some.toReversed()) fifo.unshift(item);
      else taken.push(...some);
    }
    taken.push(...fifo.drain());
    expect(taken).toEqual(Array.from({ length: next }, (_, i) => i));
    expect(fifo.size).toBe(0);
  });
});
