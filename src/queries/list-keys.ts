import type { ApiKey } from '../domain/tenant/tenant.ts';
import { fingerprintOf, invalidCursor, readCursor, writeCursor } from './cursors.ts';
import type { TenantDirectory } from './tenant-directory.ts';

export interface KeyPage {
  readonly items: readonly Omit<ApiKey, 'secretHash'>[];
  readonly nextCursor: string | undefined;
}

/** A tenant's keys including revoked ones, newest first, without the hashes of their secrets. */
export async function listKeys(
  directory: TenantDirectory,
  tenant: string,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<KeyPage> {
  const keys = await directory.list(tenant);
  const fingerprint = fingerprintOf({ list: 'keys', tenant });
  const from = cursor === undefined ? 0 : indexAfter(keys, readCursor(cursor, fingerprint));
  const page = keys.slice(from, from + limit);
  return {
    items: page.map(({ secretHash: _, ...key }) => key),
    nextCursor: from + limit < keys.length ? writeCursor(page.at(-1)!.id, fingerprint) : undefined,
  };
}

/** Index after the key `lastId`. Keys are never removed from the list. */
function indexAfter(keys: readonly ApiKey[], lastId: string): number {
  const index = keys.findIndex(({ id }) => id === lastId);
  if (index < 0) throw invalidCursor();
  return index + 1;
}
