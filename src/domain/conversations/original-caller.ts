import type { Role, TenantContext } from '../access/context.ts';
import type { Scope } from '../layers.ts';

/** Who recorded a conversation, as the metadata of its event says. */
export interface Origin {
  readonly tenant: string;
  readonly actor: string;
  readonly principal: string;
  readonly onBehalfOf?: string;
}

/**
 * The caller who recorded a conversation, with the rights in this scope that were checked then and with no others: what is drawn from the
 * conversation is stored in that name.
 */
export function originalCaller(
  { tenant, actor, principal, onBehalfOf }: Origin,
  roles: readonly Role[],
  scope: Scope,
): TenantContext {
  const named = (kind: string) => (actor.startsWith(`${kind}:`) ? actor.slice(kind.length + 1) : undefined);
  const user = onBehalfOf ?? named('user');
  const agent = named('agent');
  const of = (value: string | undefined) => (value === undefined ? [] : [value]);
  return {
    tenant,
    principal,
    roles,
    ...(user !== undefined && { user }),
    ...(agent !== undefined && { agent }),
    orgs: of(scope.org),
    teams: of(scope.team),
    projects: of(scope.project),
    sessions: of(scope.session),
    agents: [...new Set([...of(scope.agent), ...of(agent)])],
  };
}
