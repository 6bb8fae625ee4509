import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairQueue, type Waiting } from '../../src/domain/admission/fair-queue.ts';
import { bucketOf, limitOf, limitsSchema } from '../../src/domain/admission/limits.ts';
import { TokenBucket } from '../../src/domain/admission/token-bucket.ts';
import { Turns } from '../../src/api/admission/turns.ts';

describe('[I4] a token bucket', () => {
  const limit = { unitsPerSecond: 2, burst: 6 };

  it('allows its burst, then its rate', () => {
    const bucket = new TokenBucket(limit, 0);
    expect(bucket.take(6, limit, 0)).toMatchObject({ isAllowed: true, remaining: 0, resetsIn: 3 });
    expect(bucket.take(1, limit, 0)).toMatchObject({ isAllowed: false, retryAfter: 0.5 });
    expect(bucket.take(1, limit, 500)).toMatchObject({ isAllowed: true });
  });

  it('allows what costs more than the burst once it is full, and makes the caller wait for it afterwards', () => {
    const bucket = new TokenBucket(limit, 0);
    expect(bucket.take(10, limit, 0).isAllowed).toBe(true);
    expect(bucket.take(1, limit, 2_000)).toMatchObject({ isAllowed: false, remaining: 0, retryAfter: 0.5 });
  });

  it('never lets more through than burst and rate, and a caller that waits as told is let in', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ cost: fc.double({ min: 0.1, max: 6, noNaN: true }), pause: fc.nat(3_000) })),
        (requests) => {
          const bucket = new TokenBucket(limit, 0);
          let [now, used] = [0, 0];
          for (const { cost, pause } of requests) {
            now += pause;
            const first = bucket.take(cost, limit, now);
            if (!first.isAllowed) {
              now += first.retryAfter * 1_000;
              expect(bucket.take(cost, limit, now).isAllowed).toBe(true);
            }
            used += cost;
            expect(used).toBeLessThanOrEqual(limit.burst + (now / 1_000) * limit.unitsPerSecond + 1e-6);
          }
        },
      ),
    );
  });
});

describe('[I4] limits', () => {
  it('are those of the first role that is named, or of every key', () => {
    const limits = { perKey: { concurrency: 9 }, byRole: { auditor: { concurrency: 1 } } };
    expect(limitOf(limits, ['member', 'auditor'])).toEqual({ concurrency: 1 });
    expect(limitOf(limits, ['member'])).toEqual({ concurrency: 9 });
    expect(limitOf({}, ['member'])).toEqual({});
  });

  it('have a burst of ten seconds unless they say otherwise', () => {
    expect(bucketOf({ unitsPerSecond: 3 })).toEqual({ unitsPerSecond: 3, burst: 30 });
    expect(bucketOf({ concurrency: 3 })).toBeUndefined();
    expect(limitsSchema.safeParse({ perKey: { burst: 3 } }).success).toBe(false);
  });
});

const item = (tenant: string, key: string, cost = 1): Waiting => ({ tenant, key, cost });
const always = () => true;

describe('[I4] a fair queue', () => {
  it('gives a newcomer its turn before what another one has waiting', () => {
    const queue = new FairQueue();
    for (let n = 0; n < 100; n++) queue.push(item('flood', 'k'));
    queue.take(always);
    queue.push(item('quiet', 'k'));
    expect([queue.take(always), queue.take(always)].map((taken) => taken?.tenant)).toContain('quiet');
  });

  it('shares by work among tenants, then among the keys of each', () => {
    const queue = new FairQueue();
    for (let n = 0; n < 60; n++) {
      queue.push(item('one', 'a', 2));
      queue.push(item('two', `key ${n % 3}`));
    }
    const taken = Array.from({ length: 45 }, () => queue.take(always)!);
    const work = (of: (waiting: Waiting) => boolean) =>
      taken.filter(of).reduce((sum, { cost }) => sum + cost, 0);
    expect(work(({ tenant }) => tenant === 'one')).toBe(30);
    for (const key of ['key 0', 'key 1', 'key 2']) expect(work((each) => each.key === key)).toBe(10);
  });

  it('passes over what does not fit, and forgets what has left', () => {
    const queue = new FairQueue();
    const [heavy, gone, light] = [item('a', 'k', 5), item('b', 'k'), item('b', 'k')];
    for (const each of [heavy, gone, light]) queue.push(each);
    queue.remove(gone);
    expect(queue.take(({ cost }) => cost < 5)).toBe(light);
    expect(queue.take(({ cost }) => cost < 5)).toBeUndefined();
    expect(queue.size).toBe(1);
    expect(queue.take(always)).toBe(heavy);
    expect([queue.size, queue.cost, queue.flows]).toEqual([0, 0, 0]);
  });

  it('lets no tenant with something waiting fall behind another by more than two items', () => {
    const requests = fc.array(
      fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('x', 'y'), fc.integer({ min: 1, max: 5 })),
      { minLength: 1, maxLength: 80 },
    );
    fc.assert(
      fc.property(requests, (all) => {
        const queue = new FairQueue();
        for (const [tenant, key, cost] of all) queue.push(item(tenant, key, cost));
        const had = new Map<string, number>(all.map(([tenant]) => [tenant, 0]));
        const left = new Map(had);
        for (const [tenant] of all) left.set(tenant, left.get(tenant)! + 1);
        while (queue.size > 0) {
          const taken = queue.take(always)!;
          had.set(taken.tenant, had.get(taken.tenant)! + taken.cost);
          left.set(taken.tenant, left.get(taken.tenant)! - 1);
          const waiting = [...had].filter(([tenant]) => left.get(tenant)! > 0).map(([, work]) => work);
          if (waiting.length > 1) expect(Math.max(...waiting) - Math.min(...waiting)).toBeLessThanOrEqual(10);
        }
      }),
    );
  });
});

describe('[I4] turns', () => {
  const options = { places: 2, heavyPlaces: 1, maxWaiting: 3, maxWaitMs: 60_000 };
  const flow = { tenant: 't', key: 'k' };
  const never = new AbortController().signal;

  it('are given up while a request waits for something else, and taken again', async () => {
    const turns = new Turns({ ...options, places: 1 });
    const first = await turns.take(flow, 1, never);
    first.pause();
    const second = await turns.take(flow, 1, never);
    const resumed = first.resume();
    expect([turns.working, turns.waiting]).toEqual([1, 1]);
    second.end();
    await resumed;
    expect([turns.working, turns.waiting]).toEqual([1, 0]);
    first.end();
    expect(turns.working).toBe(0);
  });

  it('keep a place for light requests', async () => {
    const turns = new Turns(options);
    await turns.take(flow, 10, never);
    void turns.take(flow, 10, never);
    const light = await turns.take({ ...flow, key: 'other' }, 1, never);
    expect([turns.working, turns.waiting]).toEqual([2, 1]);
    light.end();
    expect([turns.working, turns.waiting]).toEqual([1, 1]);
  });

  it('are not waited for by those who left', async () => {
    const turns = new Turns({ ...options, places: 1 });
    await turns.take(flow, 1, never);
    const leaving = new AbortController();
    const waiting = turns.take(flow, 1, leaving.signal);
    leaving.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
    expect(turns.waiting).toBe(0);
  });

  it('are refused where too many wait, but not to one with nothing waiting', async () => {
    const turns = new Turns({ ...options, places: 1 });
    await turns.take(flow, 1, never);
    for (let n = 0; n < 3; n++) void turns.take(flow, 1, never);
    await expect(turns.take(flow, 1, never)).rejects.toMatchObject({ code: 'overloaded' });
    void turns.take({ ...flow, key: 'quiet' }, 1, never);
    expect([turns.waiting, turns.refused]).toEqual([4, 1]);
  });

  it('are refused where the wait would be too long', async () => {
    const turns = new Turns({ ...options, maxWaiting: 1_000, maxWaitMs: 1_000 });
    await Promise.all([turns.take(flow, 1, never), turns.take(flow, 1, never)]);
    for (let n = 0; n < 20; n++) turns.take(flow, 1, never).catch(() => undefined);
    await expect(turns.take(flow, 10, never)).rejects.toMatchObject({ code: 'overloaded', retryAfter: 1 });
  });
});
