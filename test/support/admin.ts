import type { TenantContext } from '../../src/domain/access/context.ts';

/** A caller who may see everything in a tenant. */
export function adminOf(tenant: string): TenantContext {
  const nowhere = { orgs: [], teams: [], projects: [], sessions: [], agents: [] };
  return { tenant, principal: 'key:1', roles: ['admin'], user: 'ada', ...nowhere };
}
