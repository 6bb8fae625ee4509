import type { Base, PolicyHistory } from './policy-history.ts';
import { learnedFeatures, shippedBase, tenantShare, type ArmWeights } from './route-policy.ts';
import type { Arm } from './logged-decision.ts';

/** The base that the program comes with. */
export const shipped: Base = { version: 'base-0', weights: shippedBase };

/** The base after what all tenants have taught it: its own weights are shrunk by how much data they come from, as a tenant's are. */
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
