import type { PoliciesInForce } from '../../src/domain/learning/choose-route.ts';
import { rulePolicy, shippedBase } from '../../src/domain/learning/route-policy.ts';
import type { RoutePolicies } from '../../src/queries/routing/route-policies.ts';

const rules: PoliciesInForce = {
  incumbent: rulePolicy,
  candidate: { ...rulePolicy, base: shippedBase },
  canary: 0,
  decisions: 0,
};

/** The rule for every tenant. */
export const rulesOnly: RoutePolicies = { inForce: async () => rules };
