/** Reserved tenant id of streams that belong to no tenant. */
export const systemTenant = 'system';

export const roles = ['agent', 'member', 'reader', 'auditor', 'operator', 'admin'] as const;
export type Role = (typeof roles)[number];

/**
 * The caller as established by the credential. Nothing in it comes from the request body, and from its headers only the user
 * that an agent acts for.
 */
export interface TenantContext {
  readonly tenant: string;
  /** The credential itself: `key:<id>`, `jwt:<subject>`, `jwt-claims:<hash>`, `development` or `system`. */
  readonly principal: string;
  readonly roles: readonly Role[];
  readonly user?: string;
  readonly agent?: string;
  readonly orgs: readonly string[];
  readonly teams: readonly string[];
  readonly projects: readonly string[];
  readonly sessions: readonly string[];
  readonly agents: readonly string[];
  /** For role agent: the users that it may serve, as in `servedUserSchema`. */
  readonly users?: readonly string[];
}

export const causes = ['user', 'llm', 'system'] as const;
export type Cause = (typeof causes)[number];

/**
 * The caller's name in history and audit: the user if known, else the agent, else the credential. For a caller of role agent it is the
 * agent, even if it acts for a user.
 */
export function actorOf(context: TenantContext): string {
  if (context.user !== undefined && !hasRole(context, 'agent')) return `user:${context.user}`;
  if (context.agent !== undefined) return `agent:${context.agent}`;
  return context.principal;
}

export function hasRole(context: TenantContext, ...wanted: readonly Role[]): boolean {
  return context.roles.some((role) => wanted.includes(role));
}
