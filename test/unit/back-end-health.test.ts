import { describe, expect, it, vi } from 'vitest';
import type { BackEnd } from '../../src/backends/back-ends.ts';
import { BackEndHealth } from '../../src/backends/health.ts';

const backEnd = (name: BackEnd['name'], ask: BackEnd['ask']): BackEnd => ({
  name,
  url: 'somewhere',
  ask,
  inspect: () => Promise.reject(new Error('not asked for')),
});

describe('[J7] the health of the servers', () => {
  it('reports for each server whether it answers, even if others do not', async () => {
    const health = new BackEndHealth([
      backEnd('postgres', async () => 'PostgreSQL 18.6'),
      backEnd('kafka', async () => Promise.reject(new Error('nobody listens'))),
    ]);
    expect(await health.states()).toEqual({
      postgres: { state: 'up', version: 'PostgreSQL 18.6' },
      kafka: { state: 'down', error: 'nobody listens' },
    });
  });

  it('checks the servers at most once a second, however often it is read', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const ask = vi.fn<BackEnd['ask']>(async () => 'OpenSearch 2.19.6');
      const health = new BackEndHealth([backEnd('opensearch', ask)]);
      await Promise.all(Array.from({ length: 50 }, () => health.states()));
      expect(ask).toHaveBeenCalledTimes(1);
      vi.advanceTimersByTime(1_001);
      await health.states();
      expect(ask).toHaveBeenCalledTimes(2);
    } finally {
      vi.useRealTimers();
    }
  });

  it('reports within two seconds a server that never answers, and the others', async () => {
    vi.useFakeTimers();
    try {
      const health = new BackEndHealth([
        backEnd('kafka', () => new Promise(() => {})),
        backEnd('postgres', async () => 'PostgreSQL 18.6'),
      ]);
      const states = health.states();
      await vi.advanceTimersByTimeAsync(2_000);
      expect(await states).toEqual({
        kafka: { state: 'down', error: 'no answer within 2000 ms' },
        postgres: { state: 'up', version: 'PostgreSQL 18.6' },
      });
    } finally {
      vi.useRealTimers();
    }
  });
});
