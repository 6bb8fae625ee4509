import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { WakeUp } from '../../src/support/wake-up.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const { signal } = new AbortController();

/** Whether the promise has settled by now. */
async function isSettled(promise: Promise<void>): Promise<boolean> {
  let settled = false;
  void promise.then(() => (settled = true));
  await vi.advanceTimersByTimeAsync(0);
  return settled;
}

it('wakes all sleepers', async () => {
  const wakeUp = new WakeUp();
  const sleepers = [1, 2].map(() => wakeUp.after(wakeUp.count, 1_000, signal));
  expect(await isSettled(sleepers[0]!)).toBe(false);
  wakeUp.wake();
  await Promise.all(sleepers);
  expect(vi.getTimerCount()).toBe(0);
});

it('does not sleep if it was woken since the count was read', async () => {
  const wakeUp = new WakeUp();
  const seen = wakeUp.count;
  wakeUp.wake();
  expect(await isSettled(wakeUp.after(seen, 1_000, signal))).toBe(true);
});

it('sleeps no longer than the given time, or until the signal aborts', async () => {
  const wakeUp = new WakeUp();
  const timed = wakeUp.after(wakeUp.count, 1_000, signal);
  await vi.advanceTimersByTimeAsync(999);
  expect(await isSettled(timed)).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(await isSettled(timed)).toBe(true);
  const closing = new AbortController();
  const aborted = wakeUp.after(wakeUp.count, 1_000, closing.signal);
  closing.abort();
  expect(await isSettled(aborted)).toBe(true);
  expect(await isSettled(wakeUp.after(wakeUp.count, 1_000, closing.signal))).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

it('sleeps until something is due, and for 30 s at most', async () => {
  const wakeUp = new WakeUp();
  const cases = [
    [100, 100],
    [60_000, 30_000],
    [-1, 30_000],
    [undefined, 30_000],
  ] as const;
  for (const [dueMs, sleepMs] of cases) {
    const sleeping = wakeUp.afterDue(wakeUp.count, dueMs, signal);
    await vi.advanceTimersByTimeAsync(sleepMs - 1);
    expect(await isSettled(sleeping)).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await isSettled(sleeping)).toBe(true);
  }
});
