import { groupBy } from '../group-by.ts';
import { learnFrom, stepped } from './policy-decider.ts';
import type { Base, PolicyHistory } from './policy-history.ts';
import type { PolicyUpdate } from './policy-events.ts';
import { leastDecisions } from './trainer.ts';
import { learnedFeatures, shippedBase, tenantShare, type ArmWeights } from './route-policy.ts';
import type { Arm, LoggedDecision } from './logged-decision.ts';

/** The base that the program comes with. */
export const shipped: Base = { version: 'base-0', weights: shippedBase };

/** The base with what it has learned from all tenants, shrunk like a tenant's weights: little data moves it little. */
export function baseOf({ learned }: Pick<PolicyHistory, 'learned'>): Base {
  if (!learned) return shipped;
  const share = tenantShare(learned.decisions);
  const arms = [...new Set([...Object.keys(learned.base), ...Object.keys(learned.tenant)] as Arm[])];
  const weights = arms.map((arm) => {
    const [shippedWeights, own] = [learned.base[arm] ?? {}, learned.tenant[arm] ?? {}];
    const names = new Set([...learnedFeatures, ...Object.keys(shippedWeights)]);
    return [
      arm,
      Object.fromEntries(
        [...names].map((name) => [name, (shippedWeights[name] ?? 0) + share * (own[name] ?? 0)]),
      ),
    ];
  });
  return { version: learned.version, weights: Object.fromEntries(weights) as ArmWeights };
}

/** Least number of tenants in a step of the base: none counts for more than a quarter, and the step reveals nothing about one of them. */
export const leastTenants = 4;

export interface TenantDecision {
  readonly tenant: string;
  readonly decision: LoggedDecision;
}

/** Steps of the base, each with decisions of several tenants. The remaining decisions wait until more tenants have some. */
export function stepsOfBase(before: PolicyHistory, waiting: readonly TenantDecision[]): PolicyUpdate[] {
  const queues = groupBy(waiting, ({ tenant }) => tenant);
  const steps: PolicyUpdate[] = [];
  let history = before;
  for (;;) {
    const taken = roundRobin(queues);
    if (taken.length < leastDecisions || new Set(taken.map(({ tenant }) => tenant)).size < leastTenants)
      return steps;
    const tenants = new Map(taken.map(({ tenant, decision }) => [decision.searchId, tenant]));
    const step = learnFrom(
      history,
      shipped,
      // Each tenant counts as one principal, so that no tenant dominates the base.
      taken.map(({ tenant, decision }) => ({ ...decision, principal: tenant })),
      { prefix: 'base', tenantOf: (searchId) => tenants.get(searchId)! },
    );
    steps.push(step);
    history = stepped(history, step);
  }
}

/** Takes as many decisions as a step needs from the queues, one from each tenant in turn. */
function roundRobin(queues: ReadonlyMap<string, TenantDecision[]>): TenantDecision[] {
  const taken: TenantDecision[] = [];
  for (;;) {
    const before = taken.length;
    for (const queue of queues.values()) {
      if (taken.length === leastDecisions) return taken;
      const next = queue.shift();
      if (next) taken.push(next);
    }
    if (taken.length === before) return taken;
  }
}
