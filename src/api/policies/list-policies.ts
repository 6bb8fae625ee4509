import { z } from 'zod';
import { systemTenant } from '../../domain/access/context.ts';
import { explorationRate } from '../../domain/learning/exploration.ts';
import { baseOf } from '../../domain/learning/global-base.ts';
import { observedFigures } from '../../domain/learning/observed-figures.ts';
import { candidateOf, type PolicyHistory } from '../../domain/learning/policy-history.ts';
import { evidenceForLook } from '../../domain/learning/looks.ts';
import type { RoutePolicy } from '../../domain/learning/route-policy.ts';
import { rulePolicy } from '../../domain/learning/route-policy.ts';
import { waitFields } from '../fields.ts';
import { operation } from '../operation.ts';
import { policyListExample } from './examples.ts';
import { policyList } from './policy-schema.ts';
import { policyReaders } from './roles.ts';

export const policies = operation({
  name: 'policies',
  summary: 'List the versions of the policy that chooses routes, with their figures',
  area: 'Administration',
  input: z.strictObject(waitFields),
  output: policyList,
  examples: { input: {}, output: policyListExample },
  access: policyReaders,
  reads: 'read-models',
  async handle({ caller, services, wait }) {
    const { tenant } = caller;
    const [history, system, log] = await Promise.all([
      services.policies.history(tenant, wait),
      services.policies.history(systemTenant),
      services.learning.decisions(tenant),
    ]);
    const candidate = candidateOf(history, baseOf(system));
    const observed = observedFigures(log);
    const { incumbent, canary, looks, trainer } = history;
    const items = versionsOf(history, candidate).map(({ policy, ...record }) => ({
      ...record,
      version: policy.version,
      state: stateOf(history, candidate, policy.version),
      ...(observed.has(policy.version) && { observed: observed.get(policy.version) }),
    }));
    const output = {
      inForce: incumbent.version,
      ...(canary && { canary: canary.version }),
      candidate: candidate.version,
      decisions: trainer.decisions,
      exploration: explorationRate(trainer.decisions),
      looks,
      needed: evidenceForLook(looks),
      items,
    };
    return { output };
  },
});

/** The rule, the versions that are known, and the candidate if no step has made it. */
function versionsOf({ versions }: PolicyHistory, candidate: RoutePolicy) {
  const known = versions.map(({ at, ...record }) => ({ ...record, learnedAt: at }));
  const isKnown = (version: string) => known.some(({ policy }) => policy.version === version);
  return [
    ...(isKnown(rulePolicy.version) ? [] : [{ policy: rulePolicy, bootstrap: false }]),
    ...known,
    ...(isKnown(candidate.version) ? [] : [{ policy: candidate, bootstrap: false }]),
  ];
}

function stateOf(
  { incumbent, canary, learned, earlier }: PolicyHistory,
  candidate: RoutePolicy,
  version: string,
) {
  if (incumbent.version === version) return 'in-force' as const;
  if (canary?.version === version) return 'canary' as const;
  if (candidate.version === version) return 'candidate' as const;
  if (learned?.version === version) return 'learning' as const;
  return earlier.some((policy) => policy.version === version)
    ? ('earlier' as const)
    : ('superseded' as const);
}
