import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Backoff } from '../../src/support/resilience/backoff.ts';
import { retryAfterMs } from '../../src/support/resilience/retry-after.ts';
import { retry, type RetryOptions } from '../../src/support/resilience/retry.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('back-off', () => {
  it('doubles the delay up to the longest, and starts again after progress', () => {
    const backoff = new Backoff({ firstMs: 100, longestMs: 500 });
    expect([1, 2, 3, 4, 5].map(() => backoff.next())).toEqual([100, 200, 400, 500, 500]);
    backoff.reset();
    expect(backoff.next()).toBe(100);
  });

  it('grows by another factor if configured', () => {
    const backoff = new Backoff({ firstMs: 50, factor: 4, longestMs: 800 });
    expect([1, 2, 3, 4].map(() => backoff.next())).toEqual([50, 200, 800, 800]);
  });

  it('has a constant delay without a longest one, and stays there after thousands of failures', () => {
    const backoff = new Backoff({ firstMs: 70 });
    for (let n = 0; n < 2_000; n++) backoff.next();
    expect(backoff.next()).toBe(70);
  });

  it('reduces the delay by the random share', () => {
    const random = vi.fn<() => number>().mockReturnValueOnce(0).mockReturnValueOnce(1);
    const backoff = new Backoff({ firstMs: 100, longestMs: 1_000, jitter: 0.25 }, random);
    expect([backoff.next(), backoff.next()]).toEqual([100, 150]);
  });
});

describe('retry', () => {
  /** Fails `failures` times, then succeeds. Records when each attempt started. */
  function run(failures: number, options: RetryOptions, failure: (attempt: number) => Error = broken) {
    const starts: number[] = [];
    const began = performance.now();
    const outcome = retry(async ({ number }) => {
      starts.push(performance.now() - began);
      if (number <= failures) throw failure(number);
      return `attempt ${number}`;
    }, options).catch((error: unknown) => String(error));
    return { starts, outcome };
  }
  const broken = (attempt: number) => new Error(`broken ${attempt}`);

  it('repeats with growing delays until the work resolves', async () => {
    const { starts, outcome } = run(3, { firstMs: 100, longestMs: 250 });
    await vi.runAllTimersAsync();
    expect(await outcome).toBe('attempt 4');
    expect(starts).toEqual([0, 100, 300, 550]);
  });

  it('rejects with the last error after the last attempt', async () => {
    const { starts, outcome } = run(9, { firstMs: 10, attempts: 3 });
    await vi.runAllTimersAsync();
    expect(await outcome).toBe('Error: broken 3');
    expect(starts).toHaveLength(3);
  });

  it('starts no attempt after the deadline, and does not wait for one', async () => {
    const { starts, outcome } = run(9, { firstMs: 100, longestMs: 1_000, deadlineMs: 701 });
    await vi.runAllTimersAsync();
    expect(await outcome).toBe('Error: broken 4');
    expect(starts).toEqual([0, 100, 300, 700]);
    const late = run(9, { firstMs: 100, longestMs: 1_000, deadlineMs: 700 });
    await vi.runAllTimersAsync();
    expect(late.starts).toEqual([0, 100, 300]);
  });

  it('does not repeat after an error that is not retryable', async () => {
    const { starts, outcome } = run(9, { firstMs: 10, isRetryable: (error) => !String(error).includes('2') });
    await vi.runAllTimersAsync();
    expect(await outcome).toBe('Error: broken 2');
    expect(starts).toHaveLength(2);
  });

  it('waits as long as the server asks', async () => {
    const { starts, outcome } = run(2, {
      firstMs: 10,
      longestMs: 100,
      delayOf: (error) => (String(error).includes('1') ? 700 : undefined),
    });
    await vi.runAllTimersAsync();
    expect(await outcome).toBe('attempt 3');
    expect(starts).toEqual([0, 700, 720]);
  });

  it('cuts a delay short when the signal aborts', async () => {
    const closing = new AbortController();
    const { starts, outcome } = run(9, { firstMs: 60_000, signal: closing.signal });
    await vi.advanceTimersByTimeAsync(1_000);
    closing.abort();
    expect(await outcome).toBe('Error: broken 1');
    expect(starts).toEqual([0]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('counts from the start again after progress', async () => {
    const starts: number[] = [];
    const began = performance.now();
    const outcome = retry(
      async ({ number, madeProgress }) => {
        starts.push(performance.now() - began);
        if (number === 3) madeProgress();
        if (number < 5) throw broken(number);
      },
      { firstMs: 100, longestMs: 10_000 },
    );
    await vi.runAllTimersAsync();
    await outcome;
    expect(starts).toEqual([0, 100, 300, 400, 600]);
  });
});

describe('Retry-After', () => {
  it('is read from seconds or a date', () => {
    vi.setSystemTime('2026-03-04T05:06:07Z');
    expect(retryAfterMs('2')).toBe(2_000);
    expect(retryAfterMs(' 0.5 ')).toBe(500);
    expect(retryAfterMs('Wed, 04 Mar 2026 05:06:17 GMT')).toBe(10_000);
    expect(retryAfterMs('Wed, 04 Mar 2026 05:06:00 GMT')).toBe(0);
    for (const none of [null, undefined, 'soon']) expect(retryAfterMs(none)).toBeUndefined();
  });
});
