import { hasRole, type Cause, type TenantContext } from '../access/context.ts';
import { invalid } from '../problems.ts';
import { isBelow, type TrustSource } from './trust.ts';

/**
 * Where a text comes from, by the credential and the cause of the command. `declared` is what the caller says: it may place its text
 * lower, such as text that it has read on the web, and never higher.
 */
export function sourceOf(
  caller: Pick<TenantContext, 'roles'>,
  cause: Cause,
  declared?: TrustSource,
): TrustSource {
  const highest = highestSource(caller, cause);
  if (declared === undefined) return highest;
  if (isBelow(highest, declared))
    throw invalid(
      'trust.source',
      `must not be above ${highest}, which is where texts of this credential and cause come from`,
    );
  return declared;
}

function highestSource(caller: Pick<TenantContext, 'roles'>, cause: Cause): TrustSource {
  if (hasRole(caller as TenantContext, 'agent') || cause === 'llm') return 'agent';
  return cause === 'system' ? 'tool' : 'user';
}
