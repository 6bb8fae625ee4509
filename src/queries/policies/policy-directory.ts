import { systemTenant } from '../../domain/access/context.ts';
import type { PoliciesInForce } from '../../domain/learning/choose-route.ts';
import { baseOf } from '../../domain/learning/global-base.ts';
import { candidateOf, type PolicyHistory } from '../../domain/learning/policy-history.ts';
import { canaryShare } from '../../domain/learning/promotion.ts';
import { FreshCache } from '../../support/fresh-cache.ts';
import type { RoutePolicies } from '../routing/route-policies.ts';

interface Known {
  /** The revisions of the histories that the policies were computed from. */
  readonly version: string;
  readonly policies: PoliciesInForce;
}

/** Cache of the policies in force of each tenant. They are computed again only if the histories have changed. */
export class PolicyDirectory implements RoutePolicies {
  readonly #historyOf: (tenant: string) => Promise<PolicyHistory>;
  readonly #known = new FreshCache<Known>({ max: 10_000, freshMs: 1_000, refreshMs: 500 });

  constructor(historyOf: (tenant: string) => Promise<PolicyHistory>) {
    this.#historyOf = historyOf;
  }

  async inForce(tenant: string): Promise<PoliciesInForce> {
    const { policies } = await this.#known.get(tenant, (last) => this.#read(tenant, last));
    return policies;
  }

  async #read(tenant: string, last: Known | undefined): Promise<Known> {
    const [history, system] = await Promise.all([this.#historyOf(tenant), this.#historyOf(systemTenant)]);
    const version = `${history.revision}/${system.revision}`;
    return last?.version === version ? last : { version, policies: policiesOf(history, system) };
  }
}

function policiesOf(history: PolicyHistory, system: PolicyHistory): PoliciesInForce {
  const { incumbent, canary, trainer } = history;
  return {
    incumbent,
    candidate: candidateOf(history, baseOf(system)),
    canary: canary ? canaryShare : 0,
    decisions: trainer.decisions,
  };
}
