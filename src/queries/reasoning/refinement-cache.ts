import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { visible } from '../../domain/access/visibility.ts';
import type { TenantContext } from '../../domain/access/context.ts';
import type { Refinement } from '../../domain/reasoning/refinement.ts';
import type { ReasoningSettings } from '../../domain/reasoning/settings.ts';
import type { Plan } from '../../domain/routing/plan.ts';
import { fold } from '../../domain/text/tokens.ts';

/** Tenants whose refinements are kept: those that asked last. */
const mostTenants = 1_000;

type Limits = Pick<ReasoningSettings, 'cacheSeconds' | 'cacheEntries'>;

interface TenantCache {
  readonly limits: Limits;
  readonly refinements: LRUCache<string, Refinement>;
}

/** What a refinement was made for, as far as another one could come of it. */
export interface RefinementSubject {
  readonly caller: TenantContext;
  readonly question: string;
  readonly plan: Plan;
  readonly model: string;
}

/**
 * What models proposed, in the memory of this process: by tenant, the least recently used going first. A tenant whose
 * limits change begins anew. Nothing that was not a whole and valid answer ever gets here.
 */
export class RefinementCache {
  readonly #tenants = new LRUCache<string, TenantCache>({ max: mostTenants });

  get(subject: RefinementSubject, limits: Limits): Refinement | undefined {
    return this.#of(subject.caller.tenant, limits)?.get(keyOf(subject));
  }

  set(subject: RefinementSubject, refinement: Refinement, limits: Limits): void {
    this.#of(subject.caller.tenant, limits)?.set(keyOf(subject), refinement);
  }

  #of(tenant: string, limits: Limits): LRUCache<string, Refinement> | undefined {
    const { cacheSeconds, cacheEntries } = limits;
    if (cacheSeconds === 0 || cacheEntries === 0) {
      this.#tenants.delete(tenant);
      return undefined;
    }
    const known = this.#tenants.get(tenant);
    if (known?.limits.cacheSeconds === cacheSeconds && known.limits.cacheEntries === cacheEntries)
      return known.refinements;
    // By size and not by number: the library would take the room for that number at once.
    const refinements = new LRUCache<string, Refinement>({
      maxSize: cacheEntries,
      sizeCalculation: () => 1,
      ttl: cacheSeconds * 1_000,
      ttlAutopurge: true,
    });
    this.#tenants.set(tenant, { limits: { cacheSeconds, cacheEntries }, refinements });
    return refinements;
  }
}

/**
 * The question without regard to case and spaces, with who may see what and with the parts that the plan made of it:
 * they hold what the tenant's data name as far as this caller sees it, so that no other caller is ever shown them. A hash,
 * since questions are long.
 */
function keyOf({ caller, question, plan, model }: RefinementSubject): string {
  const normalized = fold(question).replaceAll(/\s+/g, ' ').trim();
  const subject = [caller.tenant, visible(caller), model, normalized, plan];
  return createHash('sha256').update(JSON.stringify(subject)).digest('base64url');
}
