import { expect } from 'vitest';
import type { Client, Json } from './api.ts';
import type { ServerAddress } from './server.ts';
import { newTenant, type Tenant } from './tenant.ts';

const contents = ['The build takes nine minutes.', 'The build runs on two cores.', 'Deploys need two keys.'];

/** A new tenant with three memories of the company. */
export interface AskingTenant {
  readonly tenant: Tenant;
  readonly admin: Client;
  readonly position: string;
}

export async function askingTenant(server: ServerAddress): Promise<AskingTenant> {
  const tenant = await newTenant(server);
  const { admin } = tenant;
  const lines = await admin.bulk(contents.map((content) => ({ content, layer: 'company' })));
  return { tenant, admin, position: lines.at(-1)!.position };
}

/** The answer of a search for the build, once the memories can be found. */
export async function asked(setting: AskingTenant, body: Json = {}, client = setting.admin): Promise<Json> {
  const whole = {
    query: 'How long does the build take?',
    threshold: 0,
    minPosition: setting.position,
    ...body,
  };
  const reply = await client.post('/v1/search', whole);
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  return reply.body;
}

export const firstOf = ({ results }: Json): string => results[0].memory.id;

/** The audit of a search, once it is recorded. */
export async function audited({ admin }: AskingTenant, searchId: string): Promise<Json> {
  const reply = await admin.get(`/v1/audit/searches/${searchId}?waitMs=20000`);
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  return reply.body;
}
