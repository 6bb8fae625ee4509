import type { PoliciesInForce } from '../../domain/learning/choose-route.ts';
import { rulePolicy, shippedBase } from '../../domain/learning/route-policy.ts';

/** The policies that choose routes. */
export interface RoutePolicies {
  /** Called for every search, so it answers from memory whenever it can, and with the same object while nothing has changed. */
  inForce(tenant: string): Promise<PoliciesInForce>;
}

const rules: PoliciesInForce = {
  incumbent: rulePolicy,
  candidate: { ...rulePolicy, base: shippedBase },
  canary: 0,
  decisions: 0,
};

/** The rule for every tenant. */
export const rulesOnly: RoutePolicies = { inForce: async () => rules };
