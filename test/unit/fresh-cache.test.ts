import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FreshCache } from '../../src/support/fresh-cache.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Counts up, and takes `ms` for each load. */
function counter(ms = 0) {
  let loads = 0;
  return vi.fn(async () => {
    const number = ++loads;
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
    return number;
  });
}

it('keeps a value until it is too old', async () => {
  const cache = new FreshCache<number>({ max: 10, freshMs: 1_000 });
  const load = counter();
  expect(await cache.get('a', load)).toBe(1);
  vi.advanceTimersByTime(999);
  expect(await cache.get('a', load)).toBe(1);
  vi.advanceTimersByTime(1);
  expect(await cache.get('a', load)).toBe(2);
  expect(load.mock.calls).toEqual([[undefined], [1]]);
});

it('shares a load between concurrent calls, and counts its age from its start', async () => {
  const cache = new FreshCache<number>({ max: 10, freshMs: 1_000 });
  const load = counter(600);
  const calls = [cache.get('a', load), cache.get('a', load)];
  await vi.advanceTimersByTimeAsync(600);
  expect(await Promise.all(calls)).toEqual([1, 1]);
  vi.advanceTimersByTime(400);
  const later = cache.get('a', load);
  await vi.advanceTimersByTimeAsync(600);
  expect(await later).toBe(2);
});

it('answers no call from a load that was too old when it was asked', async () => {
  const cache = new FreshCache<number>({ max: 10, freshMs: 1_000 });
  const load = counter(1_500);
  const first = cache.get('a', load);
  await vi.advanceTimersByTimeAsync(1_200);
  const second = cache.get('a', load);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await Promise.all([first, second])).toEqual([1, 2]);
});

it('does not cache errors', async () => {
  const cache = new FreshCache<number>({ max: 10, freshMs: 1_000 });
  const load = counter().mockRejectedValueOnce(new Error('down'));
  const calls = await Promise.allSettled([cache.get('a', load), cache.get('a', load)]);
  expect(calls.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await cache.get('a', load)).toBe(1);
});

it('refreshes in the background, and only a caller that cannot wait sees its error', async () => {
  const cache = new FreshCache<number>({ max: 10, freshMs: 1_000, refreshMs: 500 });
  const load = counter();
  await cache.get('a', load);
  vi.advanceTimersByTime(500);
  expect(await cache.get('a', load)).toBe(1);
  expect(await cache.get('a', load)).toBe(2);
  vi.advanceTimersByTime(500);
  load.mockRejectedValue(new Error('down'));
  expect(await cache.get('a', load)).toBe(2);
  vi.advanceTimersByTime(500);
  await expect(cache.get('a', load)).rejects.toThrow('down');
});

it('keeps nothing of a load that was under way when it was cleared', async () => {
  const cache = new FreshCache<number>({ max: 10, freshMs: 1_000 });
  const load = counter(100);
  const outdated = cache.get('a', load);
  cache.clear();
  const current = cache.get('a', load);
  await vi.advanceTimersByTimeAsync(100);
  expect(await Promise.all([outdated, current, cache.get('a', load)])).toEqual([1, 2, 2]);
});

it('leaves time between loads', async () => {
  const cache = new FreshCache<number>({ max: 10, freshMs: 1_000 });
  const load = counter();
  await cache.get('a', load);
  const at = performance.now();
  const calls = [1, 2].map((n) => cache.since('a', at + n, load, 100));
  await vi.advanceTimersByTimeAsync(99);
  expect(load).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await Promise.all(calls)).toEqual([2, 2]);
});

it('keeps no value that must not be kept', async () => {
  const cache = new FreshCache<number>({ max: 10, freshMs: 1_000, isKept: (value) => value > 1 });
  const load = counter();
  expect(await cache.get('a', load)).toBe(1);
  expect(await cache.get('a', load)).toBe(2);
  expect(await cache.get('a', load)).toBe(2);
});
