import { beforeEach, describe, expect, it } from 'vitest';
import {
  CircuitBreaker,
  CircuitBreakers,
  ConsecutiveFailures,
} from '../../src/support/resilience/circuit-breaker.ts';
import { FailureRate } from '../../src/support/resilience/failure-rate.ts';

let now = 0;
beforeEach(() => {
  now = 0;
});
const breakerAfter = (failures: number, trialMs?: number): CircuitBreaker =>
  new CircuitBreaker({
    rule: new ConsecutiveFailures(failures),
    openMs: 1_000,
    ...(trialMs !== undefined && { trialMs }),
    now: () => now,
  });

describe('a circuit breaker', () => {
  it('opens after enough failures in a row', () => {
    const breaker = breakerAfter(3);
    for (const outcome of ['failed', 'failed', 'succeeded', 'failed', 'failed'] as const)
      breaker.enter()![outcome]();
    expect(breaker.isOpen).toBe(false);
    expect(breaker.enter()!.failed()).toBe(true);
    expect(breaker.isOpen).toBe(true);
    expect(breaker.enter()).toBeUndefined();
  });

  it('opens at a share of failures within a window [D-7]', () => {
    const rule = new FailureRate({ windowMs: 300_000, slices: 30, threshold: 0.05, leastCalls: 20 });
    const breaker = new CircuitBreaker({ rule, openMs: 30_000, now: () => now });
    for (let call = 0; call < 20; call++) breaker.enter()!.succeeded();
    expect(breaker.enter()!.failed()).toBe(false);
    expect(breaker.enter()!.failed()).toBe(true);
    now = 30_000;
    breaker.enter()!.succeeded();
    // A successful trial forgets what was counted before.
    expect(breaker.enter()!.failed()).toBe(false);
    expect(breaker.isOpen).toBe(false);
  });

  it('allows one trial after the pause: its success closes the breaker, its failure opens it again', () => {
    const breaker = breakerAfter(1);
    breaker.enter()!.failed();
    now = 999;
    expect(breaker.enter()).toBeUndefined();
    now = 1_000;
    const trial = breaker.enter()!;
    expect(breaker.enter()).toBeUndefined();
    now = 1_500;
    expect(trial.failed()).toBe(true);
    now = 2_499;
    expect(breaker.enter()).toBeUndefined();
    now = 2_500;
    breaker.enter()!.succeeded();
    expect(breaker.isOpen).toBe(false);
    expect(breaker.enter()).toBeDefined();
  });

  it('allows another trial if the first reports nothing', () => {
    const breaker = breakerAfter(1, 200);
    breaker.enter()!.failed();
    now = 1_000;
    breaker.enter();
    now = 1_199;
    expect(breaker.enter()).toBeUndefined();
    now = 1_200;
    expect(breaker.enter()).toBeDefined();
  });

  it('is not changed by calls that were allowed before it opened', () => {
    const breaker = breakerAfter(1);
    const [early, other] = [breaker.enter()!, breaker.enter()!];
    breaker.enter()!.failed();
    now = 500;
    expect(early.failed()).toBe(false);
    other.succeeded();
    expect(breaker.isOpen).toBe(true);
    now = 1_000;
    expect(breaker.enter()).toBeDefined();
  });
});

describe('circuit breakers by key', () => {
  it('are independent, and count those that are open', () => {
    const breakers = new CircuitBreakers(() => breakerAfter(1));
    breakers.of('a').enter()!.failed();
    expect(breakers.of('a').enter()).toBeUndefined();
    expect(breakers.of('b').enter()).toBeDefined();
    expect(breakers.open).toBe(1);
  });

  it('keep the most recently used ones', () => {
    const breakers = new CircuitBreakers(() => breakerAfter(1), 2);
    for (const key of ['a', 'b', 'c']) breakers.of(key).enter()!.failed();
    expect(breakers.open).toBe(2);
    expect(breakers.of('a').isOpen).toBe(false);
  });
});
