import { PolicyLearning } from '../commands/policies/policy-learning.ts';
import type { CommandServices } from '../commands/context.ts';
import { PolicyReader } from '../queries/policies/policy-reader.ts';
import { LoggedDecisions } from '../queries/policies/logged-decisions.ts';
import { trainingMetrics } from '../observability/rlm-metrics.ts';
import type { WakeUp } from '../support/wake-up.ts';
import { PolicyTrainer } from '../reactors/policy-trainer.ts';
import { systemCommandContext, type Process } from './process.ts';
import type { ReadSide } from './read-side.ts';
import { readModelWaitMs as waitMs, startProcessor, steadyNow } from './start-processor.ts';

interface LearningServices extends Pick<ReadSide, 'models'> {
  readonly services: CommandServices;
}

export interface Learning {
  readonly learning: PolicyLearning;
  readonly decisions: LoggedDecisions;
}

/** What trains and judges the policies of tenants, with its metrics. The roles of a process share it. */
export function openLearning({ config, metrics }: Process, { services, models }: LearningServices): Learning {
  const decisions = new LoggedDecisions(models, { windowMs: config.outcomeWindowMs, now: steadyNow });
  const reader = new PolicyReader(models);
  const learning = new PolicyLearning(
    {
      services,
      decisions,
      historyOf: (tenant, minPosition) => reader.history(tenant, { minPosition, waitMs }),
      onStep: trainingMetrics(metrics, () => reader.lastTrained()),
    },
    systemCommandContext('policies'),
  );
  return { learning, decisions };
}

/** Trains the route policies of tenants, promotes what is proven and rolls back what turns out worse. */
export function startPolicies(own: Process, changed: WakeUp, learning: Learning): void {
  const onFailure = (error: unknown, tenant: string) =>
    own.logger.warn(
      { err: error, tenant },
      'a route policy could not be trained or judged and will be retried',
    );
  startProcessor(own, new PolicyTrainer({ ...learning, changed, onFailure }));
}
