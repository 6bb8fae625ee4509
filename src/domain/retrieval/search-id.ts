import type { TenantContext } from '../access/context.ts';

/** A keyed hash, such as the vault's. */
interface Signer {
  pseudonym(purpose: string, tenant: string, value: string): string;
}

/**
 * `<uuid>.<signature over tenant, caller and uuid>`. With it any process can check feedback on a search even before the search was
 * recorded, and no caller can refer to another caller's search. The uuid (v7) contains the time.
 */
export function signSearchId(signer: Signer, caller: TenantContext, id: string): string {
  return `${id}.${signature(signer, caller, id)}`;
}

/** The search's id; undefined if it is not one of this caller's. */
export function readSearchId(signer: Signer, caller: TenantContext, searchId: string): string | undefined {
  const [id = '', signed = '', ...rest] = searchId.split('.');
  return rest.length === 0 && signed === signature(signer, caller, id) ? id : undefined;
}

function signature(signer: Signer, caller: TenantContext, id: string): string {
  return signer.pseudonym(
    'search',
    caller.tenant,
    JSON.stringify([caller.principal, caller.user ?? null, id]),
  );
}

/** The id of a search, which names its streams, without the signature that callers see. */
export function searchOf(searchId: string): string {
  return searchId.split('.')[0]!;
}

/** When the search was made, from its id without the signature; undefined if that is not a UUIDv7. */
export function timeOfSearch(id: string): Date | undefined {
  const uuid = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.exec(id);
  return uuid ? new Date(Number.parseInt(`${uuid[1]}${uuid[2]}`, 16)) : undefined;
}

/** When a question was asked: the time in the search's id, and never later than the search was recorded. */
export function askedAtOf(searchId: string, recorded: Date): Date {
  const asked = timeOfSearch(searchOf(searchId));
  return asked && asked < recorded ? asked : recorded;
}
