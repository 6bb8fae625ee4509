import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RetrySchedule } from '../../src/support/resilience/retry-schedule.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

it('[A5] items that fail are due again after pauses that double up to a limit', () => {
  const schedule = new RetrySchedule<string>({ first: 1_000, longest: 4_000 });
  expect(schedule.isDue('a')).toBe(true);
  for (const pauseMs of [1_000, 2_000, 4_000, 4_000]) {
    schedule.failed('a', 'item a');
    vi.advanceTimersByTime(pauseMs - 1);
    expect([schedule.isDue('a'), schedule.waiting()]).toEqual([false, ['item a']]);
    vi.advanceTimersByTime(1);
    expect([schedule.isDue('a'), schedule.waiting(), schedule.size]).toEqual([true, [], 1]);
  }
  schedule.succeeded('a');
  schedule.failed('a', 'item a');
  vi.advanceTimersByTime(1_000);
  expect(schedule.isDue('a')).toBe(true);
});

it('[A5] items that are not tried any more are forgotten', () => {
  const schedule = new RetrySchedule<string>({ first: 1_000, longest: 4_000 });
  schedule.failed('a', 'item a');
  vi.advanceTimersByTime(5_001);
  expect([schedule.waiting(), schedule.size]).toEqual([[], 0]);
});
