import type { TenantContext } from '../../src/domain/access/context.ts';

/** Who may see everything of a tenant. */
export function adminOf(tenant: string): TenantContext {
  const nowhere = { orgs: [], teams: [], projects: [], sessions: [], agents: [] };
  return { tenant, principal: 'key:1', roles: ['admin'], user: 'ada', ...nowhere };
}
