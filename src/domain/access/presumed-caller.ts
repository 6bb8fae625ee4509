import type { TenantContext } from './context.ts';
import { isVisible, visible, type Placement } from './visibility.ts';

/** What the log says of a caller. */
export interface NamedCaller {
  readonly principal: string;
  /** As `actorOf` names it. */
  readonly actor: string;
  readonly onBehalfOf?: string | undefined;
}

/**
 * The least that a caller must have been to have seen these memories. The log has the names of callers with a JWT and not
 * their claims. If no membership explains what was seen, the caller saw the whole tenant.
 */
export function presumedCaller(
  tenant: string,
  { principal, actor, onBehalfOf }: NamedCaller,
  seen: readonly Placement[],
): TenantContext {
  const user = onBehalfOf ?? nameIn(actor, 'user');
  const agent = nameIn(actor, 'agent');
  const namesOf = (layer: 'org' | 'team' | 'project' | 'session' | 'agent') => [
    ...new Set(seen.filter((one) => one.layer === layer).flatMap(({ scope }) => scope[layer] ?? [])),
  ];
  const member: TenantContext = {
    tenant,
    principal,
    roles: [onBehalfOf === undefined ? 'member' : 'agent'],
    ...(user !== undefined && { user }),
    ...(agent !== undefined && { agent }),
    orgs: namesOf('org'),
    teams: namesOf('team'),
    projects: namesOf('project'),
    sessions: namesOf('session'),
    agents: [...new Set([...namesOf('agent'), ...(agent === undefined ? [] : [agent])])],
  };
  const visibility = visible(member);
  return seen.every((placement) => isVisible(visibility, placement))
    ? member
    : { ...member, roles: ['auditor'] };
}

function nameIn(actor: string, kind: 'user' | 'agent'): string | undefined {
  return actor.startsWith(`${kind}:`) ? actor.slice(kind.length + 1) : undefined;
}
