import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { visible } from '../../domain/access/visibility.ts';
import type { TenantContext } from '../../domain/access/context.ts';
import type { Refinement } from '../../domain/reasoning/refinement.ts';
import type { ReasoningSettings } from '../../domain/reasoning/settings.ts';
import type { Plan } from '../../domain/routing/plan.ts';
import { fold } from '../../domain/text/tokens.ts';
import { TenantSurface } from '../tenant-surface.ts';

/** Maximum number of tenants with cached refinements; the least recently used are evicted. */
const maxTenants = 1_000;

type Limits = Pick<ReasoningSettings, 'cacheSeconds' | 'cacheEntries'>;

interface TenantCache {
  readonly limits: Limits;
  readonly refinements: LRUCache<string, Refinement>;
}

/** Everything that a refinement depends on. */
export interface RefinementSubject {
  readonly caller: TenantContext;
  readonly question: string;
  readonly plan: Plan;
  readonly model: string;
}

/**
 * Caches the proposals of language models in this process, per tenant, evicting the least recently used. A tenant's cache is
 * emptied when its limits change. Only complete and valid answers are cached.
 */
export class RefinementCache {
  readonly #tenants = new LRUCache<string, TenantCache>({ max: maxTenants });
  readonly surface = new TenantSurface('proposals of language models', {
    count: (tenant) => this.#tenants.get(tenant)?.refinements.size ?? 0,
    clear: (tenant) => void this.#tenants.delete(tenant),
  });

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
    // `maxSize` instead of `max`, because the library would allocate `max` entries at once.
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
 * The key of a refinement: a hash, because questions are long. Case and spaces of the question are ignored. The caller's visibility
 * and the plan are part of the key: a refinement contains what this caller may see of the tenant's data, so it must not be reused for
 * a caller who sees other data.
 */
function keyOf({ caller, question, plan, model }: RefinementSubject): string {
  const normalized = fold(question).replaceAll(/\s+/g, ' ').trim();
  const subject = [caller.tenant, visible(caller), model, normalized, plan];
  return createHash('sha256').update(JSON.stringify(subject)).digest('base64url');
}
