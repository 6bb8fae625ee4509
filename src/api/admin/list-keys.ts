import { z } from 'zod';
import { roles } from '../../domain/access/context.ts';
import { listKeys as list } from '../../queries/list-keys.ts';
import { asRecorded, defaultLimit, pageFields, waitFields } from '../fields.ts';
import { operation } from '../operation.ts';
import { keysExample } from './examples.ts';

const names = z.array(z.string());

const listedKey = z
  .object({
    id: z.string(),
    role: z.enum(roles),
    user: z.string().optional(),
    orgs: names,
    teams: names,
    projects: names,
    sessions: names,
    agents: names,
    users: names.optional().meta({ description: 'Users that a key of role agent serves' }),
    name: z.string().optional(),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().optional(),
    revokedAt: z.iso.datetime().optional(),
  })
  .meta({ id: 'ApiKey' });

export const listKeys = operation({
  name: 'listKeys',
  summary: 'List the keys of the tenant, newest first, without their secrets',
  area: 'Administration',
  input: z.strictObject({ ...pageFields, ...waitFields }),
  output: z.object({ items: z.array(listedKey), nextCursor: z.string().optional() }),
  examples: { input: {}, output: keysExample },
  access: { roles: ['admin'], refusal: 'listing keys needs the role admin in their tenant' },
  reads: 'log',
  audit: { what: 'API keys', when: 'always' },
  async handle({ caller, input: { limit = defaultLimit, cursor }, services: { directory } }) {
    const page = await list(directory, caller.tenant, { limit, cursor });
    return { output: page, read: { items: page.items.length, parameters: asRecorded({ limit, cursor }) } };
  },
});
