import type { JsonObject } from '../../domain/json.ts';
import { Problem } from '../../domain/problems.ts';
import type { Figures, RoutePolicyEvent } from '../../domain/learning/policy-events.ts';
import { figuresOf, promoteToAll, rollBack } from '../../domain/learning/policy-decider.ts';
import {
  emptyHistory,
  evolve,
  policyWithVersion,
  type Base,
  type PolicyHistory,
} from '../../domain/learning/policy-history.ts';
import { rulePolicy, type RoutePolicy } from '../../domain/learning/route-policy.ts';
import { routePolicyStream } from '../../domain/streams.ts';
import { changeStream } from '../change-stream.ts';
import { callerKey, type CommandContext, type CommandResult, type CommandServices } from '../context.ts';
import type { PolicyLearning } from './policy-learning.ts';

export interface ChangedTraffic extends CommandResult {
  /** The version that has all traffic now. */
  readonly inForce: string;
}

/** The policy of a version, or 404. `rules-1` is always known. */
export function knownPolicy(history: PolicyHistory, version: string, base: Base): RoutePolicy {
  const policy = version === rulePolicy.version ? rulePolicy : policyWithVersion(history, version, base);
  if (!policy) throw new Problem('not-found', 'no such version: GET /v1/admin/policies lists all of them');
  return policy;
}

/**
 * Gives a version all traffic. Without `force` it must be proven: a canary, or a candidate whose evidence would prove it at this
 * moment. Throws `not-proven` with the figures.
 */
export async function promotePolicy(
  services: CommandServices,
  context: CommandContext,
  learning: PolicyLearning,
  { version, force }: { readonly version: string; readonly force: boolean },
): Promise<ChangedTraffic> {
  const { tenant } = context.caller;
  const base = await learning.base();
  const known = await learning.historyOf(tenant);
  const policy = knownPolicy(known, version, base);
  const isCanary = known.canary?.version === version;
  const figures =
    force || isCanary || known.incumbent.version === version
      ? undefined
      : await provenFigures(learning, tenant, known, base, policy);
  return change(services, context, (history) =>
    promoteToAll(history, policy, {
      by: 'operator',
      forced: force && !isCanary,
      ...(figures && { figures }),
    }),
  );
}

async function provenFigures(
  learning: PolicyLearning,
  tenant: string,
  history: PolicyHistory,
  base: Base,
  policy: RoutePolicy,
): Promise<Figures> {
  const { evaluation, verdict, reason, needed } = await learning.evaluate(tenant, history, base, policy);
  const figures = figuresOf(evaluation);
  if (verdict === 'promote') return figures;
  const extra = { figures: figures as unknown as JsonObject, needed };
  throw new Problem('not-proven', `${policy.version} is not proven to be better: ${reason}`, { extra });
}

/**
 * Takes a version out of traffic: the one that had all traffic before it has it again. Throws `policy-not-live` if it has none
 * or is the rule, and `not-found` if it is unknown.
 */
export async function rollBackPolicy(
  services: CommandServices,
  context: CommandContext,
  learning: PolicyLearning,
  version: string,
): Promise<ChangedTraffic> {
  const base = await learning.base();
  return change(services, context, (history) => {
    const event = rollBack(history, version, { by: 'operator', reason: 'operator' });
    if (event) return [event];
    knownPolicy(history, version, base);
    throw new Problem('policy-not-live', whyNotRolledBack(history, version));
  });
}

function whyNotRolledBack({ incumbent, canary }: PolicyHistory, version: string): string {
  const reason =
    version === incumbent.version ? 'it is the rule, which has no predecessor' : 'it has no traffic';
  const live = [incumbent, ...(canary ? [canary] : [])].filter(
    (policy) => policy.version !== rulePolicy.version,
  );
  const instead = ['promote another version', ...live.map((policy) => `roll back ${policy.version}`)];
  return `${version} cannot be rolled back, because ${reason}: ${instead.join(' or ')}`;
}

async function change(
  services: CommandServices,
  context: CommandContext,
  decide: (history: PolicyHistory) => readonly RoutePolicyEvent[],
): Promise<ChangedTraffic> {
  const changed = await changeStream<RoutePolicyEvent>(services, context, {
    stream: routePolicyStream(context.caller.tenant),
    memoryId: '',
    decide: (loaded) => decide(loaded.reduce(evolve, emptyHistory)),
    key: () => callerKey(services.vault, context.caller),
  });
  const { incumbent } = changed.history.reduce(evolve, emptyHistory);
  return { inForce: incumbent.version, position: changed.position, replayed: changed.replayed };
}
