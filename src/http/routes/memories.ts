import { z } from 'zod';
import { answerOnce } from '../../commands/answer-once.ts';
import type { CommandContext } from '../../commands/context.ts';
import { deleteMemory, restoreMemory } from '../../commands/delete-memory.ts';
import { eraseMemory } from '../../commands/erase-memory.ts';
import type { MemoryResult } from '../../commands/change-memory.ts';
import { recordAuditRead } from '../../commands/record-audit-read.ts';
import { storeMemory, storeMemoryInput } from '../../commands/store-memory.ts';
import { updateMemory, updateMemoryInput } from '../../commands/update-memory.ts';
import { isWatched } from '../../domain/access/watched.ts';
import { identifier, layerSchema } from '../../domain/layers.ts';
import { memorySchema, memoryStates, noAccess, viewOf, type Counters } from '../../domain/memory/view.ts';
import { positionToken } from '../../domain/position.ts';
import { Problem } from '../../domain/problems.ts';
import { fingerprintOf, readCursor, strangeCursor, writeCursor } from '../../queries/cursors.ts';
import { getMemory, readCounters } from '../../queries/get-memory.ts';
import { readHistory } from '../../queries/history.ts';
import { listMemories, listOrders } from '../../queries/list-memories.ts';
import { untilLogReaches } from '../../queries/read-models.ts';
import type { Services } from '../../services.ts';
import {
  asOfParameter,
  asSent,
  defaultLimit,
  externalIdParameter,
  filterParameter,
  many,
  pageParameters,
  readAsOf,
  readFilterParameter,
  readWait,
  timeParameter,
  waitParameters,
} from '../parameters.ts';
import { readIfMatch } from '../request.ts';
import {
  erasedExample,
  historyExample,
  memoriesExample,
  memoryAnswerExample,
  memoryExample,
  storeExample,
  updateExample,
} from './examples.ts';
import { emptyBody, route, type Answer } from '../route.ts';

const tag = 'Memories';
const params = z.strictObject({ id: z.string() });
const position = z.string().meta({ description: 'Pass it as minPosition to read your own write' });
const erasedMemory = z
  .object({ id: z.string(), state: z.literal('erased'), revision: z.int(), erasedAt: z.iso.datetime() })
  .meta({ id: 'ErasedMemory' });
const memoryAnswer = z.object({ memory: memorySchema, position }).meta({ id: 'MemoryAnswer' });

/** A command's answer about a memory: the memory as it left it, its ETag and the position. */
export async function memoryResult(
  services: Services,
  context: CommandContext,
  { snapshot, position, replayed, isUnchanged }: MemoryResult,
  status = 200,
): Promise<Answer> {
  // A memory that was just stored was never read.
  const counters =
    status === 201 ? noAccess : await firstCounters(services, context, snapshot.state.value.id);
  const memory = viewOf(context.caller.tenant, snapshot, counters);
  if (isUnchanged && isWatched(context.caller, [memory])) {
    const look = { what: 'memory', memoryId: memory.id, items: 1 };
    await recordAuditRead(services.commands, context, look);
  }
  return {
    status,
    body: { memory, position: positionToken(services.commands.store.log.logId, position) },
    headers: { etag: `"${memory.revision}"` },
    replayed,
  };
}

/** What is counted of a memory now; in a replay, what was when the command was answered first. */
async function firstCounters(
  { commands, models }: Services,
  context: CommandContext,
  memoryId: string,
): Promise<Counters> {
  const count = () => readCounters(models, context.caller.tenant, memoryId);
  return (await answerOnce(commands, context, count, 'counters')).answer;
}

export const memoryRoutes = [
  route({
    method: 'post',
    path: '/v1/memories',
    operationId: 'storeMemory',
    summary: 'Store a memory',
    tag,
    command: true,
    body: storeMemoryInput,
    bodyExample: storeExample,
    responses: { 201: { description: 'Stored', schema: memoryAnswer, example: memoryAnswerExample } },
    async handle({ context, body }, services) {
      const result = await storeMemory(services.commands, context, body);
      const answer = await memoryResult(services, context, result, 201);
      return {
        ...answer,
        headers: { ...answer.headers, location: `/v1/memories/${result.snapshot.state.value.id}` },
      };
    },
  }),
  route({
    method: 'get',
    path: '/v1/memories',
    operationId: 'listMemories',
    summary: 'List memories, newest first or oldest first',
    tag,
    query: z.strictObject({
      layer: many(layerSchema),
      space: many(identifier),
      tag: many(identifier),
      externalId: externalIdParameter,
      state: z.enum(memoryStates).optional(),
      createdAfter: timeParameter,
      createdBefore: timeParameter,
      filter: filterParameter,
      asOf: asOfParameter,
      order: z.enum(listOrders).optional().meta({ description: 'By creation; default newest first' }),
      ...pageParameters,
      ...waitParameters,
    }),
    responses: {
      200: {
        description: 'A page',
        schema: z.object({ items: z.array(memorySchema), nextCursor: z.string().optional(), position }),
        example: memoriesExample,
      },
    },
    async handle({ caller, context, query }, services) {
      const { store, clock } = services.commands;
      const { minPosition, waitMs, ...asked } = query;
      const { layer, space, tag: tags, filter, asOf, limit = defaultLimit, ...rest } = asked;
      const page = await listMemories(services.models, caller, {
        ...rest,
        layers: layer,
        spaces: space,
        tags,
        filter: readFilterParameter(filter, { isAsOf: asOf !== undefined }),
        asOf: await readAsOf(store, clock.now(), asOf),
        limit,
        ...readWait(store, { minPosition, waitMs }),
      });
      const { items } = page;
      if (isWatched(caller, items)) {
        const look = { what: 'memory list', items: items.length, parameters: asSent(asked) };
        await recordAuditRead(services.commands, context, look);
      }
      return { status: 200, body: { ...page, position: positionToken(store.log.logId, page.position) } };
    },
  }),
  route({
    method: 'get',
    path: '/v1/memories/:id',
    operationId: 'getMemory',
    summary: 'Get a memory',
    tag,
    params,
    query: z.strictObject({ asOf: asOfParameter, ...waitParameters }),
    responses: { 200: { description: 'The memory itself', schema: memorySchema, example: memoryExample } },
    async handle({ caller, context, params, query }, services) {
      const { store, clock } = services.commands;
      const asOf = await readAsOf(store, clock.now(), query.asOf);
      const wait = readWait(store, query);
      await untilLogReaches(store.log, Math.max(wait.minPosition ?? 0, asOf ?? 0), wait.waitMs);
      const memory = await getMemory(store, services.models, caller, params.id, { asOf, ...wait });
      if (isWatched(caller, [memory])) {
        const parameters = asSent({ asOf: query.asOf });
        const look = { what: 'memory', memoryId: memory.id, items: 1, parameters };
        await recordAuditRead(services.commands, context, look);
      }
      return { status: 200, body: memory, headers: { etag: `"${memory.revision}"` } };
    },
  }),
  route({
    method: 'patch',
    path: '/v1/memories/:id',
    operationId: 'updateMemory',
    summary: 'Change a memory by a JSON merge patch',
    tag,
    command: true,
    takesIfMatch: 'required',
    params,
    body: updateMemoryInput,
    bodyExample: updateExample,
    accepts: ['application/json', 'application/merge-patch+json'],
    responses: { 200: { description: 'As it is now', schema: memoryAnswer, example: memoryAnswerExample } },
    async handle({ context, params, body, koa }, services) {
      const match = readIfMatch(koa);
      if (match === undefined) {
        throw new Problem('match-required', 'a change of a memory needs If-Match with its ETag, or *');
      }
      return memoryResult(
        services,
        context,
        await updateMemory(services.commands, context, params.id, body, match),
      );
    },
  }),
  route({
    method: 'delete',
    path: '/v1/memories/:id',
    operationId: 'deleteMemory',
    summary: 'Delete a memory softly, or erase it for ever',
    tag,
    command: true,
    takesIfMatch: 'optional',
    params,
    query: z.strictObject({ mode: z.enum(['soft', 'erase']).default('soft') }),
    responses: {
      200: {
        description: 'Deleted, or erased',
        schema: z.union([memoryAnswer, z.object({ memory: erasedMemory, position })]),
        example: erasedExample,
      },
    },
    async handle({ context, params, query, koa }, services) {
      const match = readIfMatch(koa);
      if (query.mode === 'soft') {
        return memoryResult(
          services,
          context,
          await deleteMemory(services.commands, context, params.id, match),
        );
      }
      const erased = await eraseMemory(services.commands, context, params.id, match);
      return {
        status: 200,
        body: {
          memory: {
            id: erased.memoryId,
            state: 'erased',
            revision: erased.revision,
            erasedAt: erased.erasedAt.toISOString(),
          },
          position: positionToken(services.commands.store.log.logId, erased.position),
        },
        replayed: erased.replayed,
      };
    },
  }),
  route({
    method: 'post',
    path: '/v1/memories/:id/restore',
    operationId: 'restoreMemory',
    summary: 'Undo a soft deletion',
    tag,
    command: true,
    takesIfMatch: 'optional',
    params,
    ...emptyBody,
    responses: { 200: { description: 'Active again', schema: memoryAnswer, example: memoryAnswerExample } },
    async handle({ context, params, koa }, services) {
      const match = readIfMatch(koa);
      return memoryResult(
        services,
        context,
        await restoreMemory(services.commands, context, params.id, match),
      );
    },
  }),
  route({
    method: 'get',
    path: '/v1/memories/:id/history',
    operationId: 'memoryHistory',
    summary: 'Every version of a memory: who, when and why',
    tag,
    params,
    query: z.strictObject({ ...pageParameters, ...waitParameters }),
    responses: {
      200: {
        description: 'Versions, first to last',
        example: historyExample,
        schema: z.object({
          items: z.array(
            z.object({
              revision: z.int(),
              type: z.string(),
              at: z.iso.datetime(),
              actor: z.string(),
              cause: z.string(),
              reason: z.string().optional(),
              changes: z.record(
                z.string(),
                z.object({ from: z.unknown().optional(), to: z.unknown().optional() }),
              ),
              position,
            }),
          ),
          nextCursor: z.string().optional(),
        }),
      },
    },
    async handle({ caller, context, params, query }, services) {
      const { store } = services.commands;
      const { minPosition = 0, waitMs } = readWait(store, query);
      await untilLogReaches(store.log, minPosition, waitMs);
      const bound = fingerprintOf({ historyOf: params.id });
      const seen = query.cursor === undefined ? '0' : readCursor(query.cursor, bound);
      if (!/^\d{1,9}$/.test(seen)) throw strangeCursor();
      const from = Number(seen);
      const limit = query.limit ?? defaultLimit;
      const versions = (await readHistory(store, caller, params.id)).slice(from);
      const items = versions
        .slice(0, limit)
        .map((version) => ({ ...version, position: positionToken(store.log.logId, version.position) }));
      const nextCursor = versions.length > limit ? writeCursor(`${from + limit}`, bound) : undefined;
      const look = { what: 'memory history', memoryId: params.id, items: items.length };
      await recordAuditRead(services.commands, context, look);
      return { status: 200, body: { items, nextCursor } };
    },
  }),
];
