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
  const last = history.at(-1)?.event;
  const isAppended = !replayed && !isUnchanged;
  if (isAppended && last?.type === 'PolicyUpdated') learning.took(tenant, last, position);
  const { learned, versions } = history.reduce(evolve, emptyHistory);
  const learnedFrom = isUnchanged ? 0 : (versions.at(-1)?.learnedFrom ?? 0);
  return { version: learned!.version, learnedFrom, position, replayed };
}
