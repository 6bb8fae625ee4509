import { describe, expect, it } from 'vitest';
import { settledBy, withStaleRead, type Operation } from '../../bench/chaos/history.ts';
import {
  alone,
  answeredAfter,
  apartFrom,
  during,
  p95ByTime,
  type Sample,
} from '../../bench/chaos/latency.ts';
import { schedule, type FaultKind } from '../../bench/chaos/schedule.ts';
import type { LogEvent } from '../support/log-reader.ts';
import { randomOf } from '../support/random.ts';

const kinds: readonly FaultKind[] = [
  { name: 'kill', lasts: [500, 3_000] },
  { name: 'freeze', lasts: [2_000, 8_000] },
  { name: 'full disk', lasts: [4_000, 10_000] },
  { name: 'flood', lasts: [6_000, 12_000], isFlood: true },
];
const isFlood = (name: string): boolean => name === 'flood';

describe('the schedule of a chaos run', () => {
  const minutes = 10;
  const schedules = Array.from({ length: 20 }, (_, seed) =>
    schedule(kinds, minutes * 60_000, randomOf(seed)),
  );

  it('is the same for the same seed, and another one for another', () => {
    expect(schedule(kinds, minutes * 60_000, randomOf(7))).toEqual(schedules[7]);
    expect(schedules[8]).not.toEqual(schedules[7]);
  });

  it('repeats no fault before each was drawn once, and leaves calm time at both ends', () => {
    for (const planned of schedules) {
      expect(new Set(planned.slice(0, kinds.length).map(({ name }) => name)).size).toBe(kinds.length);
      expect(planned[0]!.atMs).toBeGreaterThanOrEqual(8_000);
      for (const { atMs, forMs } of planned)
        expect(atMs + forMs).toBeLessThanOrEqual(minutes * 60_000 - 8_000);
    }
  });

  it('lets faults overlap only with a flood that began before', () => {
    let overlaps = 0;
    for (const planned of schedules) {
      for (const [index, { name, atMs }] of planned.entries()) {
        const running = planned.slice(0, index).filter((before) => before.atMs + before.forMs > atMs);
        overlaps += running.length;
        expect(running.every((before) => isFlood(before.name))).toBe(true);
        if (running.length > 0) expect(isFlood(name)).toBe(false);
      }
    }
    expect(overlaps).toBeGreaterThan(0);
  });

  it('has faults in a run of a quarter of a minute too', () => {
    expect(schedule(kinds, 15_000, randomOf(1)).every(({ atMs, forMs }) => atMs + forMs <= 15_000)).toBe(
      true,
    );
  });
});

describe('latencies of a chaos run', () => {
  const sample = (atMs: number, ms: number, isAnswered = true): Sample => ({
    tenant: 'quiet',
    isSearch: true,
    atMs,
    ms,
    isAnswered,
  });
  const fault = { fromMs: 10_000, toMs: 20_000 };

  it('are those of a fault if they were sent during it, and calm if neither it nor the time after it was met', () => {
    const [before, across, within, after, later] = [
      sample(9_000, 10),
      sample(9_990, 500),
      sample(15_000, 10),
      sample(20_500, 10),
      sample(23_000, 10),
    ];
    const samples = [before, across, within, after, later];
    expect(during(samples, [fault])).toEqual([within]);
    expect(apartFrom(samples, [fault])).toEqual([before, later]);
  });

  it('leave out floods during which something else failed', () => {
    const flood = { fromMs: 30_000, toMs: 40_000 };
    const disturbed = { fromMs: 12_000, toMs: 15_000 };
    expect(alone([disturbed, flood], [disturbed, flood, fault])).toEqual([flood]);
  });

  it('name the first answer after the end of a fault', () => {
    const samples = [
      sample(15_000, 9_000),
      sample(20_100, 50, false),
      sample(20_200, 300),
      sample(20_300, 900),
    ];
    expect(answeredAfter(samples, fault)).toBe(500);
    expect(answeredAfter([], fault)).toBeUndefined();
  });

  it('have gaps where nothing was answered', () => {
    expect(p95ByTime([sample(100, 5), sample(2_500, 7), sample(1_200, 9, false)], 1_000, 3_000)).toEqual([
      5,
      undefined,
      7,
    ]);
  });
});

describe('calls without an answer', () => {
  const lost = (requestIds: string[]): Operation => ({
    client: 0,
    memory: 'm',
    kind: 'delete',
    call: 5,
    requestIds,
  });
  const event: LogEvent = {
    tenant: 'acme',
    stream: 'memory-acme.m',
    revision: 4,
    position: 9,
    type: 'MemoryDeleted',
    correlationId: 'second',
    data: {},
  };

  it('have the effect that the log names, at any time after the call', () => {
    const released = { ...event, stream: 'fact-acme.hash', revision: 0, type: 'FactReleased' };
    const [settled, ...others] = settledBy([event, released], [lost(['first', 'second'])]);
    expect(settled).toMatchObject({ call: 5, answer: { status: 200, revision: 4, deleted: true } });
    expect(settled).not.toHaveProperty('return');
    expect(others).toEqual([]);
  });

  it('are left out if they are not in the log', () => {
    expect(settledBy([event], [lost(['third'])])).toEqual([]);
  });
});

describe('the control of the linearizability checker', () => {
  const write = (revision: number, call: number): Operation => ({
    client: 0,
    memory: 'm',
    kind: 'write',
    value: `v${revision}`,
    call,
    return: call + 1,
    answer: { status: 200, revision, value: `v${revision}`, deleted: false },
  });
  const read: Operation = {
    client: 1,
    memory: 'm',
    kind: 'read',
    call: 10,
    return: 11,
    answer: { status: 200, revision: 1, value: 'v1', deleted: false },
  };

  it('makes one read stale that began after a write was acknowledged', () => {
    expect(withStaleRead([write(1, 1), read])?.[1]!.answer).toMatchObject({ revision: 0, value: 'v0' });
  });

  it('has no place in a history without such a read', () => {
    expect(withStaleRead([read, write(1, 10)])).toBeUndefined();
  });
});
