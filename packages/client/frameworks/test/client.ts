import { Stratalog } from '@stratalog/client';
import { clientWithKey, freshTenant } from '../../../../test/support/api.ts';
import type { ServerAddress } from '../../../../test/support/server.ts';

/** A client with a new key, by default of a member of a new tenant whose user is `ada`. */
export async function newClient(
  server: ServerAddress,
  key: { tenant?: string; role?: string } & Record<string, unknown> = {},
): Promise<Stratalog> {
  const { key: apiKey } = await clientWithKey(server, {
    tenant: freshTenant(),
    role: 'member',
    user: 'ada',
    ...key,
  });
  return new Stratalog({ url: server.url, apiKey });
}
