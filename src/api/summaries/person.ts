import type { TenantContext } from '../../domain/access/context.ts';
import { invalid } from '../../domain/problems.ts';
import type { Person } from '../../domain/summaries/summary-scope.ts';

/** Whom personalised summaries are asked for; undefined for those for everybody. A session without a user is one of the caller's. */
export function personOf(
  caller: TenantContext,
  { user, session }: { readonly user?: string | undefined; readonly session?: string | undefined },
): Person | undefined {
  if (user === undefined && session === undefined) return undefined;
  const named = user ?? caller.user;
  if (named === undefined)
    throw invalid('user', 'is required with `session`: this credential belongs to no user');
  return { user: named, ...(session !== undefined && { session }) };
}
