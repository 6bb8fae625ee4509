import { explorationRate } from '../domain/learning/exploration.ts';
import type { PolicyUpdate } from '../domain/learning/policy-events.ts';
import type { Metrics } from '../ports/metrics.ts';

/**
 * Rewards that policies learned from in this process, and the share of questions that explore. Both are there from the start: the rewards
 * are counted from 0, and the share is read from the stored state. The returned function counts one step.
 *
 * @param lastTrained Number of decisions that the tenant trained last has learned from, 0 before the first step of any tenant.
 */
export function trainingMetrics(
  metrics: Pick<Metrics, 'meter' | 'signedHistogram'>,
  lastTrained: () => Promise<number>,
): (step: PolicyUpdate) => void {
  const reward = metrics.signedHistogram('memory.rlm.training.reward', {
    description:
      'Rewards of the decisions that route policies learned from, −1 to 1, synthetic ones included',
    boundaries: [-0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 0.9],
  });
  metrics.meter
    .createObservableGauge('memory.rlm.training.exploration_rate', {
      description:
        'Share of the questions that take another route to learn from it, of the tenant trained last',
    })
    .addCallback(async (result) => result.observe(explorationRate(await lastTrained())));
  return ({ data: { consumed } }) => {
    for (const one of consumed) reward.record(one.reward);
  };
}
