import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openMetrics } from '../../src/adapters/prometheus/metrics.ts';
import { systemTenant } from '../../src/domain/access/context.ts';
import { bootstrapDecisions } from '../../src/domain/learning/bootstrap.ts';
import { explorationRate } from '../../src/domain/learning/exploration.ts';
import { shipped } from '../../src/domain/learning/global-base.ts';
import { learnFrom } from '../../src/domain/learning/policy-decider.ts';
import type { RoutePolicyEvent } from '../../src/domain/learning/policy-events.ts';
import { emptyHistory, evolve } from '../../src/domain/learning/policy-history.ts';
import { routePolicyStream } from '../../src/domain/streams.ts';
import { trainingMetrics } from '../../src/observability/rlm-metrics.ts';
import { Generation } from '../../src/projections/generation.ts';
import { ensureLive } from '../../src/projections/generations.ts';
import { policies } from '../../src/projections/policies/policies.ts';
import { PolicyReader } from '../../src/queries/policies/policy-reader.ts';
import { ReadModels } from '../../src/queries/read-models.ts';
import { WakeUp } from '../../src/support/wake-up.ts';
import { eventContext } from '../../src/commands/context.ts';
import { adminOf } from '../support/admin.ts';
import { openTestStore, type TestStore } from '../support/event-store.ts';
import { follow, startAfresh } from '../support/read-models.ts';

let test: TestStore;
beforeAll(async () => {
  test = await openTestStore();
});
afterAll(() => test.close());
beforeEach(async () => {
  await startAfresh(test);
  await ensureLive(test.sql, policies);
});

/** A step of a tenant's trainer from 24 decisions, written by another process. */
async function learn(tenant: string): Promise<void> {
  const stream = routePolicyStream(tenant);
  const known = await test.store.load<RoutePolicyEvent>(stream);
  const step = learnFrom(known.reduce(evolve, emptyHistory), shipped, bootstrapDecisions(1));
  const context = eventContext({ caller: adminOf(tenant), cause: 'system', correlationId: 'policies' });
  await test.store.append(stream, known.at(-1)?.revision ?? 'noStream', [step], context);
  await follow(test, new Generation(test.sql, policies, 1), () => 10);
}

/** The metrics of a process that starts now. */
function startedProcess() {
  const errors: unknown[] = [];
  const metrics = openMetrics((error) => errors.push(error));
  const reader = new PolicyReader(new ReadModels(test.sql, new WakeUp()));
  trainingMetrics(metrics, () => reader.lastTrained());
  return async (name: string) => {
    const text = await metrics.text();
    expect(errors).toEqual([]);
    return Number(new RegExp(`^memory_rlm_training_${name} (.*)$`, 'm').exec(text)?.[1]);
  };
}

it('[J6] of a new installation show no reward, and the rate at which exploration starts', async () => {
  const shown = startedProcess();
  expect([await shown('reward_count'), await shown('exploration_rate')]).toEqual([0, 0.2]);
});

it('[J6] [C3] after a restart show the exploration rate of the stored state, of the tenant trained last', async () => {
  for (const tenant of ['acme', 'globex', 'acme', systemTenant]) await learn(tenant);
  const shown = startedProcess();
  expect(await shown('exploration_rate')).toBeCloseTo(explorationRate(48), 12);
  expect(await shown('reward_count')).toBe(0);
  // Another process trains.
  await learn('globex');
  await learn('globex');
  expect(await shown('exploration_rate')).toBeCloseTo(explorationRate(72), 12);
});
