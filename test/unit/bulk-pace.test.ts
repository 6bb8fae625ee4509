import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Admission } from '../../src/api/admission/admission.ts';
import { BulkPace } from '../../src/api/admission/bulk-pace.ts';
import type { TenantContext } from '../../src/domain/access/context.ts';
import { searchShape, type Ceilings } from '../../src/domain/admission/ceilings.ts';

const everyMs = 100;

describe('[I4] the pace of bulk stores', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  /** Vectors at a position, behind a log with 1,000 events; 100 may lag. */
  function behind(position: number) {
    const vectors = { position };
    const pace = new BulkPace(
      async () => ({ position: vectors.position, lag: 1_000 - vectors.position }),
      100,
      everyMs,
    );
    let taken = 0;
    const take = (signal = new AbortController().signal) => pace.next(signal).then(() => taken++);
    return { pace, vectors, take, taken: () => taken };
  }

  it('is that of the sender while the vectors follow', async () => {
    const { pace, take, taken } = behind(950);
    await Promise.all([take(), take(), take()]);
    expect([taken(), await pace.state()]).toEqual([3, 'open']);
  });

  it('is that of the vectors when they lag, over all streams together', async () => {
    const { pace, vectors, take, taken } = behind(100);
    const lines = Array.from({ length: 10 }, () => take());
    await vi.advanceTimersByTimeAsync(3 * everyMs);
    expect([taken(), await pace.state()]).toEqual([0, 'held-back']);
    vectors.position += 8;
    await vi.advanceTimersByTimeAsync(2 * everyMs);
    expect(taken()).toBe(4);
    vectors.position = 950;
    await vi.advanceTimersByTimeAsync(2 * everyMs);
    await Promise.all(lines);
    expect([taken(), await pace.state()]).toEqual([10, 'open']);
  });

  it('is that of the sender when the vectors stand still, or the server stops', async () => {
    const { vectors, take, taken } = behind(100);
    const stop = new AbortController();
    const stopped = take(stop.signal);
    await vi.advanceTimersByTimeAsync(3 * everyMs);
    expect(taken()).toBe(0);
    stop.abort();
    await stopped;
    const waiting = take();
    await vi.advanceTimersByTimeAsync(31_000);
    await waiting;
    expect(taken()).toBe(2);
    vectors.position++;
    await vi.advanceTimersByTimeAsync(everyMs);
    void take();
    await vi.advanceTimersByTimeAsync(everyMs / 2);
    expect(taken()).toBe(2);
  });
});

describe('[I4] ceilings of a credential', () => {
  const ceilings = { context: 2, bulk: 1 } as Ceilings;
  const admission = new Admission(
    undefined as never,
    { places: 1, heavyPlaces: 1, maxWaiting: 1, maxWaitMs: 1 },
    ceilings,
  );
  const caller = (principal: string) => ({ tenant: 'acme', principal }) as TenantContext;
  const [ada, bob] = [caller('ada'), caller('bob')];

  it('count the calls of each shape apart, and those of others not at all', () => {
    const ends = [admission.enter(ada, 'context'), admission.enter(ada, 'context')];
    expect(() => admission.enter(ada, 'context')).toThrow('may have 2 contexts under way at a time');
    admission.enter(ada, 'bulk');
    admission.enter(bob, 'context');
    ends[0]!();
    ends[0]!();
    ends.push(admission.enter(ada, 'context'));
    expect(() => admission.enter(ada, 'context')).toThrow('may have 2 contexts');
  });

  it('know a large search from others', () => {
    expect(searchShape({ query: 'x', topK: 250 })).toBeUndefined();
    expect(searchShape({ query: 'x', topK: 251 })).toBe('largeSearch');
    expect(searchShape({ query: 'x'.repeat(4_001) })).toBe('largeSearch');
    expect(searchShape({ query: 'x'.repeat(4_001) }, 'context')).toBe('context');
    expect(searchShape({ query: 'x', asOf: '1' }, 'context')).toBe('past');
  });
});
