import { clientWithKey, freshTenant, type Client } from './api.ts';
import type { ServerAddress } from './server.ts';

/** A new tenant with its admin. */
export interface Tenant {
  readonly id: string;
  /** The admin's user is `ada`. */
  readonly admin: Client;
  /** A client with another key, by default of a member. */
  key(rights?: Record<string, unknown>): Promise<Client>;
}

/** A client for the admin of a tenant, by default of a new one. The admin's user is `ada`. */
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
