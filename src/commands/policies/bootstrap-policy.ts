import { bootstrapDecisions } from '../../domain/learning/bootstrap.ts';
import type { RoutePolicyEvent } from '../../domain/learning/policy-events.ts';
import { learnFrom } from '../../domain/learning/policy-decider.ts';
import { emptyHistory, evolve } from '../../domain/learning/policy-history.ts';
import { routePolicyStream } from '../../domain/streams.ts';
import { changeStream } from '../change-stream.ts';
import { callerKey, type CommandContext, type CommandResult, type CommandServices } from '../context.ts';
import type { PolicyLearning } from './policy-learning.ts';

export interface Bootstrapped extends CommandResult {
  /** The version of the last step, which is an earlier one if the tenant's trainer had learned something already. */
  readonly version: string;
  readonly learnedFrom: number;
}

/** Lets the trainer of the caller's tenant begin with synthetic decisions. Changes nothing if it has learned something already. */
export async function bootstrapPolicy(
  services: CommandServices,
  context: CommandContext,
  learning: PolicyLearning,
  threshold: number,
): Promise<Bootstrapped> {
  const { tenant } = context.caller;
  const base = await learning.base();
  const { history, position, replayed, isUnchanged } = await changeStream<RoutePolicyEvent>(
    services,
    context,
    {
      stream: routePolicyStream(tenant),
      memoryId: '',
      decide: (loaded) => {
        const known = loaded.reduce(evolve, emptyHistory);
        return known.trainer.steps > 0 ? [] : [learnFrom(known, base, bootstrapDecisions(threshold))];
      },
      key: () => callerKey(services.vault, context.caller),
    },
  );
  const appended = replayed || isUnchanged ? undefined : history.at(-1)?.event;
  if (appended?.type === 'PolicyUpdated') learning.took(tenant, appended, position);
  // What was learned may have been rejected since, but the last step is among the latest versions.
  const { versions } = history.reduce(evolve, emptyHistory);
  const last = versions.findLast(({ learnedFrom }) => learnedFrom !== undefined)!;
  const learnedFrom = isUnchanged ? 0 : last.learnedFrom!;
  return { version: last.policy.version, learnedFrom, position, replayed };
}
