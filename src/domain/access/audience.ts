import { scopeKeys } from '../layers.ts';
import type { Role, TenantContext } from './context.ts';
import { isVisible, visible, type Placement } from './visibility.ts';

/** Where the callers with each identifier of a scope have it in their context. */
const listOf = {
  org: 'orgs',
  team: 'teams',
  project: 'projects',
  session: 'sessions',
  agent: 'agents',
} as const;

/** A user that no scope names: control characters are no part of identifiers. */
const somebody = '\u0000';

/**
 * Whether everybody who sees memories at `inner` also sees those at `outer`. It is enough to ask the callers who see `inner` by the fewest
 * identifiers: by one, or by their role alone. More identifiers show more, never less.
 */
export function audienceContains(outer: Placement, inner: Placement): boolean {
  return leastCallers(inner).every((caller) => {
    const visibility = visible(caller);
    return !isVisible(visibility, inner) || isVisible(visibility, outer);
  });
}

/** Callers of each role whose visibility differs, with at most one identifier of the scope; agents also act for users. */
function leastCallers({ scope }: Placement): TenantContext[] {
  const roles: readonly Role[] = ['member', 'reader', 'agent'];
  const identifiers = scopeKeys.flatMap((key): Partial<TenantContext>[] => {
    const value = scope[key];
    if (value === undefined) return [];
    return [key === 'user' ? { user: value } : { [listOf[key]]: [value] }];
  });
  return roles.flatMap((role) =>
    [{}, ...identifiers].flatMap((identifier) => {
      const caller: TenantContext = { ...nobody, roles: [role], ...identifier };
      return role === 'agent' ? [caller, { ...caller, user: caller.user ?? somebody }] : [caller];
    }),
  );
}

const nobody: TenantContext = {
  tenant: '',
  principal: '',
  roles: [],
  orgs: [],
  teams: [],
  projects: [],
  sessions: [],
  agents: [],
};
