import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FailureRate, type FailureRateOptions } from '../../src/support/resilience/failure-rate.ts';

const options: FailureRateOptions = { windowMs: 300_000, slices: 30, threshold: 0.05, leastCalls: 20 };
const sliceMs = options.windowMs / options.slices;

const calls = fc.array(fc.record({ after: fc.integer({ min: 0, max: 30_000 }), failed: fc.boolean() }), {
  maxLength: 120,
});

describe('the failure rate of a window', () => {
  it('[D-7] is too high exactly if more than the threshold of enough calls failed, to the precision of a slice', () => {
    fc.assert(
      fc.property(calls, (sequence) => {
        const rate = new FailureRate(options);
        const past: { at: number; failed: boolean }[] = [];
        let now = 0;
        for (const { after, failed } of sequence) {
          now += after;
          rate.record(failed, now);
          past.push({ at: now, failed });
          // Whole slices: the current one and the 29 before it.
          const oldest = (Math.floor(now / sliceMs) - options.slices + 1) * sliceMs;
          const within = past.filter(({ at }) => at >= oldest);
          const failures = within.filter((call) => call.failed).length;
          const expected = within.length >= 20 && failures / within.length > 0.05;
          expect(rate.isTripped(now)).toBe(expected);
        }
      }),
    );
  });

  it('[D-7] never counts one failure as too many but two of twenty, and forgets them after five minutes', () => {
    const rate = new FailureRate(options);
    for (let count = 0; count < 19; count++) rate.record(false, 0);
    rate.record(true, 0);
    expect(rate.isTripped(0)).toBe(false);
    rate.record(true, 0);
    expect(rate.isTripped(0)).toBe(true);
    expect(rate.isTripped(299_999)).toBe(true);
    expect(rate.isTripped(300_000)).toBe(false);
    rate.reset();
    expect(rate.isTripped(0)).toBe(false);
  });

  it('[D-7] is never too high with fewer calls, however many of them failed', () => {
    const rate = new FailureRate(options);
    for (let count = 0; count < 19; count++) rate.record(true, count);
    expect(rate.isTripped(19)).toBe(false);
    rate.record(true, 20);
    expect(rate.isTripped(20)).toBe(true);
  });
});
