import type { Meter } from '@opentelemetry/api';
import { systemTenant } from '../domain/access/context.ts';
import { explorationRate } from '../domain/learning/exploration.ts';
import type { PolicyUpdate } from '../domain/learning/policy-events.ts';

/** Rewards that policies learned from, and the share of questions that explore. The returned function counts one step. */
export function trainingMetrics(meter: Meter): (tenant: string, step: PolicyUpdate) => void {
  const reward = meter.createHistogram('memory.rlm.training.reward', {
    description: 'Rewards of the decisions that route policies learned from, −1 to 1',
    advice: { explicitBucketBoundaries: [-0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 0.9] },
  });
  const rate = meter.createGauge('memory.rlm.training.exploration_rate', {
    description:
      'Share of the questions that take another route to learn from it, of the tenant trained last',
  });
  return (tenant, { data: { consumed, state } }) => {
    for (const one of consumed) reward.record(one.reward);
    if (tenant !== systemTenant) rate.record(explorationRate(state.decisions));
  };
}
