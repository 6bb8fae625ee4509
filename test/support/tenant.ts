import { clientWithKey, freshTenant, type Client } from './api.ts';
import type { ServerAddress } from './server.ts';

/** A tenant of its own, with its administrator. */
export interface Tenant {
  readonly id: string;
  /** Its user is `ada`. */
  readonly admin: Client;
  /** A client with a further key; a member if nothing else is said. */
  key(rights?: Record<string, unknown>): Promise<Client>;
}

/** The administrator of a tenant, of a new one if none is named. Its user is `ada`. */
export function newAdmin(server: ServerAddress, tenant = freshTenant()): Promise<Client> {
  return clientWithKey(server, { tenant, role: 'admin', user: 'ada' });
}

export async function newTenant(server: ServerAddress): Promise<Tenant> {
  const id = freshTenant();
  return {
    id,
    admin: await newAdmin(server, id),
    key: (rights = {}) => clientWithKey(server, { role: 'member', ...rights, tenant: id }),
  };
}
