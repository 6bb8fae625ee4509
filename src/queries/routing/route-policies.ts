import type { PoliciesInForce } from '../../domain/learning/choose-route.ts';

/** The policies that choose routes. */
export interface RoutePolicies {
  /** Called for every search, so it answers from memory whenever it can, and with the same object while nothing has changed. */
  inForce(tenant: string): Promise<PoliciesInForce>;
}
