import { identifier, type Scope } from '../layers.ts';
import { invalid, Problem } from '../problems.ts';
import { hasRole, type TenantContext } from './context.ts';

/** Users that a caller of role agent may serve: a name, a prefix that ends in *, or * for every user. */
export const servedUserSchema = identifier.refine(
  (pattern) => !pattern.slice(0, -1).includes('*'),
  'may have a * only at its end: a name, a prefix that ends in *, or * for every user',
);

/** The one user that a caller of role agent acts for. A pattern or a list is a mistake: it would be a user of that name. */
export const actedForSchema = identifier
  .refine((user) => user.trim() !== '', 'must name a user')
  .refine((user) => !/[*,]/.test(user), 'must name one user, without * and commas');

/** The caller as it acts for `user`. Throws `forbidden` unless it is an agent that may serve this user. */
export function actingFor(caller: TenantContext, user: string): TenantContext {
  if (!hasRole(caller, 'agent'))
    throw new Problem('forbidden', 'only a caller of role agent may act on behalf of a user');
  if (!(caller.users ?? []).some((pattern) => covers(pattern, user)))
    throw new Problem('forbidden', `this credential does not serve the user ${user}`);
  return { ...caller, user };
}

function covers(pattern: string, user: string): boolean {
  return pattern.endsWith('*') ? user.startsWith(pattern.slice(0, -1)) : user === pattern;
}

/** The user that an agent acts for; undefined for any other caller. */
export function servedUser(caller: TenantContext): string | undefined {
  return hasRole(caller, 'agent') ? caller.user : undefined;
}

/** Whether the caller is an agent that has not said for which user it acts. */
export function isAgentWithoutUser(caller: TenantContext): boolean {
  return hasRole(caller, 'agent') && caller.user === undefined;
}

/** Throws if an agent names a user in a scope and does not act for this one. */
export function assertNamesServedUser(caller: TenantContext, { user }: Scope): void {
  if (!hasRole(caller, 'agent') || user === undefined || user === caller.user) return;
  throw invalid(
    'scope.user',
    caller.user === undefined
      ? 'an agent names a user only when it acts on behalf of that user'
      : `must be the user that the agent acts for, ${caller.user}, or left out`,
  );
}
