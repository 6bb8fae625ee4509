/** Streams that belong to no tenant carry this name in its place; nobody may take it. */
export const systemTenant = 'system';

export const roles = ['member', 'reader', 'auditor', 'operator', 'admin'] as const;
export type Role = (typeof roles)[number];

/** Who calls, as the credential says: nothing here comes from a request body. */
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
}

export const causes = ['user', 'llm', 'system'] as const;
export type Cause = (typeof causes)[number];

/** The name under which history and audit show a caller: its user, else its agent, else its credential. */
export function actorOf(context: TenantContext): string {
  if (context.user !== undefined) return `user:${context.user}`;
  if (context.agent !== undefined) return `agent:${context.agent}`;
  return context.principal;
}

export function hasRole(context: TenantContext, ...wanted: readonly Role[]): boolean {
  return context.roles.some((role) => wanted.includes(role));
}
