import { LRUCache } from 'lru-cache';
import { systemTenant } from '../../domain/access/context.ts';
import type { PoliciesInForce } from '../../domain/learning/choose-route.ts';
import { baseOf } from '../../domain/learning/global-base.ts';
import { candidateOf, type PolicyHistory } from '../../domain/learning/policy-history.ts';
import { canaryShare } from '../../domain/learning/promotion.ts';
import type { RoutePolicies } from '../routing/route-policies.ts';

/** A change takes effect within this time. */
const freshForMs = 1_000;
/** From this age on it is read again in the background, so that searches of a busy tenant never wait. */
const refreshedAfterMs = 500;
const mostTenants = 10_000;

interface Known {
  readonly version: string;
  readonly policies: PoliciesInForce;
  readonly readAt: number;
}

/** The policies in force of each tenant, cached by the version of what is known of them. */
export class PolicyDirectory implements RoutePolicies {
  readonly #historyOf: (tenant: string) => Promise<PolicyHistory>;
  readonly #known = new LRUCache<string, Known>({ max: mostTenants });
  readonly #reading = new Map<string, Promise<PoliciesInForce>>();

  constructor(historyOf: (tenant: string) => Promise<PolicyHistory>) {
    this.#historyOf = historyOf;
  }

  async inForce(tenant: string): Promise<PoliciesInForce> {
    const known = this.#known.get(tenant);
    const age = known ? performance.now() - known.readAt : Infinity;
    if (known && age < refreshedAfterMs) return known.policies;
    const read = this.#read(tenant);
    if (!known || age >= freshForMs) return read;
    // The next search that cannot wait any longer sees the error.
    read.catch(() => undefined);
    return known.policies;
  }

  #read(tenant: string): Promise<PoliciesInForce> {
    const reading = this.#reading.get(tenant);
    if (reading) return reading;
    const read = this.#fetch(tenant).finally(() => this.#reading.delete(tenant));
    this.#reading.set(tenant, read);
    return read;
  }

  async #fetch(tenant: string): Promise<PoliciesInForce> {
    const readAt = performance.now();
    const [history, system] = await Promise.all([this.#historyOf(tenant), this.#historyOf(systemTenant)]);
    const version = `${history.revision}/${system.revision}`;
    const known = this.#known.get(tenant);
    const policies = known?.version === version ? known.policies : policiesOf(history, system);
    this.#known.set(tenant, { version, policies, readAt });
    return policies;
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
