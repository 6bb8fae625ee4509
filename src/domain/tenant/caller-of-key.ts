import type { TenantContext } from '../access/context.ts';
import type { ApiKey } from './tenant.ts';

/** The caller that an API key stands for. Nothing of it ever changes. */
export function callerOfKey(
  tenant: string,
  { id, role, user, orgs, teams, projects, sessions, agents, users }: ApiKey,
): TenantContext {
  const agent = agents.length === 1 ? agents[0] : undefined;
  return {
    tenant,
    principal: `key:${id}`,
    roles: [role],
    ...(user !== undefined && { user }),
    ...(agent !== undefined && { agent }),
    orgs,
    teams,
    projects,
    sessions,
    agents,
    ...(users && { users }),
  };
}
