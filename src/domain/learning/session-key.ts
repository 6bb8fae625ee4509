import type { TenantContext } from '../access/context.ts';

/** A keyed hash, such as the vault's. */
interface Hasher {
  pseudonym(purpose: string, tenant: string, value: string): string;
}

type Caller = Pick<TenantContext, 'tenant' | 'principal' | 'user'>;

/** The keyed hash of a session. The same id in the hands of another credential, or for another user, is another session. */
export function sessionKeyOf(hasher: Hasher, { tenant, principal, user }: Caller, sessionId: string): string {
  return hasher.pseudonym('session', tenant, JSON.stringify([principal, user ?? null, sessionId]));
}

/** The same for a search, which may have no session. */
export function sessionOf(hasher: Hasher, caller: Caller, sessionId: string | undefined): string | undefined {
  return sessionId === undefined ? undefined : sessionKeyOf(hasher, caller, sessionId);
}
