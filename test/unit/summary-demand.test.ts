import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SummaryDemand } from '../../src/api/context/summary-demand.ts';
import { developmentIdentity as caller } from '../../src/api/identity/authenticate.ts';
import type { CommandContext, CommandServices } from '../../src/commands/context.ts';
import type { ReadModels } from '../../src/queries/read-models.ts';

const context: CommandContext = { caller, cause: 'system', correlationId: 'c' };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A demand whose look at a scope takes so many milliseconds, and fails, so that it stores nothing. */
function demandTaking(ms: number) {
  const looks: number[] = [];
  const read = () => {
    looks.push(performance.now());
    return new Promise((_, reject) => setTimeout(reject, ms, new Error('no database')));
  };
  const failures: unknown[] = [];
  const demand = new SummaryDemand({
    commands: {} as CommandServices,
    models: { read } as unknown as ReadModels,
    context,
    windowMs: 300_000,
    onFailure: (error) => failures.push(error),
  });
  return { demand, looks, failures };
}

it('[E8] [J9] contexts in close succession look at a large scope for a small share of the time', async () => {
  const { demand, looks, failures } = demandTaking(100);
  const scope = { layer: 'agent', scope: { agent: 'scribe' } } as const;
  for (let at = 0; at < 10_000; at += 50) {
    demand.add(context, [scope]);
    await vi.advanceTimersByTimeAsync(50);
  }
  expect(looks.length).toBeGreaterThan(1);
  expect(looks.length * 100).toBeLessThanOrEqual(600);
  expect(failures).toHaveLength(looks.length);
  // Another scope does not wait for it.
  const before = looks.length;
  demand.add(context, [scope, { ...scope, scope: { agent: 'clerk' } }]);
  expect(looks.length).toBeGreaterThan(before);
});
