import { z } from 'zod';
import { systemTenant } from '../../domain/access/context.ts';
import { explorationRate } from '../../domain/learning/exploration.ts';
import { baseOf } from '../../domain/learning/global-base.ts';
import { observedFigures } from '../../domain/learning/observed-figures.ts';
import { candidateOf, type Base, type PolicyHistory } from '../../domain/learning/policy-history.ts';
import { evidenceForLook } from '../../domain/learning/looks.ts';
import type { RoutePolicy } from '../../domain/learning/route-policy.ts';
import { rulePolicy } from '../../domain/learning/route-policy.ts';
import { readPolicyHistory } from '../../queries/policies/policy-reader.ts';
import { untilLogReaches } from '../../queries/read-models.ts';
import { asOfField, waitFields } from '../fields.ts';
import { operation, type Wait } from '../operation.ts';
import type { Services } from '../services.ts';
import { policyListExample } from './examples.ts';
import { policyList } from './policy-schema.ts';
import { policyReaders } from './roles.ts';

export const policies = operation({
  name: 'policies',
  summary: 'List the versions of the policy that chooses routes, with their figures',
  area: 'Administration',
  input: z.strictObject({ asOf: asOfField, ...waitFields }),
  output: policyList,
  examples: { input: {}, output: policyListExample },
  access: policyReaders,
  reads: 'read-models',
  async handle({ caller, services, asOf, wait }) {
    const { tenant } = caller;
    const { history, base, observed } = await (asOf === undefined
      ? policiesNow(services, tenant, wait)
      : policiesThen(services, tenant, asOf, wait.waitMs));
    const candidate = candidateOf(history, base);
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

interface KnownPolicies {
  readonly history: PolicyHistory;
  readonly base: Base;
  readonly observed: ReturnType<typeof observedFigures>;
}

async function policiesNow(services: Services, tenant: string, wait: Wait): Promise<KnownPolicies> {
  const [history, system, log] = await Promise.all([
    services.policies.history(tenant, wait),
    services.policies.history(systemTenant),
    services.learning.decisions(tenant),
  ]);
  return { history, base: baseOf(system), observed: observedFigures(log) };
}

/** Outcomes of searches are not kept by position, so the versions have no figures of searches. */
async function policiesThen(
  { commands: { store } }: Services,
  tenant: string,
  asOf: number,
  waitMs: number | undefined,
): Promise<KnownPolicies> {
  await untilLogReaches(store.log, asOf, waitMs);
  const [history, system] = await Promise.all([
    readPolicyHistory(store, tenant, asOf),
    readPolicyHistory(store, systemTenant, asOf),
  ]);
  return { history, base: baseOf(system), observed: observedFigures([]) };
}

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
