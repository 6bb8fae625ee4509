import type { Meter } from '@opentelemetry/api';
import { explorationRate } from '../domain/learning/exploration.ts';
import type { PolicyUpdate } from '../domain/learning/policy-events.ts';
import type { Trajectory } from '../domain/retrieval/trajectory.ts';
import type { Route } from '../domain/routing/settings.ts';
import type { Metrics } from '../ports/metrics.ts';

// The names of these metrics, and the values of `route`, are fixed by the specification of the router.

/** The two ways to answer a question, as the specification names them. */
const routeNames: Readonly<Record<Route, string>> = { standard: 'standard', decomposition: 'rlm' };

/** Routes of questions with their complexity. The returned function counts one decision. */
export function routingMetrics(meter: Meter): (route: Route, score: number) => void {
  const decisions = meter.createCounter('memory.rlm.routing.decision', {
    description: 'Number of questions by route: standard, or rlm for those that are decomposed',
  });
  const complexity = meter.createHistogram('memory.rlm.complexity_score', {
    description: 'Complexity score of questions, 0 to 1',
    advice: { explicitBucketBoundaries: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9] },
  });
  for (const route of Object.values(routeNames)) decisions.add(0, { route });
  return (route, score) => {
    decisions.add(1, { route: routeNames[route] });
    complexity.record(score);
  };
}

/** What a decomposition took. */
type Taken = Pick<Trajectory, 'outcome' | 'durationMs' | 'maxDepth' | 'tokens'>;

/** Time, depth and tokens of decompositions, those of the shadow mode included. The returned function counts one. */
export function executionMetrics(meter: Meter): (run: Taken) => void {
  const duration = meter.createHistogram('memory.rlm.execution.duration_ms', {
    description: 'How long the decomposition of a question took, in milliseconds, by outcome',
    advice: { explicitBucketBoundaries: [5, 10, 25, 50, 100, 250, 500, 1_000, 2_000, 5_000, 10_000, 30_000] },
  });
  const depth = meter.createHistogram('memory.rlm.execution.depth', {
    description: 'How many times a part of a decomposed question was split again, by outcome',
    advice: { explicitBucketBoundaries: [0, 1, 2, 3, 4, 5, 6, 7, 8] },
  });
  const tokens = meter.createHistogram('memory.rlm.execution.tokens', {
    description: 'Tokens of the search texts and of the language model calls of a decomposition, by outcome',
    advice: { explicitBucketBoundaries: [10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 20_000] },
  });
  return ({ outcome, ...run }) => {
    duration.record(run.durationMs, { outcome });
    depth.record(run.maxDepth, { outcome });
    tokens.record(run.tokens, { outcome });
  };
}

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
