import type { TenantContext } from '../../domain/access/context.ts';
import { presumedCaller, type NamedCaller } from '../../domain/access/presumed-caller.ts';
import type { Placement } from '../../domain/access/visibility.ts';
import { callerOfKey } from '../../domain/tenant/caller-of-key.ts';
import type { TenantDirectory } from '../tenant-directory.ts';

export interface RecordedCaller {
  readonly caller: TenantContext;
  /** Whether it is the least that the caller must have been, because the log does not have its memberships. */
  readonly isPresumed: boolean;
}

/**
 * The caller of a recorded search with the rights that it had. Those of API keys, also revoked ones, are in the log; those
 * of a JWT are presumed from the memories that it was shown.
 */
export async function recordedCaller(
  directory: TenantDirectory,
  tenant: string,
  named: NamedCaller,
  seen: readonly Placement[],
): Promise<RecordedCaller> {
  const { principal, onBehalfOf } = named;
  const presumed = presumedCaller(tenant, named, seen);
  // On a server without keys every caller is the admin.
  if (principal === 'development') return { caller: { ...presumed, roles: ['admin'] }, isPresumed: false };
  const keys = principal.startsWith('key:') ? await directory.list(tenant) : [];
  const key = keys.find(({ id }) => principal === `key:${id}`);
  if (!key) return { caller: presumed, isPresumed: true };
  const caller = callerOfKey(tenant, key);
  return {
    caller: onBehalfOf === undefined ? caller : { ...caller, user: onBehalfOf },
    isPresumed: false,
  };
}
