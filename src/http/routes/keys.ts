import { z } from 'zod';
import { createApiKey, createKeyInput, isMaster, revokeApiKey } from '../../commands/api-keys.ts';
import { recordAuditRead } from '../../commands/record-audit-read.ts';
import { hasRole, roles } from '../../domain/access/context.ts';
import { positionToken } from '../../domain/position.ts';
import { Problem } from '../../domain/problems.ts';
import { listKeys } from '../../queries/list-keys.ts';
import { untilLogReaches } from '../../queries/read-models.ts';
import { asSent, defaultLimit, pageParameters, readWait, waitParameters } from '../parameters.ts';
import { route } from '../route.ts';
import { positionExample } from './examples.ts';
import { createdKeyExample, createKeyExample, keysExample } from './operation-examples.ts';

const tag = 'Administration';

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
    name: z.string().optional(),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().optional(),
    revokedAt: z.iso.datetime().optional(),
  })
  .meta({ id: 'ApiKey' });

export const keyRoutes = [
  route({
    method: 'post',
    path: '/v1/admin/keys',
    operationId: 'createKey',
    summary: 'Create an API key; the first one of a tenant creates the tenant',
    tag,
    command: true,
    body: createKeyInput,
    bodyExample: createKeyExample,
    responses: {
      201: {
        description: 'The key, shown this once',
        schema: z.object({ id: z.string(), key: z.string(), position: z.string() }),
        example: createdKeyExample,
      },
    },
    async handle({ context, body }, services) {
      const { id, key, position, replayed } = await createApiKey(services.commands, context, body);
      await services.directory.refresh(body.tenant ?? context.caller.tenant);
      const token = positionToken(services.commands.store.log.logId, position);
      return { status: 201, body: { id, key, position: token }, replayed };
    },
  }),
  route({
    method: 'get',
    path: '/v1/admin/keys',
    operationId: 'listKeys',
    summary: 'The keys of the tenant, newest first, without their secrets',
    tag,
    query: z.strictObject({ ...pageParameters, ...waitParameters }),
    responses: {
      200: {
        description: 'A page',
        schema: z.object({ items: z.array(listedKey), nextCursor: z.string().optional() }),
        example: keysExample,
      },
    },
    async handle({ caller, context, query }, services) {
      if (isMaster(caller) || !hasRole(caller, 'admin')) {
        throw new Problem('forbidden', 'listing keys needs the role admin in their tenant');
      }
      const { store } = services.commands;
      const { limit = defaultLimit, cursor, ...wait } = query;
      const { minPosition = 0, waitMs } = readWait(store, wait);
      await untilLogReaches(store.log, minPosition, waitMs);
      const page = await listKeys(services.directory, caller.tenant, { limit, cursor });
      const look = { what: 'API keys', items: page.items.length, parameters: asSent({ limit, cursor }) };
      await recordAuditRead(services.commands, context, look);
      return { status: 200, body: page };
    },
  }),
  route({
    method: 'delete',
    path: '/v1/admin/keys/:id',
    operationId: 'revokeKey',
    summary: 'Revoke an API key',
    tag,
    command: true,
    params: z.strictObject({ id: z.string() }),
    responses: {
      200: { description: 'Revoked', schema: z.object({ position: z.string() }), example: positionExample },
    },
    async handle({ caller, context, params }, services) {
      const { position, replayed } = await revokeApiKey(services.commands, context, params.id);
      await services.directory.refresh(caller.tenant);
      return {
        status: 200,
        body: { position: positionToken(services.commands.store.log.logId, position) },
        replayed,
      };
    },
  }),
];
